import {beforeEach, expect, test, vi} from 'vitest';

import {numeral} from '../../api/numeral';
import {Draft} from './draft.svelte';

const POST = vi.hoisted(() => vi.fn());
vi.mock('../../api/client', () => ({api: {POST}, data: (call: unknown) => call}));
vi.mock('../../api/session.svelte', () => ({session: {user: {guid: 'me'}}}));

let stored: Map<string, string>;
let room: number;
let time: number;

beforeEach(() => {
  stored = new Map();
  room = Infinity;
  time = 0;
  vi.stubGlobal('sessionStorage', {
    getItem: (key: string) => stored.get(key) ?? null,
    removeItem: (key: string) => stored.delete(key),
    setItem(key: string, value: string) {
      if (value.length > room) throw new Error('full');
      stored.set(key, value);
    },
  });
  vi.spyOn(performance, 'now').mockImplementation(() => (time += 10));
});

const base = {name: 'A', entityType: 'Order'};

function begun(id = 'w') {
  const draft = new Draft(id);
  draft.begin(base, numeral(1));
  return draft;
}

test('Changes are undone one by one and made again, and a new change ends what was undone', () => {
  const draft = begun();
  draft.set('delay', 'PT1H');
  draft.set('ordered', true);
  draft.undo();
  expect(draft.now).toEqual({...base, delay: 'PT1H'});
  draft.undo();
  expect([draft.now, draft.changed, draft.earlier.length]).toEqual([base, false, 0]);
  draft.undo();
  draft.redo();
  draft.redo();
  expect(draft.now).toEqual({...base, delay: 'PT1H', ordered: true});
  draft.undo();
  draft.set('each', true);
  draft.redo();
  expect(draft.now).toEqual({...base, delay: 'PT1H', each: true});
});

test('Typing in a field is one change until there is a pause of a second', () => {
  const draft = begun();
  for (const name of ['B', 'Bo', 'Bob']) draft.set('name', name);
  time += 1_000;
  draft.set('name', 'Bobo');
  draft.undo();
  expect(draft.now.name).toBe('Bob');
  draft.undo();
  expect(draft.now.name).toBe('A');
});

test('The changes that can be undone come back with the draft, also after the last one was undone', () => {
  const draft = begun();
  draft.set('ordered', true);
  expect(begun().earlier).toEqual([base]);
  draft.undo();
  const back = begun();
  expect([back.now, back.changed]).toEqual([base, false]);
  back.redo();
  expect(back.now).toEqual({...base, ordered: true});
});

test('A tab without room for the changes keeps the draft', () => {
  room = 200;
  const draft = begun();
  for (const name of ['ordered', 'each', 'workdays', 'runWhenEmpty']) draft.set(name, true);
  const back = begun();
  expect([back.now.runWhenEmpty, back.earlier]).toEqual([true, []]);
});

test('With the changes kept on another version, undoing takes away those of this person alone', () => {
  const draft = begun();
  draft.set('delay', 'PT1H');
  draft.set('ordered', true);
  draft.keepOn({...base, name: 'Theirs'}, numeral(2));
  expect(draft.now).toEqual({...base, name: 'Theirs', delay: 'PT1H', ordered: true});
  draft.undo();
  draft.undo();
  expect([draft.now, draft.changed]).toEqual([{...base, name: 'Theirs'}, false]);
});

test("Nothing is undone behind another person's version", () => {
  const draft = begun();
  draft.set('ordered', true);
  draft.rebase({...base, name: 'Theirs'}, numeral(2));
  draft.undo();
  expect(draft.now.name).toBe('Theirs');
  expect(stored.size).toBe(0);
});

test('A saved change can be undone, as a change that is not saved', async () => {
  const draft = begun();
  draft.set('ordered', true);
  POST.mockResolvedValueOnce({guid: 'w', version: numeral(2)});
  await draft.save('w', 'key');
  expect([draft.changed, draft.version?.digits]).toEqual([false, '2']);
  draft.undo();
  expect([draft.now, draft.changed]).toEqual([base, true]);
});

test('A change that is made while the save is under way stays, and is not saved', async () => {
  const draft = begun();
  draft.set('ordered', true);
  let answer: (configured: unknown) => void = () => undefined;
  POST.mockReturnValueOnce(new Promise((resolve) => (answer = resolve)));
  const saving = draft.save('w', 'key');
  draft.set('each', true);
  answer({guid: 'w', version: numeral(2)});
  await saving;
  expect([draft.now.each, draft.before, draft.changed]).toEqual([true, {...base, ordered: true}, true]);
});

test('A new workflow continues with its changes once it is saved', async () => {
  const draft = new Draft('new');
  draft.start(base);
  draft.set('ordered', true);
  POST.mockResolvedValueOnce({guid: 'made', version: numeral(1)});
  await draft.save(null, 'key');
  const made = begun('made');
  expect([made.changed, made.restored, made.earlier]).toEqual([false, false, [base]]);
});

test('A switch makes a version that is not a conflict: the changes stay, and are saved on top of it', async () => {
  const draft = begun();
  draft.set('ordered', true);
  draft.meet({...base}, numeral(2));
  expect([draft.now.ordered, draft.version?.digits, begun().version?.digits]).toEqual([true, '2', '2']);
  draft.undo();
  expect(draft.changed).toBe(false);
  draft.redo();
  POST.mockResolvedValueOnce({guid: 'w', version: numeral(3)});
  await draft.save('w', 'key');
  expect(POST.mock.lastCall?.[1]).toMatchObject({body: {ordered: true, ifVersion: numeral(2)}});
});

test('Another definition is the base at once, unless there are changes', () => {
  const theirs = {...base, name: 'Theirs'};
  const draft = begun();
  draft.meet(theirs, numeral(2));
  expect([draft.now, draft.version?.digits]).toEqual([theirs, '2']);
  draft.set('ordered', true);
  draft.meet({...base, name: 'Again'}, numeral(3));
  expect([draft.now, draft.version?.digits]).toEqual([{...theirs, ordered: true}, '2']);
});
