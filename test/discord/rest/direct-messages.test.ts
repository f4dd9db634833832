import { DiscordAPIError, RateLimitError } from 'discord.js';
import { expect, it } from 'vitest';
import { beforeNextMessageMs } from '../../../src/discord/rest/direct-messages.ts';

function refusal(code: number, status = 403): DiscordAPIError {
  return new DiscordAPIError({ code, message: 'refused' }, code, status, 'POST', '', {});
}

const limit = { timeToReset: 0, limit: 5, method: 'POST', hash: '', url: '', route: '', majorParameter: '' };
const tooMany = new RateLimitError({ ...limit, global: false, retryAfter: 700, sublimitTimeout: 0, scope: 'user' });

it.each<[string, unknown, number | undefined]>([
  ['never again to one who has blocked the bot', refusal(50_007), undefined],
  ['never again to one who shares no server with it', refusal(50_278), undefined],
  ['never again when Discord takes it from nobody', refusal(50_035, 400), undefined],
  ['later, when channels are opened too fast', refusal(40_003), 4_000],
  ['later, when the bot may send none for a while', refusal(40_004), 4_000],
  ['later, when the token is refused', refusal(0, 401), 4_000],
  ['later, when there is no answer', new Error('closed'), 4_000],
  ['after the wait that Discord states', tooMany, 700],
])('after its third failure a message to a member is sent %s', (_, error, waitMs) => {
  expect(beforeNextMessageMs(error, 3)).toBe(waitMs);
});
