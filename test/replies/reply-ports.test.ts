import { describe, expect, it } from 'vitest';
import { below, parseJournaledReply } from '../../src/replies/reply-ports.ts';
import { askedFor, deferredReply } from './replies-over.ts';

describe('a row of the journal', () => {
  const reply = deferredReply();
  const { asked: _, ...invocation } = reply;
  const { webhook, requester, ...rest } = invocation;
  const flat = { ...webhook, ...requester, ...rest };
  const [query] = reply.asked.queries;
  const card = { id: 'gull-1', name: 'Gull', set: 'Shore' };
  const asked = { ...reply.asked, unclear: [{ text: 'gul', cards: [card], total: 0 }] };
  const list = { queries: askedFor('base1-1', 'base1-2').queries, unclear: ['Gull'], unsearched: ['Ember'] };
  const several = { ...list, unclear: [{ text: 'Gull', cards: [], total: 0 }], isPrivate: false };
  const searched = { ...list, unsearched: undefined };

  it.each([
    ['of this version', { ...reply, asked }, asked],
    ['of 0.2.0, for one card', { ...flat, query, private: true }, { ...reply.asked, isPrivate: true }],
    ['of 0.2.0, for several cards', { ...flat, query, list, private: false }, several],
    [
      'of 0.2.0, for several cards of which all names could be searched',
      { ...flat, query, list: searched, private: false },
      { ...several, unsearched: [] },
    ],
  ])('%s is read', (_when, row, asked) => {
    expect(parseJournaledReply(JSON.parse(JSON.stringify(row)))).toEqual({ ...invocation, asked });
  });

  it('of a version that knew no other is of a place with the install of a server', () => {
    const { isInstalled, canReplyPublicly, ...earlier } = flat;
    expect(parseJournaledReply({ ...earlier, asked: reply.asked })).toEqual(reply);
    const elsewhere = { ...requester, isInstalled: false, channelId: '7' };
    const foreign = { ...reply, requester: elsewhere, canReplyPublicly: false };
    expect(parseJournaledReply(JSON.parse(JSON.stringify(foreign)))).toEqual(foreign);
  });

  it('of a pasted list may have no card to look up', () => {
    const ofList = { ...reply, asked: { ...reply.asked, queries: [], list: { id: '7', ceiling: 3 } } };
    expect(parseJournaledReply(JSON.parse(JSON.stringify(ofList)))).toEqual(ofList);
    expect(() => parseJournaledReply({ ...reply, asked: { ...reply.asked, queries: [] } })).toThrow();
  });

  it('without cards is refused', () => {
    expect(() => parseJournaledReply(invocation)).toThrow();
  });
});

it('a message below a word begins with it, and without one is as it was', () => {
  const [plain, embeds] = [{ content: 'a card' }, { embeds: [] }];
  expect([below('why', plain), below('why', embeds)]).toEqual([
    { content: 'why\na card' },
    { content: 'why', embeds: [] },
  ]);
  expect(below(undefined, plain)).toBe(plain);
});
