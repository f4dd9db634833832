import { DiscordAPIError, RateLimitError } from 'discord.js';
import { expect, it } from 'vitest';
import { isFinal } from '../../../src/discord/rest/direct-messages.ts';

function refusal(code: number, status = 403): DiscordAPIError {
  return new DiscordAPIError({ code, message: 'refused' }, code, status, 'POST', '', {});
}

const limit = { timeToReset: 0, limit: 5, method: 'POST', hash: '', url: '', route: '', majorParameter: '' };
const tooMany = new RateLimitError({ ...limit, global: false, retryAfter: 700, sublimitTimeout: 0, scope: 'user' });

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
