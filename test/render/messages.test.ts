import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  BudgetSpent,
  Busy,
  type CardServiceError,
  InvalidCardId,
  KeptInReserve,
  KeyRefused,
  PlanRefused,
  QuotaSpent,
  RateLimited,
  ServiceDown,
  Stopping,
  TooManyCommands,
  UnexpectedAnswer,
} from '../../src/model/errors.ts';
import en from '../../src/render/languages/en.json' with { type: 'json' };
import { copyNote, errorMessage, formatMessage, timePast, timeToCome } from '../../src/render/messages.ts';

describe('a message', () => {
  it.each(['0 cards', '1 card', '2 cards', '1,234 cards'])('counts %s', (shown) => {
    const cards = Number.parseInt(shown.replace(',', ''), 10);
    expect(formatMessage('en-US', 'waitingCards', { cards })).toBe(shown);
  });

  it('is in the language of its reader, with the figures of their region', () => {
    const since = Date.UTC(2026, 10, 9);
    const shown = (locale: string) => [
      formatMessage(locale, 'leftToday', { per: 'day', remaining: 12_345 }).replace(/\s/g, ' '),
      formatMessage(locale, 'busiestHour', { hour: '7', requests: 12_345, saved: 0 }),
      formatMessage(locale, 'priceCurve', { curve: '▁', range: '2', since }),
    ];
    const [ofSpain, ofMexico] = [shown('es-ES'), shown('es-419')].map((texts) => texts.join('\n'));
    expect(ofMexico).toBe(ofSpain?.replaceAll('12.345', '12,345'));
    expect(shown('en-US').join('\n')).toContain('Nov 9');
    expect(shown('en-GB').join('\n')).toContain('9 Nov');
  });

  it('has the figures of English where it is English for want of a translation', () => {
    expect(formatMessage('xx', 'waitingCards', { cards: 1_234 })).toBe('1,234 cards');
  });

  it('shows its arguments unchanged, whatever they contain', () => {
    const name = "'{x}' <b>&</b> {count, plural, other {#}} # ''";
    expect(formatMessage('en-US', 'pictureOf', { name })).toBe(`Picture of ${name}`);
  });
});

const NOON_MS = Date.UTC(2026, 10, 20, 12);
const NOON = NOON_MS / 1000;
const HOUR_MS = 3_600_000;

it.each<[string, number | undefined, string]>([
  ['is a clock time', HOUR_MS, `clock <t:${NOON + 3_600}:t>`],
  // A member should not return too early.
  ['has its seconds within two minutes', 6_500, `clock <t:${NOON + 7}:T>`],
  ['has its seconds until two minutes', 119_999, `clock <t:${NOON + 120}:T>`],
  ['is a full minute from then on', 120_000, `clock <t:${NOON + 120}:t>`],
  ['is the next full minute', 123_001, `clock <t:${NOON + 180}:t>`],
  // What a Date header leaves open, and the jitter of a wait.
  ['is not a minute later for three seconds', 3_603_000, `clock <t:${NOON + 3_600}:t>`],
  ['has no date when it is 20 hours away', 20 * HOUR_MS, `clock <t:${NOON + 72_000}:t>`],
  ['has a date when it is further away', 20 * HOUR_MS + 3_001, `date <t:${NOON + 72_060}:f>`],
  ['is "now" once it is past', 0, 'now '],
  ['is "now" long after it, too', -HOUR_MS, 'now '],
  ['is "soon" when it is not known', undefined, 'soon '],
])('a time to come in a sentence %s', (_, awayMs, shown) => {
  const { when, time } = timeToCome(awayMs === undefined ? undefined : NOON_MS + awayMs, NOON_MS);
  expect(`${when} ${time}`).toBe(shown);
});

it.each([
  ['is a clock time', HOUR_MS, `<t:${NOON - 3_600}:t>`],
  ['is never one to come', 1, `<t:${NOON - 1}:t>`],
  ['has a date when it is over 20 hours ago', 21 * HOUR_MS, `<t:${NOON - 75_600}:f>`],
])('a time past %s', (_, agoMs, shown) => {
  expect(timePast(NOON_MS - agoMs, NOON_MS)).toBe(shown);
});

it('the compiler requires every argument, and no other', () => {
  // @ts-expect-error an argument is missing, and the sentence is shown without it
  expect(formatMessage('en-US', 'permitAt')).toBe("You're in line. Your card should be here around .");
  // @ts-expect-error no such argument
  formatMessage('en-US', 'broken', { time: '' });
  // @ts-expect-error no such message
  expect(() => formatMessage('en-US', 'fixed')).toThrow();
});

