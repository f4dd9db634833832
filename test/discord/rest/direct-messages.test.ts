import { DiscordAPIError, RateLimitError } from 'discord.js';
import { expect, it } from 'vitest';
import { isFinal, pauseMs } from '../../../src/discord/rest/direct-messages.ts';
import { failedFollowUp } from '../../../src/discord/rest/requests.ts';
import { table } from '../../table.ts';

/** What the library throws for a status and a code, or for a 429 and its wait; any other text is a broken connection. */
function errorOf(text = ''): Error {
  const [status = 0, codeOrWait = 0, waitSeconds] = text.split(' ').map(Number);
  if (Number.isNaN(status)) return new Error(text);
  if (status === 429) {
    const limit = { timeToReset: 0, limit: 5, method: 'POST', hash: '', url: '', route: '', majorParameter: '' };
    return new RateLimitError({ ...limit, global: false, sublimitTimeout: 0, scope: 'user', retryAfter: codeOrWait });
  }
  const body = { code: codeOrWait, message: 'refused', retry_after: waitSeconds };
  return new DiscordAPIError(body, codeOrWait, status, 'POST', '', {});
}

it.each(table`
  who has blocked the bot | 403 50007 | true
  who shares no server with it | 403 50278 | true
  when Discord takes it from nobody | 400 50035 | true
  when channels are opened too fast | 403 40003 | false
  when the bot may send none for a while | 403 40004 | false
  when the token is refused | 401 0 | false
  when Discord states a wait | 429 700 | false
  when there is no answer | closed | false
`)('whether a message to a member is refused for good: %s', (_, error, expected) => {
  expect(`${isFinal(errorOf(error))}`).toBe(expected);
});

it.each(table`
  as long as a 429 states, and at least a second | 429 700 | 1 | 1000
  as long as a 429 states | 429 7000 | 9 | 7000
  a second when they are opened too fast | 403 40003 | 1 | 1000
  twice as long after each of these | 403 40003 | 4 | 8000
  a minute at most | 403 40003 | 40 | 60000
  as long as it states | 403 40003 90 | 1 | 90000
  not at all when one member takes none | 403 50007 | 1 | 0
  not at all when there is no answer | closed | 1 | 0
`)('for how long no channel is opened: %s', (_, error, refusals, expected) => {
  expect(pauseMs(errorOf(error), Number(refusals))).toBe(Number(expected));
});

it.each(table`
  cannot be taken at any time | 400 50035 | refused
  is moderated | 400 200000 | refused
  has a token that is over | 401 50027 | unsent
  is one too many for its command | 400 40094 | unsent
  has to wait | 429 700 | unsent
  is not confirmed | closed | failed
`)('a message below a reply that %s', (_, error, expected) => {
  expect(failedFollowUp(errorOf(error))).toBe(expected);
});
