import { expect, it } from 'vitest';
import { cardEmbeds, totalLength } from '../../src/render/card-embeds.ts';
import { CardAnswer } from '../../src/service/answers.ts';

const CARDS = 10;
const LONG = 'x'.repeat(250);
const CARD = CardAnswer.parse({
  ...{ id: 'i'.repeat(100), name: LONG, tcg: LONG, number: LONG, rarity: LONG, set: { id: LONG, name: LONG } },
  prices: { market: 1_234, low: 1, high: 9_999 },
});

/** Cards of which long texts are known, with a note that is never cut. */
function shown(cards: number, noteLength: number) {
  const view = { card: CARD, answer: { fetchedAtMs: 0 }, showPrices: true, locale: 'en-US', quota: undefined };
  const note = 'n'.repeat(noteLength);
  const embeds = cardEmbeds(
    Array.from({ length: cards }, () => ({ ...view, note, currency: undefined })),
    true,
  );
  const [first] = embeds;
  const { length } = embeds;
  return {
    length,
    isInLimit: totalLength(embeds) <= 6_000,
    title: first?.title?.length,
    text: first?.description ?? '',
  };
}

it('many long cards give up the ends of their titles step by step, and their prices last', () => {
  const given = [0, 160, 260].map((noteLength) => shown(CARDS, noteLength));
  const alone = shown(1, 0);
  expect([alone, ...given].map(({ title, text }) => [title, text.includes('1,234')])).toEqual([
    [250, true],
    [120, true],
    [80, true],
    [60, false],
  ]);
  expect(given.every(({ length, isInLimit }) => length === CARDS && isInLimit)).toBe(true);
});
