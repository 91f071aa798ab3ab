/** A written count with its noun, for languages with one plural. */
export function plural(count: string, one: string, others: string): string {
  return `${count} ${count === '1' ? one : others}`;
}
