/** A shell command that makes the same call with an API token in $TOKEN. */
export function curl(method: string, path: string, body?: unknown): string {
  const words = ['curl', '--fail-with-body', '-H', '"Authorization: Bearer $TOKEN"'];
  if (method !== 'GET') words.push('-X', method);
  if (body !== undefined) words.push('-H', quoted('Content-Type: application/json'), '-d', quoted(JSON.stringify(body)));
  return [...words, quoted(location.origin + path)].join(' ');
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
