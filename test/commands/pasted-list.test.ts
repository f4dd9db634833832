import { expect, it } from 'vitest';
import type { Services } from '../../commands/command.ts';
import { listForm, showList } from '../../commands/pasted-list.ts';
import type { LineMeaning } from '../../src/catalog/list.ts';
import { askedFor } from '../replies/replies-over.ts';
import { idsOf, PUBLIC } from './commands.ts';

const TARN: LineMeaning = { cards: [{ id: 'a', name: 'Tarn' }] };

/** What is shown of a list of one line, of whose card nothing is known. */
function shown({ text, meant = TARN, isPrivate = true, caps = {}, spent = {}, remaining = Infinity }: Given = {}) {
  const services = {
    cards: { kept: async () => ({ kind: 'missing' }), pricesFreshMs: 1 },
    lookupQueue: { costOf: (ids: string[]) => ({ requests: ids.map((id) => [id]), waitMs: 0 }) },
    lists: { read: async () => text },
    catalog: { resolveLines: async () => [meant] },
    limiter: { view: () => ({ blockedFor: () => undefined, quota: { remaining } }) },
    budget: { allowanceOf: async () => ({ caps, spent: { member: 0, guild: 0, ...spent } }) },
  } as unknown as Services;
  const use = {
    asked: { ...askedFor(), isPrivate },
    requester: { memberId: 'alice', guildId: 'g', isInstalled: true },
  };
  return showList(use, { id: '1', left: 0 }, { cards: [], requests: 0 }, { ...PUBLIC, isPrivate }, services);
}

interface Given {
  text?: string;
  meant?: LineMeaning;
  isPrivate?: boolean;
  caps?: object;
  spent?: object;
  remaining?: number | undefined;
}

it('the form takes a list of 4,000 characters', () => {
  expect(listForm('en-US').fields).toMatchObject([{ lines: 'many', maxLength: 4_000 }]);
});

it('a list that is gone before everybody sees it leaves a sentence that can be taken back', async () => {
  const gone = await shown({ isPrivate: false });
  expect(gone.content).toContain('I no longer have that list');
  expect(idsOf(gone)).toEqual([['card:delete']]);
});

it.each<[string, Given, RegExp]>([
  [
    'says that names could not be searched when it was pasted',
    { meant: { cards: [], isUnsearched: true } },
    /^0 of 1 line is clear\.\nI can't search card names right now/,
  ],
  ['is understood once they can be', {}, /^1 of 1 line is clear\.\nThe other card/],
  [
    'says what the member has left',
    { caps: { member: 9, guild: 20 }, spent: { member: 2 } },
    /You have 7 left today\./,
  ],
  ['or the Discord server', { caps: { member: 9, guild: 8 }, spent: { guild: 3 } }, /You have 5 left today\./],
  ['or the service', { caps: { member: 9, guild: 8 }, remaining: 4 }, /You have 4 left today\./],
  ['or that a budget is spent', { caps: { member: 9 }, spent: { member: 10 } }, /You have 0 left today\./],
])('a list %s', async (_, given, says) => {
  expect((await shown({ text: '2 Tarn', ...given })).embeds?.[0]?.description).toMatch(says);
});
