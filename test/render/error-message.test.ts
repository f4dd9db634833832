import { describe, expect, it, onTestFinished, vi } from 'vitest';
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
import { errorMessage } from '../../src/render/error-message.ts';
import { formatMessage } from '../../src/render/messages.ts';

const NOON_MS = Date.UTC(2026, 10, 20, 12);
const HOUR_MS = 3_600_000;
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
