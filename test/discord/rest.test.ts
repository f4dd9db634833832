import { createRequire } from 'node:module';
import { DiscordAPIError, RateLimitError, REST, Routes } from 'discord.js';
import { describe, expect, it } from 'vitest';
import type { ConnectionFault } from '../../sandbox/discord/faults.ts';
import { isFinal, pauseMs } from '../../src/discord/rest/direct-messages.ts';
import { withoutRefused } from '../../src/discord/rest/reply-sender.ts';
import {
  answered,
  failedFollowUp,
  restOptions,
  sleepsThrough,
  statedWaitSeconds,
} from '../../src/discord/rest/requests.ts';
import { createLog } from '../../src/log.ts';
import { openDiscord } from '../support/backends.ts';
import { rateLimited } from '../support/fault-forms.ts';
import { changed, expectSaid, table } from '../table.ts';

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

/** A Discord with this fault, to which each request may take that long. */
async function discordWith(answer: ConnectionFault, timeoutMs: number) {
  const discord = await openDiscord();
  discord.faults.script({ route: 'any', answer, times: 9 });
  const rest = new REST({ api: discord.apiUrl, makeRequest: (url, init) => answered(url, init, timeoutMs) });
  const route = Routes.applicationCommands(discord.applicationId);
  return { discord, rest: rest.setToken(discord.botToken), route };
}

it.each(['hang', 'stall'] as const)('a question ends at its deadline when Discord has a %s for it', async (answer) => {
  const { discord, rest, route } = await discordWith(answer, 2_999.5); // as a difference of times is
  await expect(rest.get(route)).rejects.toMatchObject({ name: 'TimeoutError' });
  expect(discord.faults.met).toBe(1);
});

it('a change is done when the head of the answer says so, whatever its body does', async () => {
  const { rest, route } = await discordWith('stall', 60_000);
  await rest.put(route, { body: [] });
});

it('a change is refused at its deadline when the body does not say why', async () => {
  const { rest, route } = await discordWith('stall', 1_000);
  await expect(rest.put(route, { body: [{ name: '' }] })).rejects.toMatchObject({ name: 'TimeoutError' });
});

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
`)(
  'whether a message to a member is refused for good: %s',
  expectSaid((error) => isFinal(errorOf(error))),
);

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
`)(
  'a message below a reply that %s',
  expectSaid((error) => failedFollowUp(errorOf(error))),
);

/** Discord's refusal with an error at each of the paths. */
function refusal(paths: readonly string[], code = 50035): DiscordAPIError {
  const errors = {};
  for (const path of paths) {
    let node: Record<string, object> = errors;
    for (const key of path.split('.')) {
      node[key] ??= {};
      node = node[key] as Record<string, object>;
    }
    node._errors = [{ code: 'URL_TYPE_INVALID_URL', message: 'Not a well formed URL.' }];
  }
  const body = { code, message: 'Invalid Form Body', ...(paths.length > 0 && { errors }) };
  return new DiscordAPIError(body, code, 400, 'POST', '', { body: undefined, files: undefined });
}

const FILE = { name: 'day.png', contentType: 'image/png', data: new Uint8Array([1]), description: 'the day' };
const DAY = {
  embeds: [{ title: 'Emberwing Drake', footer: { text: 'base1-4' }, image: { url: 'attachment://day.png' } }],
  files: [FILE],
};
const TEXT = '{"title":"Drake","footer":{"text":"base1-4"}}';
const BUTTON = '{"type":2,"custom_id":"card:1","label":"one"}';
const rowOf = (...components: string[]) => `{"type":1,"components":[${components}]}`;
const menuOf = (...options: string[]) => rowOf(`{"type":3,"custom_id":"menu","options":[${options}]}`);
const withEmoji = BUTTON.replace('}', ',"emoji":{"name":"🃏"}}');

// The message, what Discord refuses of it, and the message that is left.
it.each(table`
  a footer | embeds=[${TEXT}] | embeds.0.footer.text | embeds=[{"title":"Drake"}]
  one of several embeds | embeds=[${TEXT},{"title":"b"}] | embeds.1 | embeds=[${TEXT}]
  a text beside an embed | content="too long"; embeds=[${TEXT}] | content | embeds=[${TEXT}]
  the emoji of a button | content="a"; components=[${rowOf(withEmoji)}] | components.0.components.0.emoji.name
    | content="a"; components=[${rowOf(BUTTON)}]
  a row that is empty | content="a"; components=[${rowOf()},${rowOf(BUTTON)}] | components.0.components
    | content="a"; components=[${rowOf(BUTTON)}]
  a choice of a menu | content="a"; components=[${menuOf('{"label":"1"}', '{"label":"2"}')}]
    | components.0.components.0.options.0.label | content="a"; components=[${menuOf('{"label":"2"}')}]
  a menu that is empty | content="a"; components=[${menuOf()}] | components.0.components.0.options
    | content="a"; components=[${rowOf()}]
  nothing, where nothing that is named can be left out | content="a" | flags | nothing
  nothing, where it is not there | content="a"; embeds=[${TEXT}] | embeds.0.image.url | nothing
  nothing, where nothing would be left | content="too long" | content | nothing
`)('a message that Discord refuses is left without %s', (_, message, path = '', left) => {
  const expected = left === 'nothing' ? undefined : changed({}, left);
  expect(withoutRefused(changed({}, message), refusal([path]))).toEqual(expected);
});

it.each([
  ['whose files are refused', ['attachments.0.filename'], 50035],
  ['of which nothing is named', [], 50035],
  ['that is too large', [], 40005],
])('a message %s is left without pictures and files', (_, paths, code) => {
  const [{ image: _image, ...text } = {}] = DAY.embeds;
  expect(withoutRefused(DAY, refusal(paths, code))).toEqual({ embeds: [text] });
});

it.each([
  ['AutoMod', refusal([], 200000)],
  ['a missing permission', refusal([], 50013)],
  ['a broken connection', new Error('other side closed')],
])('nothing is left out for %s', (_, err) => {
  expect(withoutRefused(DAY, err)).toBeUndefined();
});
