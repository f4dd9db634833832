import { expect, it } from 'vitest';
import { type Breaker, CLOSED_BREAKER } from '../../src/model/quota.ts';
import { usageState } from '../../src/render/usage-state.ts';

const NOON_MS = Date.UTC(2026, 10, 20, 12);
const NOON = NOON_MS / 1000;
const DOWN: Breaker = {
  state: 'open',
  reason: 'outage',
  sinceMs: NOON_MS - 25_000,
  untilMs: NOON_MS + 5_000,
  failures: 3,
};

it.each<[string, Breaker, string, boolean]>([
  ['requests flow', CLOSED_BREAKER, 'Requests go out as cards are asked for.', true],
  [
    'one was not answered',
    { ...CLOSED_BREAKER, failures: 1 },
    'The card service did not answer just now. Requests still go out.',
    false,
  ],
  [
    'it is closed for an outage',
    DOWN,
    `The card service does not answer. Last tried <t:${NOON - 25}:R>, next at <t:${NOON + 60}:t>.`,
    false,
  ],
  [
    'the next try is due: an outage lasts until one has succeeded',
    { ...DOWN, untilMs: NOON_MS },
    `The card service does not answer. Last tried <t:${NOON - 25}:R>; the next question tries again.`,
    false,
  ],
  [
    'the try is under way',
    { ...DOWN, untilMs: NOON_MS - 1, state: 'halfOpen' },
    `The card service does not answer. Last tried <t:${NOON - 25}:R>; a new try is under way.`,
    false,
  ],
  [
    'the day is spent',
    { ...DOWN, reason: 'day', untilMs: NOON_MS + 12 * 3_600_000 },
    `Today's requests to the card service are used up. Last tried <t:${NOON - 25}:R>, next at <t:${NOON + 43_200}:t>.`,
    false,
  ],
  [
    'the service asked for a pause',
    { ...DOWN, reason: 'pause', untilMs: NOON_MS + 60_000 },
    `The card service asked us to wait. Last tried <t:${NOON - 25}:R>, next at <t:${NOON + 60}:t>.`,
    false,
  ],
  [
    'the key is refused',
    { ...DOWN, reason: 'key', untilMs: NOON_MS + 60_000 },
    `The card service does not accept this bot's API key: check CARD_SERVICE_API_KEY. Last tried <t:${NOON - 25}:R>, next at <t:${NOON + 60}:t>.`,
    false,
  ],
])('says the state at this second: %s', (_, breaker, words, isWell) => {
  expect(usageState('en-US', breaker, NOON_MS)).toEqual({ words, isWell });
});
