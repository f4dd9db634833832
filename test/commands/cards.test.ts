import fc from 'fast-check';
import { expect, it } from 'vitest';
import cards from '../../commands/cards.ts';
import type { View } from '../../commands/command.ts';
import { readMessage } from '../../sandbox/discord/message-rules.ts';
import type { Outcome } from '../../src/lookup/lookups.ts';
import { Card } from '../../src/model/card.ts';
import { Busy, type CardServiceError, KeyRefused, ServiceDown } from '../../src/model/errors.ts';
import { totalLength } from '../../src/render/card-embed.ts';
import { LANGUAGES } from '../../src/render/languages.ts';
import { formatMessage } from '../../src/render/messages.ts';
import { currency, momentMs, nastyText, price, quotaState, serviceCard } from '../render/service-answers.ts';
import { askedFor } from '../replies/replies-over.ts';
import { idsOf, PUBLIC, pressed, startServices } from './commands.ts';

const DRAKE = { id: 'base1-0', name: 'Ember Drake' };
const HARE = { id: 'base1-1', name: 'Candle Hare' };
const BUSY = new Busy({ untilMs: 1e12, paused: false });

it.each([
  ['is opened in private, below cards that all see', 1, [DRAKE, HARE], [['cards:choose:', 'card:delete']]],
  ['is a button where it is one card', 1, [HARE], [['card:show::base1-1', 'card:delete']]],
  ['is a menu where there is nothing else', 0, [DRAKE, HARE], [['card:show:'], ['card:delete']]],
])('what the texts of a list may mean %s', (_, found, meant, ids) => {
  const unclear = [{ text: 'ember', cards: meant, total: 0 }];
  const asked = { ...askedFor(...Array(found).fill('base1-0')), unclear };
  const outcomes = { cards: Array(found).fill({ answer: { card: DRAKE, fetchedAtMs: 0 } }), requests: 0 };
  expect(idsOf(cards.show(asked, outcomes, PUBLIC))).toEqual(ids);
});

it('a list without an answer can be taken back', () => {
  const shown = cards.show(askedFor('a', 'b'), { cards: [{ error: BUSY }, { error: BUSY }], requests: 0 }, PUBLIC);
  expect(idsOf(shown)).toEqual([['card:delete']]);
});

it('a button whose texts cannot be searched now is not taken for an old one', async () => {
  const { services } = await startServices();
  const resolveList = async () => ({ ids: [], unclear: [], unsearched: ['golem'] });
  const use = pressed('choose:', [], { content: '**golem**: did you mean Wax Golem?' });
  const shown = await cards.component(use, { ...services, catalog: { ...services.catalog, resolveList } });
  expect(shown).toMatchObject({ message: { content: formatMessage('en-US', 'namesUnsearched') } });
});

/** What a list shows by what came of its cards, each of which is named by its id. */
function shownOf(
  came: [id: string, Outcome?][],
  { requests = 0, ...view }: Partial<View> & { requests?: number } = {},
) {
  const outcomes = { cards: came.map(([, outcome]) => outcome), requests };
  const { content, embeds = [] } = cards.show(askedFor(...came.map(([id]) => id)), outcomes, { ...PUBLIC, ...view });
  return { content, embeds };
}

const MISSING: Outcome = { answer: { card: undefined, fetchedAtMs: 0 } };
const PICTURED = { id: 'a-1', name: 'A', game: 'T', set: { id: 's', name: 'S' }, imageUrl: 'https://x.test/a.png' };
const CAME: [string, Outcome] = ['a-1', { answer: { card: Card.parse(PICTURED), fetchedAtMs: 0 } }];

it('a card that is known not to exist is not found, although that could not be asked anew, and while it is', () => {
  const unreachable = new ServiceDown({ reason: 'unreachable' });
  expect(shownOf([['a', { ...MISSING, error: unreachable }]]).content).toBe('Not found: **a**');
  expect(shownOf([['no-1', { ...MISSING, isRenewing: true }]]).content).toContain('no\\-1');
});

