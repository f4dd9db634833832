import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Busy, type CardServiceError, KeyRefused } from '../../src/model/errors.ts';
import { totalLength } from '../../src/render/card-embeds.ts';
import { cardsMessage } from '../../src/render/cards-message.ts';
import { formatMessage } from '../../src/render/messages.ts';
import { parseForm } from '../../src/sandbox/discord/form-error.ts';
import { MessageForm } from '../../src/sandbox/discord/message-rules.ts';
import { CardAnswer } from '../../src/service/answers.ts';
import { currency, locale, momentMs, nastyText, quotaState, serviceCard } from './service-answers.ts';

const error = fc.constantFrom<CardServiceError>(
  new KeyRefused({ status: 401 }),
  new Busy({ untilMs: 1e12, paused: false }),
);

it('ten cards and ten that are missing are a message that Discord accepts, whatever they hold', () => {
  const view = fc
    .record({
      card: serviceCard,
      fetchedAtMs: momentMs,
      delistedAtMs: momentMs,
      showPrices: fc.boolean(),
      currency,
      locale,
    })
    .map(({ card, fetchedAtMs, delistedAtMs, ...more }) => {
      const note = formatMessage(more.locale, 'renewing');
      return { ...more, note, quota: undefined, card: CardAnswer.parse(card), answer: { fetchedAtMs, delistedAtMs } };
    });
  fc.assert(
    fc.property(
      fc.array(view, { minLength: 1, maxLength: 10 }),
      fc.array(fc.record({ cardId: nastyText, error, kind: fc.nat(3) }), { maxLength: 10 }),
      fc.record({
        toCome: fc.nat(10),
        isEnd: fc.boolean(),
        fromMemory: fc.nat(10),
        requested: fc.nat(10),
        requests: fc.nat(10),
      }),
      fc.record({ quota: quotaState, locale }),
      (views, missing, counts, more) => {
        const [failed = [], ...texts] = [0, 1, 2, 3].map((kind) => missing.filter((each) => each.kind === kind));
        const [notFound = [], unclear = [], unsearched = []] = texts.map((each) => each.map(({ cardId }) => cardId));
        const message = cardsMessage({ views, failed, notFound, unclear, unsearched, ...counts, ...more });
        expect(message.embeds).toHaveLength(views.length);
        expect(totalLength(message.embeds)).toBeLessThanOrEqual(6_000);
        expect(() => parseForm(MessageForm, message)).not.toThrow();
      },
    ),
    { numRuns: 60 },
  );
});

it('shows small pictures in a list, from its first card on, and a large one of a single card', () => {
  const card = CardAnswer.parse({
    id: 'a-1',
    name: 'A',
    tcg: 'T',
    set: { id: 's', name: 'S' },
    imageUrl: 'https://x.test/a.png',
  });
  const view = {
    card,
    answer: { fetchedAtMs: 0 },
    showPrices: true,
    locale: 'en-US',
    currency: undefined,
    quota: undefined,
  };
  const pictures = (cards: number, toCome: number) =>
    cardsMessage({
      views: Array(cards).fill(view),
      ...{ notFound: [], failed: [], unclear: [], unsearched: [] },
      toCome,
      isEnd: toCome === 0,
      fromMemory: cards,
      requested: 0,
      requests: 0,
      quota: undefined,
      locale: 'en-US',
    }).embeds.map(({ image, thumbnail }) => [image?.description, thumbnail?.description]);

  expect(pictures(1, 0)).toEqual([['Picture of A', undefined]]);
  expect(pictures(1, 1)).toEqual([[undefined, 'Picture of A']]);
  expect(pictures(2, 0)).toEqual(Array(2).fill([undefined, 'Picture of A']));
});