const AT_ONE = `<t:${(NOON_MS + HOUR_MS) / 1000}:t>`;
const untilMs = NOON_MS + HOUR_MS;
const AFTER_ONE = `Try again after ${AT_ONE}.`;
const NEW_ONES = `Cards I already know still work. New ones work again after ${AT_ONE}.`;
const REFRESHED = `Prices can be refreshed again at ${AT_ONE}.`;
const COPY = 'Showing a saved copy';
const NO_ID = "Please type a card's name, or an id such as `base1-4`.";
const TOO_LONG = "That's too long. Please type a card's name, or an id such as `base1-4`, with at most 100 characters.";
const SHORT_BREAK = `The card service asked for a short break. Try again after <t:${NOON + 120}:t>.`;
const UNEXPECTED = 'The card service sent something unexpected. Please try again later.';

describe('every error has a text for members, without what only operators can use, and one on a saved copy', () => {
  beforeEach(() => void vi.useFakeTimers({ now: NOON_MS }));
  afterEach(() => void vi.useRealTimers());

  it.each<[CardServiceError, sentences: string, onCopy?: string]>([
    [new QuotaSpent({ per: 'day', untilMs }), `Today's new lookups are used up. ${NEW_ONES}`, REFRESHED],
    [new Busy({ untilMs, paused: false }), `It's busy right now. ${AFTER_ONE}`],
    [
      new Busy({ untilMs, paused: true }),
      `The card service asked me to wait. ${AFTER_ONE}`,
      `${COPY}: it's busy right now.`,
    ],
    [new Busy({ untilMs: NOON_MS + 120_000, paused: true }), SHORT_BREAK],
    [new KeptInReserve({ untilMs }), REFRESHED, REFRESHED],
    [
      new BudgetSpent({ whose: 'member', cap: 100, untilMs }),
      `You've used your 100 new lookups for today. ${NEW_ONES}`,
    ],
    [
      new BudgetSpent({ whose: 'server', cap: 1, untilMs }),
      `This server has used its one new lookup for today. ${NEW_ONES}`,
    ],
    [
      new BudgetSpent({ whose: 'foreign', cap: 200, untilMs }),
      `Outside servers that added me, everyone shares 200 new lookups a day. Today's are used up. ${NEW_ONES}`,
    ],
    [
      new BudgetSpent({ whose: 'foreign', cap: 0 }),
      'I only look up new cards in servers that added me. Cards I already know still work.',
    ],
    [
      new KeyRefused({ status: 401 }),
      "I can't reach the card service right now. Please tell whoever runs me.",
      `${COPY}: I can't reach the card service.`,
    ],
    [
      new PlanRefused(),
      "My plan with the card service doesn't allow new lookups. Please tell whoever runs me.",
      `${COPY}: my plan doesn't allow new lookups.`,
    ],
    [
      new ServiceDown({ reason: 'silence' }),
      "The card service isn't answering right now. Try again in a minute.",
      `${COPY}: the card service isn't answering.`,
    ],
    [new ServiceDown({ reason: 'silence', untilMs }), `The card service isn't answering right now. ${AFTER_ONE}`],
    [new UnexpectedAnswer({ detail: 'name: secret detail' }), UNEXPECTED],
    [new RateLimited({ seconds: 5 }), 'The card service asked me to wait. Try again in a minute.', `${COPY} for now.`],
    [new Stopping(), "I'm restarting. Try again in a minute."],
    [new TooManyCommands({ untilMs }), `Slow down a little. ${AFTER_ONE}`],
    [new InvalidCardId({ reason: 'tooLong' }), TOO_LONG],
    ...(['empty', 'halfCharacter', 'controlCharacter', 'dotsOnly'] as const).map(
      (reason): [CardServiceError, string] => [new InvalidCardId({ reason }), NO_ID],
    ),
  ])('%s', (error, sentences, onCopy) => {
    if (onCopy !== undefined) expect(copyNote('en-US', { error })).toBe(onCopy);
    const shown = errorMessage('en-US', error);
    expect(shown).toBe(sentences);
    expect(shown).not.toMatch(/detail|401|silence/);
    expect(shown).not.toContain(':R>'); // counts down to what is past for ever
    expect(shown.length).toBeLessThanOrEqual(2_000);
  });
});

it('members read of no variable, key, log, queue or cache, except in /usage, which is for admins', () => {
  const texts = Object.entries(en).filter(([key]) => !key.startsWith('@'));
  const forAdmins = texts.findIndex(([key]) => key === 'working');
  expect(forAdmins).toBeGreaterThan(0);
  const forMembers = texts.slice(0, forAdmins).map(([, text]) => text);
  expect(forMembers.join('\n')).not.toMatch(/[A-Z]+_[A-Z]+|\b(keys?|log|queue|cache|quota|permit|request)\b/i);
});
