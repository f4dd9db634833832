import { IntlMessageFormat } from 'intl-messageformat';
import { describe, expect, expectTypeOf, it, onTestFinished, vi } from 'vitest';
import {
  BudgetSpent,
  Busy,
  type CardServiceError,
  InvalidCardId,
  KeptInReserve,
  KeyRefused,
  QuotaSpent,
  RateLimited,
  ServiceDown,
  Stopping,
  TooManyCommands,
  UnexpectedAnswer,
} from '../../src/model/errors.ts';
import { en } from '../../src/render/languages/en.ts';
import { type ArgumentTypes, errorMessage, formatMessage, fromTime, LANGUAGES } from '../../src/render/messages.ts';

describe('a message', () => {
  it('shows when the permit is expected', () => {
    expect(formatMessage('en-US', 'permitAt', { time: '<t:1795176001:t>' })).toBe(
      'Your turn comes at <t:1795176001:t>.',
    );
  });

  it.each([
    [0, '0 requests'],
    [1, '1 request'],
    [2, '2 requests'],
    [1_234, '1,234 requests'],
  ])('counts %d', (requests, shown) => {
    expect(formatMessage('en-US', 'saved', { requests })).toBe(shown);
  });

  it.each([
    ['de', '12.345 requests left today'],
    ['en-US', '12,345 requests left today'],
    ['not a locale', '12,345 requests left today'],
    ['', '12,345 requests left today'],
    ['constructor', '12,345 requests left today'],
  ])('that has no text in the language of "%s" is English, with the numbers of the locale', (locale, shown) => {
    expect(formatMessage(locale, 'requestsLeft', { remaining: 12_345 })).toBe(shown);
  });

  it('shows its arguments unchanged, whatever they contain', () => {
    const why = "'{x}' <b>&</b> {count, plural, other {#}} # ''";
    expect(formatMessage('en-US', 'notRenewed', { why })).toBe(`This copy is not the newest. ${why}`);
  });
});

const NOON_MS = Date.UTC(2026, 10, 20, 12);
const NOON = NOON_MS / 1000;
const HOUR_MS = 3_600_000;

describe('a time to come in a sentence', () => {
  it.each<[string, number, string]>([
    ['is a clock time', HOUR_MS, `at <t:${NOON + 3_600}:t>`],
    [
      'is a full minute, since a clock time shows no seconds and a member should not return too early',
      1_001,
      `at <t:${NOON + 60}:t>`,
    ],
    [
      'is not a minute later for the part of a second that a Date header leaves open',
      3_600_999,
      `at <t:${NOON + 3_600}:t>`,
    ],
    ['has no date when it is 20 hours away', 20 * HOUR_MS, `at <t:${NOON + 72_000}:t>`],
    ['has a date when it is further away', 20 * HOUR_MS + 1_001, `on <t:${NOON + 72_060}:f>`],
    ['is "now" once it is past', 0, 'now'],
    ['is "now" long after it, too', -HOUR_MS, 'now'],
  ])('%s', (_, awayMs, shown) => {
    expect(fromTime('en-US', NOON_MS + awayMs, NOON_MS)).toBe(shown);
  });
});

describe('the compiler', () => {
  it('reads the arguments of a message from its text', () => {
    expectTypeOf<ArgumentTypes<'none'>>().toEqualTypeOf<Record<never, never>>();
    expectTypeOf<ArgumentTypes<'{a}, {b, number} {a}'>>().toEqualTypeOf<{ a: string; b: number }>();
    expectTypeOf<
      ArgumentTypes<'{a, plural, one {# {b}} other {# {c, number}}} {d, select, x {} other {{e}}}: {f}'>
    >().toEqualTypeOf<{ a: number; b: string; c: number; d: string; e: string; f: string }>();
  });

  it('requires every argument, of its type, and no other', () => {
    // @ts-expect-error an argument is missing
    expect(() => formatMessage('en-US', 'permitAt')).toThrow('time');
    // @ts-expect-error a number is not a text
    formatMessage('en-US', 'permitAt', { time: 5 });
    // @ts-expect-error no such argument
    formatMessage('en-US', 'broken', { time: '' });
    // @ts-expect-error no such message
    expect(() => formatMessage('en-US', 'fixed')).toThrow();
  });
});

const LITERAL = 0;

