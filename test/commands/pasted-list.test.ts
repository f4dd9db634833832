import { expect, it } from 'vitest';
import type { Services } from '../../commands/command.ts';
import { listForm, showList } from '../../commands/pasted-list.ts';
import { askedFor } from '../replies/replies-over.ts';
import { changed, table } from '../table.ts';
import { idsOf, PUBLIC } from './commands.ts';

const GIVEN = {
  ...{ text: '2 Tarn', meant: { cards: [{ id: 'a', name: 'Tarn' }] }, isPrivate: true },
  ...{ caps: {}, spent: { member: 0, guild: 0 } },
};

/** What is shown of a list of one line, of whose card nothing is known. @param changes of what is given */
function shown(changes: string) {
  const { text, meant, isPrivate, caps, spent, remaining = Infinity } = changed(GIVEN, changes);
  const services = {
    cards: { kept: async () => ({ kind: 'missing' }), pricesFreshMs: 1 },
    lookupQueue: { costOf: (ids: string[]) => ({ requests: ids.map((id) => [id]), waitMs: 0 }) },
    lists: { read: async () => text },
    catalog: { resolveLines: async () => [meant] },
    limiter: { view: () => ({ blockedFor: () => undefined, quota: { remaining } }) },
    budget: { allowanceOf: async () => ({ caps, spent }) },
  } as unknown as Services;
  const requester = { memberId: 'alice', guildId: 'g', isInstalled: true };
  const use = { asked: { ...askedFor(), isPrivate }, requester };
  return showList(use, { id: '1', left: 0 }, { cards: [], requests: 0 }, { ...PUBLIC, isPrivate }, services);
}

it('the form takes a list of 4,000 characters', () => {
  expect(listForm('en-US').fields).toMatchObject([{ lines: 'many', maxLength: 4_000 }]);
});

it('a list that is gone before everybody sees it leaves a sentence that can be taken back', async () => {
  const gone = await shown('text=; isPrivate=false');
  expect(gone.content).toContain('I no longer have that list');
  expect(idsOf(gone)).toEqual([['card:delete']]);
});

it.each(table`
  says that names could not be searched when it was pasted | meant={"cards":[],"isUnsearched":true}
    | ^0 of 1 line is clear\.\nI can't search card names right now
  is understood once they can be | | ^1 of 1 line is clear\.\nThe other card
  says what the member has left | caps={"member":9,"guild":20}; spent.member=2 | You have 7 left today\.
  or the Discord server | caps={"member":9,"guild":8}; spent.guild=3 | You have 5 left today\.
  or the service | caps={"member":9,"guild":8}; remaining=4 | You have 4 left today\.
  or that a budget is spent | caps={"member":9}; spent.member=10 | You have 0 left today\.
`)('a list %s', async (_, changes = '', says = '') => {
  expect((await shown(changes)).embeds?.[0]?.description).toMatch(new RegExp(says));
});
