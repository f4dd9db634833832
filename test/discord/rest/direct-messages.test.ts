import { DiscordAPIError, RateLimitError } from 'discord.js';
import { describe, expect, it } from 'vitest';
import { failedMessage } from '../../../src/discord/rest/direct-messages.ts';

function refusal(code: number, status = 403): DiscordAPIError {
  return new DiscordAPIError({ code, message: 'refused' }, code, status, 'POST', '', {});
}

const limit = { timeToReset: 0, limit: 5, method: 'POST', hash: '', url: '', route: '', majorParameter: '' };
const tooMany = new RateLimitError({ ...limit, global: false, retryAfter: 700, sublimitTimeout: 0, scope: 'user' });

describe('a message to a member that is not sent', () => {
  it.each([
    ['who has blocked the bot', refusal(50_007)],
    ['who shares no server with it', refusal(50_278)],
    ['that Discord takes from nobody', refusal(50_035, 400)],
  ])('is refused: one %s', (_, error) => {
    expect(failedMessage(error)).toBe('refused');
  });

  it.each([
    ['channels are opened too fast', refusal(40_003)],
    ['the bot may send none for a while', refusal(40_004)],
    ['the token is refused', refusal(0, 401)],
    ['there is no answer', new Error('closed')],
  ])('has failed: %s', (_, error) => {
    expect(failedMessage(error)).toEqual({ failed: error });
  });

  it('has failed with the wait that Discord states', () => {
    expect(failedMessage(tooMany)).toEqual({ failed: tooMany, waitMs: 700 });
  });
});
