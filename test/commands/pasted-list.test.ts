import { expect, it } from 'vitest';
import type { Services } from '../../commands/command.ts';
import { listForm, showList } from '../../commands/pasted-list.ts';
import type { LineMeaning } from '../../src/catalog/answers.ts';

const requester = { memberId: 'alice', guildId: 'server', isInstalled: true };

const view = {
  ...{ locale: 'en-US', quota: undefined, currency: undefined, display: undefined },
  canReplyPublicly: true,
} as unknown as Parameters<typeof showList>[3];

const PRICES_UNKNOWN = {
  cards: { kept: async () => ({ kind: 'missing' }), pricesFreshMs: 1 },
  lookupQueue: { costOf: (ids: string[]) => ({ requests: ids.map((id) => [id]), waitMs: 0 }) },
};

/** One list, whoever asks for it. */
const keeping = (text: string) => ({ read: async () => text });

it('the form takes a list of 4,000 characters', () => {
  expect(listForm('en-US').fields).toMatchObject([{ lines: 'many', maxLength: 4_000 }]);
});

it('a list that is gone before everybody sees it leaves a sentence that can be taken back', async () => {
  const lists = { read: async () => undefined };
  const asked = { queries: [], unclear: [], unsearched: [], isPrivate: false };
  const shown = await showList(
    { asked, requester, canReplyPublicly: true },
    { id: '1', left: 0 },
    { cards: [], requests: 0 },
    { ...view, isPrivate: false },
    { lists, limiter: { view: () => ({}) } } as unknown as Services,
  );
  expect(shown.content).toContain('I no longer have that list');
  expect(JSON.stringify(shown.components)).toContain('"label":"Delete"');
});

it('a list that was pasted while names could not be searched says so, and is understood once they can be', async () => {
  let meant: LineMeaning = { cards: [], isUnsearched: true };
  const services = {
    ...PRICES_UNKNOWN,
    lists: keeping('2 Tarn'),
    catalog: { resolveLines: async () => [meant] },
    limiter: { view: () => ({ refusalFor: () => undefined }) },
    budget: { allowanceOf: async () => ({ caps: {}, spent: { member: 0, guild: 0 } }) },
  } as unknown as Services;
  const asked = { queries: [], unclear: [], unsearched: [], isPrivate: true };
  const use = { asked, requester, canReplyPublicly: true };
  const shown = () =>
    showList(use, { id: '1', left: 0 }, { cards: [], requests: 0 }, { ...view, isPrivate: true }, services);
  expect((await shown()).embeds?.[0]?.description).toMatch(
    /^0 of 1 line is clear\.\nI can't search card names right now/,
  );
  meant = { cards: [{ id: 'a', name: 'Tarn' }] };
  expect((await shown()).embeds?.[0]?.description).toMatch(/^1 of 1 line is clear\.\nThe other card/);
});

it.each<[string, object, object, number | undefined, string]>([
  ['the member', { member: 9, guild: 20 }, { member: 2, guild: 3 }, 30, 'You have 7 left today.'],
  ['the Discord server', { member: 9, guild: 8 }, { member: 2, guild: 3 }, 30, 'You have 5 left today.'],
  ['the service', { member: 9, guild: 8 }, { member: 2, guild: 3 }, 4, 'You have 4 left today.'],
  ['a budget that is spent', { member: 9 }, { member: 10, guild: 0 }, undefined, 'You have 0 left today.'],
])(
  'what a member has left today is by whichever limit leaves least: that of %s',
  async (_, caps, spent, remaining, said) => {
    const services = {
      ...PRICES_UNKNOWN,
      lists: keeping('a'),
      catalog: { resolveLines: async () => [{ cards: [{ id: 'a', name: 'Tarn' }] }] },
      limiter: { view: () => ({ refusalFor: () => undefined, quota: remaining && { remaining } }) },
      budget: { allowanceOf: async () => ({ caps, spent }) },
    } as unknown as Services;
    const use = {
      asked: { queries: [], unclear: [], unsearched: [], isPrivate: true },
      ...{ requester, canReplyPublicly: true },
    };
    const shown = await showList(
      use,
      { id: '1', left: 0 },
      { cards: [], requests: 0 },
      { ...view, isPrivate: true },
      services,
    );
    expect(shown.embeds?.[0]?.description).toContain(said);
  },
);