describe.each(Object.entries(LANGUAGES))('the language %s', (code, texts) => {
  const argumentsIn = (text: string): Set<string> => {
    const names = new Set<string>();
    JSON.stringify(new IntlMessageFormat(text, code, undefined, { ignoreTag: true }).getAst(), (_, element) => {
      if (typeof element?.value === 'string' && element.type !== LITERAL) names.add(element.value);
      return element;
    });
    return names;
  };

  it('has valid messages, each with the arguments of the English one', () => {
    for (const [key, text] of Object.entries(texts)) {
      expect([key, argumentsIn(text)]).toEqual([key, argumentsIn(en[key as keyof typeof en])]);
    }
  });
});

const AT_ONE = `at <t:${(NOON_MS + HOUR_MS) / 1000}:t>`;
const UNTIL_MS = NOON_MS + HOUR_MS;
const CARDS = 'Cards that are known are still shown.';
const ID = 'An id looks like `base1-4`.';

describe('every error has a text for members, without details that belong in the log', () => {
  it.each<[CardServiceError, string]>([
    [
      new QuotaSpent({ untilMs: UNTIL_MS }),
      `Today's requests to the card service are used up. They come back ${AT_ONE}.`,
    ],
    [
      new Busy({ untilMs: UNTIL_MS, paused: false }),
      `Too many questions are waiting for the card service. Ask again ${AT_ONE}.`,
    ],
    [new Busy({ untilMs: UNTIL_MS, paused: true }), `The card service asked us to wait. Ask again ${AT_ONE}.`],
    [
      new KeptInReserve({ untilMs: UNTIL_MS }),
      `The day's last requests are kept for cards that are not known yet; more come ${AT_ONE}.`,
    ],
    [
      new BudgetSpent({ whose: 'member', cap: 100, untilMs: UNTIL_MS }),
      `You have used the share of 100 requests a day. It comes back ${AT_ONE}. ${CARDS}`,
    ],
    [
      new BudgetSpent({ whose: 'server', cap: 100, untilMs: UNTIL_MS }),
      `This server has used the share of 100 requests a day. It comes back ${AT_ONE}. ${CARDS}`,
    ],
    [
      new KeyRefused({ status: 401 }),
      "The card service does not accept this bot's API key. Whoever runs the bot has to check CARD_SERVICE_API_KEY.",
    ],
    [new ServiceDown({ reason: 'silence' }), 'The card service does not answer at the moment. Try again in a minute.'],
    [
      new ServiceDown({ reason: 'silence', untilMs: UNTIL_MS }),
      `The card service does not answer at the moment. Try again ${AT_ONE}.`,
    ],
    [
      new UnexpectedAnswer({ detail: 'name: secret detail' }),
      'The card service answered with something this bot does not understand. Whoever runs the bot finds more in the log.',
    ],
    [new RateLimited({ seconds: 5, source: 'body' }), 'The card service asked us to wait.'],
    [new Stopping(), 'The bot is restarting. Ask again in a minute.'],
    [
      new TooManyCommands({ untilMs: UNTIL_MS }),
      'Slow down: that is more commands than anybody can type. Go on in a moment.',
    ],
    [new InvalidCardId({ reason: 'empty' }), `That is not a card id: it is empty. ${ID}`],
    [new InvalidCardId({ reason: 'halfCharacter' }), `That is not a card id: it holds half a character. ${ID}`],
    [new InvalidCardId({ reason: 'tooLong' }), `That is not a card id: it is longer than 100 characters. ${ID}`],
    [new InvalidCardId({ reason: 'controlCharacter' }), `That is not a card id: it holds a control character. ${ID}`],
    [new InvalidCardId({ reason: 'dotsOnly' }), `That is not a card id: dots alone name no card. ${ID}`],
  ])('%s', (error, sentences) => {
    vi.useFakeTimers({ now: NOON_MS });
    onTestFinished(() => void vi.useRealTimers());
    const shown = errorMessage('en-US', error);
    expect(shown).toBe(sentences);
    expect(shown).not.toMatch(/detail|401|silence/);
    expect(shown).not.toContain(':R>'); // counts down to what is past for ever
    expect(formatMessage('en-US', 'notRenewed', { why: shown }).length).toBeLessThanOrEqual(2_000);
  });

  it('gives the time with a date when it is over 20 hours away', () => {
    vi.useFakeTimers({ now: NOON_MS });
    onTestFinished(() => void vi.useRealTimers());
    const error = new QuotaSpent({ untilMs: NOON_MS + 23 * HOUR_MS });
    expect(errorMessage('en-US', error)).toMatch(/They come back on <t:\d+:f>\.$/);
  });

  it('writes numbers as the member reads them', () => {
    expect(errorMessage('de', new BudgetSpent({ whose: 'member', cap: 5_000, untilMs: UNTIL_MS }))).toContain(
      '5.000 requests',
    );
  });
});
