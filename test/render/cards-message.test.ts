import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readMessage } from '../../sandbox/discord/message-rules.ts';
import { Card } from '../../src/model/card.ts';
import { Busy, type CardServiceError, KeyRefused } from '../../src/model/errors.ts';
import { type CardsView, cardsMessage, totalLength } from '../../src/render/cards-message.ts';
import { LANGUAGES } from '../../src/render/languages.ts';
import { formatMessage } from '../../src/render/messages.ts';
import { currency, momentMs, nastyText, price, quotaState, serviceCard } from './service-answers.ts';

const error = fc.constantFrom<CardServiceError>(
  new KeyRefused({ status: 401 }),
  new Busy({ untilMs: 1e12, paused: false }),
);

it.each(LANGUAGES)('ten cards and ten that are missing fit into a message in %s, whatever they hold', (locale) => {
  const look = { locale, note: formatMessage(locale, 'renewing'), quota: undefined };
  const view = fc.record({
    card: serviceCard.map((card) => Card.parse(card)),
    answer: fc.record({ fetchedAtMs: momentMs, delistedAtMs: momentMs, history: fc.array(fc.tuple(momentMs, price)) }),
    showPrices: fc.boolean(),
    currency,
  });
  const cards = fc.array(
    view.map((each) => ({ ...look, ...each })),
    { maxLength: 10 },
  );
  const missing = fc.array(fc.record({ cardId: nastyText, error, kind: fc.nat(3) }), { minLength: 1, maxLength: 10 });
  const counts = fc.record({ toCome: fc.nat(10), isEnd: fc.boolean(), requests: fc.nat(10), quota: quotaState });
  fc.assert(
    fc.property(cards, missing, counts, (views, all, counts) => {
      const [failed = [], ...others] = [0, 1, 2, 3].map((kind) => all.filter((each) => each.kind === kind));
      const [notFound = [], unclear = [], unsearched = []] = others.map((each) => each.map(({ cardId }) => cardId));
      const similar = Array.from({ length: 3 }, (_, at) => ({ id: `${at}`, name: unclear[at] ?? `Name ${at}` }));
      const texts = unclear.map((text) => ({ text, cards: similar, total: 0 }));
      const message = cardsMessage({ views, failed, notFound, unclear: texts, unsearched, locale, ...counts });
      expect(message.embeds).toHaveLength(views.length);
      expect(totalLength(message.embeds)).toBeLessThanOrEqual(6_000);
      expect(() => readMessage(message)).not.toThrow();
      expect(JSON.stringify(message)).not.toMatch(/NaN|undefined/);
    }),
    { numRuns: 30 },
  );
});

const CARD = { id: 'a-1', name: 'A', game: 'T', set: { id: 's', name: 'S' }, imageUrl: 'https://x.test/a.png' };

/** What a list of these cards shows at its end, or differing from that. */
function shownOf(cards: readonly object[], more: Partial<CardsView> & { note?: string } = {}) {
  const look = { answer: { fetchedAtMs: 0 }, showPrices: true, locale: 'en-US', currency: undefined, quota: undefined };
  const { note, ...view } = more;
  return cardsMessage({
    ...{ notFound: [], failed: [], unclear: [], unsearched: [], toCome: 0, isEnd: true, requests: 0 },
    ...{ quota: undefined, locale: 'en-US' },
    views: cards.map((card) => ({ ...look, ...(note && { note }), card: Card.parse(card) })),
    ...view,
  });
}

it('says what is not there at once when only that is renewed', () => {
  expect(shownOf([], { notFound: ['no-1'], isEnd: false }).content).toContain('no\\-1');
});

it.each([
  ['a large one of a single card', 1, 0, { image: { description: 'Picture of A' } }],
  ['a small one of the first card of a list', 1, 1, { thumbnail: { description: 'Picture of A' } }],
])('shows pictures: %s', (_, cards, toCome, picture) => {
  const { embeds } = shownOf(Array(cards).fill(CARD), { toCome, isEnd: toCome === 0 });
  expect(embeds).toMatchObject(Array(cards).fill(picture));
});

it('says what a list cost below its last card, and only once all have come', () => {
  const quota = { remaining: 612, limit: 1_000, resetsAtMs: 0, receivedAtMs: 0 };
  const end = (isEnd: boolean) => shownOf([CARD, CARD], { requests: 2, isEnd, quota }).embeds.at(-1)?.footer?.text;
  expect([end(true), end(false)]).toEqual(['a-1 · 2 new lookups used · 612 of 1,000 new lookups left today', 'a-1']);
});

it.each([
  ['es-ES', '**Abra** e **Ivysaur**'],
  ['en-US', '**Abra** and **Ivysaur**'],
])('joins names as %s does: in Spanish by the first letter that is read', (locale, names) => {
  expect(shownOf([], { notFound: ['Abra', 'Ivysaur'], locale }).content).toContain(names);
});

const LONG = 'x'.repeat(250);
const LONG_CARD = {
  ...{ id: 'i'.repeat(100), name: LONG, game: LONG, number: LONG, rarity: LONG, set: { id: LONG, name: LONG } },
  prices: { market: 1_234, low: 1, high: 9_999 },
};

it('many long cards give up the ends of their titles step by step, and their prices last', () => {
  const shown = (cards: number, noteLength: number) => {
    const { embeds } = shownOf(Array(cards).fill(LONG_CARD), { toCome: 1, isEnd: false, note: 'n'.repeat(noteLength) });
    expect(embeds).toHaveLength(cards);
    expect(totalLength(embeds)).toBeLessThanOrEqual(6_000);
    return [embeds[0]?.title?.length, embeds[0]?.description?.includes('1,234')];
  };
  expect([shown(1, 0), shown(10, 0), shown(10, 160), shown(10, 290)]).toEqual([
    [250, true],
    [120, true],
    [80, true],
    [60, false],
  ]);
});
