/** True if two names look the same on a page, which shows spaces of any kind and number as one, and no invisible characters. */
export function looksSame(one: string, other: string): boolean {
  return shown(one) === shown(other);
}

function shown(name: string): string {
  return name
    .replace(/[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, '')
    .normalize('NFC')
    .replace(/\s+/g, ' ')
    .trim();
}
