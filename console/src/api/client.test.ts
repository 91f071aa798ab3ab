import {expect, test, vi} from 'vitest';

import {api, queryText} from './client';
import {numeral} from './numeral';

const renew = vi.hoisted(() => vi.fn());
const session = vi.hoisted(() => ({renew, name: null as string | null}));
vi.mock('./session.svelte', () => ({session}));

test('A number in a query is written by its digits', () => {
  expect(queryText({PageSize: numeral(50), status: ['draft', 'ready'], late: true, after: ''})).toBe(
    'PageSize=50&status=draft&status=ready&late=true&after=',
  );
});

test('Who signs out after the end of the session is not asked for the password', async () => {
  vi.stubGlobal('fetch', () => Promise.resolve(new Response('{"error":{}}', {status: 401})));
  await expect(api.POST('/api/user/logout', {baseUrl: 'http://console'})).rejects.toMatchObject({status: 401});
  expect(renew).not.toHaveBeenCalled();
});

test('A refusal without the form of the API has its status as text', async () => {
  for (const text of ['<html>', 'null', '"busy"', '{"message":"busy"}', '[]']) {
    vi.stubGlobal('fetch', () => Promise.resolve(new Response(text, {status: 503, statusText: 'Service Unavailable'})));
    const call = api.GET('/api/today', {baseUrl: 'http://console'});
    await expect(call).rejects.toMatchObject({status: 503, code: 'UNAVAILABLE', message: '503 Service Unavailable'});
  }
});

test('A call names whose page it is of, and waits if the cookie is that of somebody else', async () => {
  const sent: (string | null)[] = [];
  const names = ['acme', 'acme', 'beta', 'acme'];
  vi.stubGlobal('fetch', (request: Request) => {
    sent.push(request.headers.get('X-Waybill-Session'));
    const name = names.shift() ?? '';
    // An API process of an earlier release would not have refused the third one.
    return Promise.resolve(new Response(`{"data":"${name}"}`, {headers: {'X-Waybill-Session': name}}));
  });
  session.name = null;
  renew.mockReset();
  const read = async () => (await api.GET('/api/today', {baseUrl: 'http://console'})).data;
  await read();
  await read();
  expect(renew).not.toHaveBeenCalled();
  expect(await read()).toEqual({data: 'acme'});
  expect(renew).toHaveBeenCalledExactlyOnceWith(expect.any(AbortSignal), true);
  expect(sent).toEqual([null, 'acme', 'acme', 'acme']);
});
