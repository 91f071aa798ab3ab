import {expect, test, vi} from 'vitest';

import {api, queryText} from './client';
import {numeral} from './numeral';

const renew = vi.hoisted(() => vi.fn());
vi.mock('./session.svelte', () => ({session: {renew}}));

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
