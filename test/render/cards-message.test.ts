import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readMessage } from '../../sandbox/discord/message-rules.ts';
import { Busy, type CardServiceError, KeyRefused } from '../../src/model/errors.ts';
import { type CardsView, cardsMessage, totalLength } from '../../src/render/cards-message.ts';
import { LANGUAGES } from '../../src/render/languages.ts';
import { formatMessage } from '../../src/render/messages.ts';
import { CardAnswer } from '../../src/service/answers.ts';
import { currency, momentMs, nastyText, quotaState, serviceCard } from './service-answers.ts';

const error = fc.constantFrom<CardServiceError>(
  new KeyRefused({ status: 401 }),
  new Busy({ untilMs: 1e12, paused: false }),
);

it.each(LANGUAGES)(
  'ten cards and ten that are missing are a message that Discord accepts in %s, whatever they hold',
  (locale) => {
    const view = fc
      .record({
        card: serviceCard,
        fetchedAtMs: momentMs,
        delistedAtMs: momentMs,
        showPrices: fc.boolean(),
        currency,
      })
      .map(({ card, fetchedAtMs, delistedAtMs, ...more }) => {
        const note = formatMessage(locale, 'renewing');
        return {
          ...more,
          locale,
          note,
          quota: undefined,
          card: CardAnswer.parse(card),
          answer: { fetchedAtMs, delistedAtMs },
        };
      });
    fc.assert(
      fc.property(
        fc.array(view, { maxLength: 10 }),
        fc.array(fc.record({ cardId: nastyText, error, kind: fc.nat(3) }), { maxLength: 10 }),
        fc.record({
          toCome: fc.nat(10),
          isEnd: fc.boolean(),
          fromMemory: fc.nat(10),
          requested: fc.nat(10),
          requests: fc.nat(10),
        }),
        fc.record({ quota: quotaState, locale: fc.constant(locale) }),
        (views, missing, counts, more) => {
          fc.pre(views.length + missing.length + counts.toCome > 0);
          const [failed = [], ...others] = [0, 1, 2, 3].map((kind) => missing.filter((each) => each.kind === kind));
          const [notFound = [], unclear = [], unsearched = []] = others.map((each) => each.map(({ cardId }) => cardId));
          const cards = Array.from({ length: 3 }, (_, at) => ({ id: `${at}`, name: unclear[at] ?? `Name ${at}` }));
          const texts = unclear.map((text) => ({ text, cards, total: 0 }));
          const message = cardsMessage({ views, failed, notFound, unclear: texts, unsearched, ...counts, ...more });
          expect(message.embeds).toHaveLength(views.length);
          expect(totalLength(message.embeds)).toBeLessThanOrEqual(6_000);
          expect(() => readMessage(message)).not.toThrow();
        },
      ),
      { numRuns: 30 },
    );
  },
);

/** What a list of these cards shows while as many are still to come. */
function embedsOf(views: CardsView['views'], toCome: number) {
  return cardsMessage({
    ...{ views, notFound: [], failed: [], unclear: [], unsearched: [], toCome, isEnd: toCome === 0 },
    ...{ fromMemory: views.length, requested: 0, requests: 0, quota: undefined, locale: 'en-US' },
  }).embeds;
}

const LOOK = { answer: { fetchedAtMs: 0 }, showPrices: true, locale: 'en-US', currency: undefined, quota: undefined };

it('says what is not there at once when only that is renewed', () => {
  const { content } = cardsMessage({
    ...{ views: [], notFound: ['no-1'], failed: [], unclear: [], unsearched: [], toCome: 0, isEnd: false },
    ...{ requests: 0, quota: undefined, locale: 'en-US' },
  });
  expect(content).toContain('no\\-1');
});

it('shows small pictures in a list, from its first card on, and a large one of a single card', () => {
  const card = CardAnswer.parse({
    id: 'a-1',
    name: 'A',
    tcg: 'T',
    set: { id: 's', name: 'S' },
    imageUrl: 'https://x.test/a.png',
  });
  const pictures = (cards: number, toCome: number) =>
    embedsOf(Array(cards).fill({ ...LOOK, card }), toCome).map(({ image, thumbnail }) => [
      image?.description,
      thumbnail?.description,
    ]);

  expect(pictures(1, 0)).toEqual([['Picture of A', undefined]]);
  expect(pictures(1, 1)).toEqual([[undefined, 'Picture of A']]);
  expect(pictures(2, 0)).toEqual(Array(2).fill([undefined, 'Picture of A']));
});

it('says what a list cost below its last card, once all have come, and only if it cost anything', () => {
  const card = (id: string) => CardAnswer.parse({ id, name: 'A', tcg: 'T', set: { id: 's', name: 'S' } });
  const views = ['a-1', 'a-2'].map((id) => ({ ...LOOK, card: card(id) }));
  const shown = (requests: number, isEnd: boolean) => {
    const { content, embeds } = cardsMessage({
      ...{ views, notFound: [], failed: [], unclear: [], unsearched: [], toCome: 0, isEnd, requests },
      ...{
        fromMemory: 0,
        requested: 0,
        quota: { remaining: 612, limit: 1_000, resetsAtMs: 0, receivedAtMs: 0 },
        locale: 'en-US',
      },
    });
    return [content, ...embeds.map(({ footer }) => footer?.text)];
  };
  const left = '612 of 1,000 new lookups left today';
  expect(shown(2, true)).toEqual(['', 'a-1', `a-2 · 2 new lookups used · ${left}`]);
  expect(shown(0, true)).toEqual(['', 'a-1', `a-2 · ${left}`]);
  expect(shown(2, false)).toEqual(['', 'a-1', 'a-2']);
});

it('joins names as their language does: in Spanish by the first letter that is read', () => {
  const shown = (locale: string) =>
    cardsMessage({
      ...{ views: [], notFound: ['Abra', 'Ivysaur'], failed: [], unclear: [], unsearched: [], toCome: 0, isEnd: true },
      ...{ fromMemory: 0, requested: 0, requests: 0, quota: undefined, locale },
    }).content;
  expect(shown('es-ES')).toContain('**Abra** e **Ivysaur**');
  expect(shown('en-US')).toContain('**Abra** and **Ivysaur**');
});

const LONG = 'x'.repeat(250);
const LONG_CARD = CardAnswer.parse({
  ...{ id: 'i'.repeat(100), name: LONG, tcg: LONG, number: LONG, rarity: LONG, set: { id: LONG, name: LONG } },
  prices: { market: 1_234, low: 1, high: 9_999 },
});

it('many long cards give up the ends of their titles step by step, and their prices last', () => {
  const shown = (cards: number, noteLength: number) => {
    const embeds = embedsOf(Array(cards).fill({ ...LOOK, card: LONG_CARD, note: 'n'.repeat(noteLength) }), 1);
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
