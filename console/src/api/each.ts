/**
 * Calls `perform` for all entries, at most `width` at the same time, in their order, so that many calls do not use up
 * the quota at once. Throws the first error after the calls under way; then no other call begins.
 */
export async function each<T>(entries: T[], perform: (entry: T) => Promise<void>, width = 4): Promise<void> {
  const waiting = [...entries];
  const lane = async () => {
    for (let entry = waiting.shift(); entry !== undefined; entry = waiting.shift()) {
      try {
        await perform(entry);
      } catch (error) {
        waiting.length = 0;
        throw error;
      }
    }
  };
  const lanes = await Promise.allSettled(Array.from({length: width}, lane));
  for (const result of lanes) if (result.status === 'rejected') throw result.reason;
}
