import { beforeEach, describe, expect, it } from 'vitest';
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
  UnexpectedAnswer,
} from '../../src/model/errors.ts';
import en from '../../src/render/languages/en.json' with { type: 'json' };
import { copyNote, errorMessage, formatMessage, timePast, timeToCome } from '../../src/render/messages.ts';
import { fakeTimers } from '../support/fake-timers.ts';
import { expectSaid, table } from '../table.ts';

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

// A member should not return too early; three seconds are what a Date header leaves open, and the jitter of a wait.
it.each(table`
  is a clock time | ${HOUR_MS} | clock <t:${NOON + 3_600}:t>
  has its seconds within two minutes | 6500 | clock <t:${NOON + 7}:T>
  has its seconds until two minutes | 119999 | clock <t:${NOON + 120}:T>
  is a full minute from then on | 120000 | clock <t:${NOON + 120}:t>
  is the next full minute | 123001 | clock <t:${NOON + 180}:t>
  is not a minute later for three seconds | 3603000 | clock <t:${NOON + 3_600}:t>
  has no date when it is 20 hours away | ${20 * HOUR_MS} | clock <t:${NOON + 72_000}:t>
  has a date when it is further away | ${20 * HOUR_MS + 3_001} | date <t:${NOON + 72_060}:f>
  is "now" once it is past | 0 | now
  is "now" long after it, too | ${-HOUR_MS} | now
  is "soon" when it is not known | | soon
`)('a time to come in a sentence %s', (_, awayMs, shown) => {
  const { when, time } = timeToCome(awayMs ? NOON_MS + Number(awayMs) : undefined, NOON_MS);
  expect(`${when} ${time}`.trim()).toBe(shown);
});

it.each(table`
  is a clock time | ${HOUR_MS} | <t:${NOON - 3_600}:t>
  is never one to come | 1 | <t:${NOON - 1}:t>
  has a date when it is over 20 hours ago | ${21 * HOUR_MS} | <t:${NOON - 75_600}:f>
`)(
  'a time past %s',
  expectSaid((agoMs) => timePast(NOON_MS - Number(agoMs), NOON_MS)),
);

it('the compiler requires every argument, and no other', () => {
  // @ts-expect-error an argument is missing, and the sentence is shown without it
  expect(formatMessage('en-US', 'permitAt')).toBe("You're in line. Your card should be here around .");
  // @ts-expect-error no such argument
  formatMessage('en-US', 'broken', { time: '' });
  // @ts-expect-error no such message
  expect(() => formatMessage('en-US', 'fixed')).toThrow();
});

const untilMs = NOON_MS + HOUR_MS;
const AT_ONE = `<t:${untilMs / 1000}:t>`;
const NEW_ONES = `Cards I already know still work. New ones work again after ${AT_ONE}.`;
const REFRESHED = `Prices can be refreshed again at ${AT_ONE}.`;
const COPY = 'Showing a saved copy';
const BUSY = new Busy({ untilMs, paused: true });
const OUTSIDE = 'Outside servers that added me, everyone shares 200 new lookups a day.';
const NO_ID = "lease type a card's name, or an id such as `base1-4`";

describe('an error has a text for members, without what only operators can use, and one on a saved copy', () => {
  beforeEach(() => fakeTimers({ now: NOON_MS }));

  // Of the others docs/replies/words.txt has the sentences.
  it.each<[CardServiceError, sentences: string]>([
    [
      new Busy({ untilMs: NOON_MS + 120_000, paused: true }),
      `The card service asked for a short break. Try again after <t:${NOON + 120}:t>.`,
    ],
    [new KeptInReserve({ untilMs }), REFRESHED],
    [
      new BudgetSpent({ whose: 'server', cap: 1, untilMs }),
      `This server has used its one new lookup for today. ${NEW_ONES}`,
    ],
    [new BudgetSpent({ whose: 'foreign', cap: 200, untilMs }), `${OUTSIDE} Today's are used up. ${NEW_ONES}`],
    [
      new BudgetSpent({ whose: 'foreign', cap: 0 }),
      'I only look up new cards in servers that added me. Cards I already know still work.',
    ],
    [new PlanRefused(), "My plan with the card service doesn't allow new lookups. Please tell whoever runs me."],
    [new ServiceDown({ reason: 'silence' }), "The card service isn't answering right now. Try again in a minute."],
    [new RateLimited({ seconds: 5 }), 'The card service asked me to wait. Try again in a minute.'],
    [new Stopping(), "I'm restarting. Try again in a minute."],
    [new InvalidCardId({ reason: 'tooLong' }), `That's too long. P${NO_ID}, with at most 100 characters.`],
    ...(['empty', 'halfCharacter', 'controlCharacter', 'dotsOnly'] as const).map(
      (reason): [CardServiceError, string] => [new InvalidCardId({ reason }), `P${NO_ID}.`],
    ),
    [
      new UnexpectedAnswer({ detail: 'name: secret detail' }),
      'The card service sent something unexpected. Please try again later.',
    ],
  ])('%s', (error, sentences) => {
    const shown = errorMessage('en-US', error);
    expect(shown).toBe(sentences);
    expect(shown).not.toContain(':R>'); // counts down to what is past for ever
  });

  it.each<[CardServiceError, note: string]>([
    [new QuotaSpent({ per: 'day', untilMs }), REFRESHED],
    [new KeptInReserve({ untilMs }), REFRESHED],
    [BUSY, `${COPY}: it's busy right now.`],
    [new KeyRefused({ status: 401 }), `${COPY}: I can't reach the card service.`],
    [new PlanRefused(), `${COPY}: my plan doesn't allow new lookups.`],
    [new RateLimited({ seconds: 5 }), `${COPY} for now.`],
  ])('%s on a saved copy', (error, note) => {
    expect(copyNote('en-US', { error })).toBe(note);
  });
});

it('members read of no variable, key, log, queue or cache, except in /usage, which is for admins', () => {
  const texts = Object.entries(en).filter(([key]) => !key.startsWith('@'));
  const forAdmins = texts.findIndex(([key]) => key === 'working');
  expect(forAdmins).toBeGreaterThan(0);
  const forMembers = texts.slice(0, forAdmins).map(([, text]) => text);
  expect(forMembers.join('\n')).not.toMatch(/[A-Z]+_[A-Z]+|\b(keys?|log|queue|cache|quota|permit|request)\b/i);
});
