/** A shell command that makes the same call with an API token in $TOKEN. */
export function curl(method: string, path: string, body?: unknown): string {
  const words = ['curl', '--fail-with-body', '-H', '"Authorization: Bearer $TOKEN"'];
  if (method !== 'GET') words.push('-X', method);
  if (body !== undefined) words.push('-H', quoted('Content-Type: application/json'), '-d', quoted(JSON.stringify(body)));
  return [...words, quoted(location.origin + path)].join(' ');
}

/** A shell command that sends a request to another service. */
export function curlOf({method = 'POST', url, headers, body}: {
  method?: string | undefined;
  url: string;
  headers: Record<string, string>;
  body: string;
}): string {
  const words = ['curl', '--fail-with-body', '-X', method];
  for (const [name, value] of Object.entries(headers)) words.push('-H', quoted(`${name}: ${value}`));
  // An `@` at the beginning of -d would name a file.
  if (body) words.push('--data-raw', quoted(body));
  return [...words, quoted(url)].join(' ');
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