it('a list shows a large picture of a single card, and a small one of each of several, also of the first', () => {
  const picture = { description: 'Picture of A' };
  expect(shownOf([CAME]).embeds).toMatchObject([{ image: picture }]);
  expect(shownOf([CAME, ['b']]).embeds).toMatchObject([{ thumbnail: picture }]);
});

it('a list says what it cost below its last card, and only once all have come', () => {
  const quota = { remaining: 612, limit: 1_000, resetsAtMs: 0, receivedAtMs: 0 };
  const footer = (last: Outcome) =>
    shownOf([CAME, ['a-1', { ...CAME[1], ...last }]], { requests: 2, quota }).embeds[1]?.footer?.text;
  expect([footer({}), footer({ isRenewing: true })]).toEqual([
    'a-1 · 2 new lookups used · 612 of 1,000 new lookups left today',
    'a-1',
  ]);
});

it.each([
  ['es-ES', '**Abra** e **Ivysaur**'],
  ['en-US', '**Abra** and **Ivysaur**'],
])('joins names as %s does: in Spanish by the first letter that is read', (locale, names) => {
  const missing = ['Abra', 'Ivysaur'].map((id): [string, Outcome] => [id, MISSING]);
  expect(shownOf(missing, { locale }).content).toContain(names);
});

const error = fc.constantFrom<CardServiceError>(new KeyRefused({ status: 401 }), BUSY);
const answer = fc.record({
  card: serviceCard.map((card) => Card.parse(card)),
  ...{ fetchedAtMs: momentMs, delistedAtMs: momentMs, history: fc.array(fc.tuple(momentMs, price)) },
});
const shown = fc.oneof(
  ...[fc.record({ answer }), fc.record({ answer, error }), fc.record({ answer, isRenewing: fc.constant(true) })],
);
/** What came of an id, or nothing yet; or of what is no id. */
const notShown = fc.oneof(fc.record({ error }), fc.constantFrom(MISSING, undefined, 'unclear', 'unsearched'));

it.each(LANGUAGES)('ten cards and ten that are missing fit into a message in %s, whatever they hold', (locale) => {
  const came = fc.array(fc.record({ outcome: shown, showPrices: fc.boolean() }), { maxLength: 10 });
  const missing = fc.array(fc.record({ text: nastyText, outcome: notShown }), { minLength: 1, maxLength: 10 });
  const view = fc.record({ quota: quotaState, currency });
  fc.assert(
    fc.property(came, missing, fc.nat(10), view, (came, missing, requests, view) => {
      const textsOf = (kind: string) => missing.filter(({ outcome }) => outcome === kind).map(({ text }) => text);
      const unclear = textsOf('unclear');
      const similar = Array.from({ length: 3 }, (_, at) => ({ id: `${at}`, name: unclear[at] ?? `Name ${at}` }));
      const queries = came.map(({ outcome, showPrices }) => ({ cardId: outcome.answer.card.id, showPrices }));
      const cardsOf: (Outcome | undefined)[] = came.map(({ outcome }) => outcome);
      for (const { text, outcome } of missing) {
        if (typeof outcome === 'string') continue;
        queries.push({ cardId: text, showPrices: true });
        cardsOf.push(outcome);
      }
      const message = cards.show(
        {
          ...{ ...askedFor(), queries, unsearched: textsOf('unsearched') },
          unclear: unclear.map((text) => ({ text, cards: similar, total: 0 })),
        },
        { cards: cardsOf, requests },
        { ...PUBLIC, ...view, locale },
      );
      expect(message.embeds).toHaveLength(came.length);
      expect(totalLength(message.embeds ?? [])).toBeLessThanOrEqual(6_000);
      expect(() => readMessage(message)).not.toThrow();
      expect(JSON.stringify(message)).not.toMatch(/NaN|undefined/);
    }),
    { numRuns: 30 },
  );
});
