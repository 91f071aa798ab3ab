import createClient, {createQuerySerializer} from 'openapi-fetch';

import {isNumeral, readJson} from './numeral';
import type {components, paths} from './schema';
import {connection} from './connection.svelte';
import {session} from './session.svelte';

export type Schemas = components['schemas'];

/** An answer other than success. `details` names each bad field; `requestId` is what the operator's log has. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly details: Record<string, string>,
    readonly requestId: string | null,
    readonly retryAfterMs: number,
  ) {
    super(message);
  }
}

/** No answer: the API or the way to it is away. Whether a change was made is not known; its key repeats it safely. */
export class Unreachable extends Error {}

/** An answer whose JSON keeps its numbers; openapi-fetch calls json() because it has a Content-Length. */
class LosslessAnswer extends Response {
  readonly #text: string;

  constructor(text: string, {status, headers}: Response) {
    const named = new Headers(headers);
    named.set('Content-Length', String(text.length));
    super(status === 204 ? null : text, {status, headers: named});
    this.#text = text;
  }

  override json(): Promise<unknown> {
    return Promise.resolve(readJson(this.#text));
  }
}

/** Calls for which 401 is an answer; after the 401 of any other, the person is asked for the password. */
const unasked = /\/api\/user\/log(in|out)$/;

/** The person and the business of the cookie's session. The API refuses a call that names others. */
const sessionField = 'X-Waybill-Session';

/**
 * Sends a request with the session's cookie. Of a session that ended, or that a login in another tab has replaced, it
 * asks for the password and sends the request again, with the same Idempotency-Key, so that a change is made once. The
 * browser's cache sends If-None-Match. Throws ApiError, Unreachable, or the signal's reason.
 */
async function send(request: Request): Promise<Response> {
  request.headers.set('X-Waybill-Console', '1');
  if (request.method !== 'GET' && !request.headers.has('Idempotency-Key'))
    request.headers.set('Idempotency-Key', crypto.randomUUID());
  for (;;) {
    if (session.name) request.headers.set(sessionField, session.name);
    const answer = await reach(request.clone());
    const name = answer.headers.get(sessionField);
    session.name ??= name;
    const isOther = name !== null && name !== session.name;
    if ((answer.status === 401 || isOther) && !unasked.test(request.url)) {
      await session.renew(request.signal, isOther);
      continue;
    }
    if (answer.ok && !isJson(answer)) return answer;
    const text = await answer.text();
    if (answer.ok) return new LosslessAnswer(text, answer);
    if (answer.status === 403) void session.rereadRole();
    throw refusal(answer, text);
  }
}

/** False for a file, such as a PDF, whose bytes must not be read as text. An answer without a body counts as JSON. */
function isJson(answer: Response): boolean {
  return (answer.headers.get('Content-Type') ?? 'application/json').startsWith('application/json');
}

async function reach(request: Request): Promise<Response> {
  let answer: Response;
  try {
    answer = await fetch(request);
  } catch (error) {
    if (request.signal.aborted) throw error;
    connection.lost();
    throw new Unreachable();
  }
  // A proxy answers these for an API that is away.
  if (answer.status === 502 || answer.status === 504) {
    connection.lost();
    throw new Unreachable();
  }
  connection.found(answer.headers);
  return answer;
}

function refusal(answer: Response, text: string): ApiError {
  let error: Partial<Schemas['Error']['error']> = {};
  try {
    error = (JSON.parse(text) as Partial<Schemas['Error']> | null)?.error ?? {};
  } catch {
    // A proxy's page: the status says what there is to know.
  }
  return new ApiError(
    answer.status,
    error.code ?? 'UNAVAILABLE',
    error.message ?? `${answer.status} ${answer.statusText}`,
    error.details ?? {},
    answer.headers.get('X-Request-Id'),
    Number(answer.headers.get('Retry-After') ?? 0) * 1000,
  );
}

const plainQuery = createQuerySerializer();

/** A query without Numerals, which openapi-fetch takes for objects: `PageSize[digits]=50`. */
export function queryText(query: Record<string, unknown>): string {
  return plainQuery(
    Object.fromEntries(Object.entries(query).map(([name, value]) => [name, isNumeral(value) ? value.digits : value])),
  );
}

/** The typed calls of the OpenAPI document: `api.GET('/api/today')`. All of them throw as `send` does. */
export const api = createClient<paths>({fetch: send, querySerializer: queryText});

/** The body of a successful call; `send` has thrown for all others. */
export async function body<T>(call: Promise<{data?: T}>): Promise<NonNullable<T>> {
  return (await call).data as NonNullable<T>;
}

/** The `data` of a successful call. */
export async function data<T>(call: Promise<{data?: {data: T}}>): Promise<T> {
  return (await body(call)).data;
}
