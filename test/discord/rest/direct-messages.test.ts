import { DiscordAPIError, RateLimitError } from 'discord.js';
import { expect, it } from 'vitest';
import { isFinal, pauseMs } from '../../../src/discord/rest/direct-messages.ts';
import { failedFollowUp } from '../../../src/discord/rest/requests.ts';

function refusal(code: number, status = 403, stated = {}): DiscordAPIError {
  return new DiscordAPIError({ code, message: 'refused', ...stated }, code, status, 'POST', '', {});
}

const limit = { timeToReset: 0, limit: 5, method: 'POST', hash: '', url: '', route: '', majorParameter: '' };
const otherwise = { global: false, sublimitTimeout: 0, scope: 'user' } as const;
const tooMany = new RateLimitError({ ...limit, ...otherwise, retryAfter: 700 });

it.each<[string, unknown, boolean]>([
  ['who has blocked the bot', refusal(50_007), true],
  ['who shares no server with it', refusal(50_278), true],
  ['when Discord takes it from nobody', refusal(50_035, 400), true],
  ['when channels are opened too fast', refusal(40_003), false],
  ['when the bot may send none for a while', refusal(40_004), false],
  ['when the token is refused', refusal(0, 401), false],
  ['when Discord states a wait', tooMany, false],
  ['when there is no answer', new Error('closed'), false],
])('whether a message to a member is refused for good: %s', (_, error, expected) => {
  expect(isFinal(error)).toBe(expected);
});

it.each<[string, unknown, refusals: number, number]>([
  ['as long as a 429 states, and at least a second', tooMany, 1, 1_000],
  ['as long as a 429 states', new RateLimitError({ ...limit, ...otherwise, retryAfter: 7_000 }), 9, 7_000],
  ['a second when they are opened too fast', refusal(40_003), 1, 1_000],
  ['twice as long after each of these', refusal(40_003), 4, 8_000],
  ['a minute at most', refusal(40_003), 40, 60_000],
  ['as long as it states', refusal(40_003, 403, { retry_after: 90 }), 1, 90_000],
  ['not at all when one member takes none', refusal(50_007), 1, 0],
  ['not at all when there is no answer', new Error('closed'), 1, 0],
])('for how long no channel is opened: %s', (_, error, refusals, expected) => {
  expect(pauseMs(error, refusals)).toBe(expected);
});

it.each<[string, unknown, string]>([
  ['cannot be taken at any time', refusal(50_035, 400), 'refused'],
  ['is moderated', refusal(200_000, 400), 'refused'],
  ['has a token that is over', refusal(50_027, 401), 'unsent'],
  ['is one too many for its command', refusal(40_094, 400), 'unsent'],
  ['has to wait', tooMany, 'unsent'],
  ['is not confirmed', new Error('closed'), 'failed'],
])('a message below a reply that %s', (_, error, expected) => {
  expect(failedFollowUp(error)).toBe(expected);
});
