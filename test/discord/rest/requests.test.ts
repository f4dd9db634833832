import { createRequire } from 'node:module';
import { DiscordAPIError, RateLimitError, REST } from 'discord.js';
import { describe, expect, it } from 'vitest';
import { restOptions, sleepsThrough, statedWaitSeconds } from '../../../src/discord/rest/requests.ts';
import { createLog } from '../../../src/log.ts';
import { openDiscord } from '../../support/backends.ts';
import { rateLimited } from '../../support/fault-forms.ts';
import { table } from '../../table.ts';

it("requests go by an agent of discord.js' own undici: that of another version takes them in another form", () => {
  const { Agent } = createRequire(import.meta.resolve('@discordjs/rest'))('undici');
  const { agent } = restOptions('https://discord.com/api', createLog({ level: 'warn', secrets: [] }));
  expect(agent).toBeInstanceOf(Agent);
});

it('a thousand invalid requests are warned of: after 10,000 in 10 minutes Discord blocks the address', async () => {
  const options = restOptions('https://discord.com/api', createLog({ level: 'warn', secrets: [] }));
  const rest = new REST({ ...options, makeRequest: async () => new Response('', { status: 403 }) });
  const counts: number[] = [];
  rest.on('invalidRequestWarning', ({ count }) => void counts.push(count));
  for (let sent = 0; sent < 1_000; sent++) await expect(rest.get('/gateway', { auth: false })).rejects.toThrow();
  expect(counts).toEqual([1_000]);
});

describe('a 429 from Discord', () => {
  it.each(table`
    to an edit is slept through while the reply can be edited | webhooks/:id/:token/messages/@original | 14 | true
    to an edit is refused beyond that | webhooks/:id/:token/messages/@original | 15 | false
    to a first answer is left to its sender, who knows the time | interactions/:id/:token/callback | 1 | false
    to a message below a reply is left to the next command | webhooks/:id/:token | 1 | false
    to a login is left to the login | gateway/bot | 1 | false
    to a registration is reported to the moderator | applications/:id/commands | 1 | false
  `)('%s', (_, route, minutes, expected) => {
    const sleeps = sleepsThrough({ route: `/${route}`, retryAfter: Number(minutes) * 60_000, timeToReset: 0 });
    expect(`${sleeps}`).toBe(expected);
  });

  it('to a message, of all that the bot sends, holds up no edit: Discord exempts replies', async () => {
    const { apiUrl, botToken, faults } = await openDiscord();
    const rest = new REST(restOptions(apiUrl, createLog({ level: 'fatal', secrets: [] }))).setToken(botToken);
    faults.script(rateLimited({ route: 'message', retryAfterSeconds: 3_600, scope: 'global' }));
    await expect(rest.post('/channels/1/messages')).rejects.toThrow(RateLimitError);
    await expect(rest.patch('/webhooks/1/token/messages/@original', { auth: false })).rejects.toThrow(DiscordAPIError);
  });

  it.each([
    ['the body, whose figure the header rounds up', '11', 10.5, 10.5],
    ['the body alone', null, 0.7, 0.7],
    ['the header alone, decimals too', '1.5', undefined, 1.5],
    ['the body when the header is a date', 'Wed, 21 Oct 2026 07:28:00 GMT', 3, 3],
    ['the header when the body is no number', '2', '10', 2],
    ['a second when neither states one', null, undefined, 1],
    ['a second instead of nothing and less than nothing', '', -1, 1],
    ['a second instead of a wait without end', 'Infinity', Number.NaN, 1],
  ])('states a wait: %s', (_, header, retryAfter, expected) => {
    expect(statedWaitSeconds(header, retryAfter)).toBe(expected);
  });
});
