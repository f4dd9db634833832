import { beforeAll, describe, expect, it } from 'vitest';
import { declarations } from '../../commands/index.ts';
import { type Exchange, observe } from '../../sandbox/discord/observation.ts';
import { parseMarkdown, type Token } from '../../sandbox/page/markdown.ts';
import type { DictatedAnswer } from '../../sandbox/service/service.ts';
import { startAppBot, startBackends } from '../support/backends.ts';
import { WARN } from '../support/log-lines.ts';
import {
  cardRequests,
  IDS,
  inWorld,
  isFinal,
  offered,
  startWorld,
  storedCardIds,
  type World,
} from '../support/world.ts';

/** The types of all tokens, at any depth. */
function kinds(tokens: readonly Token[]): string[] {
  return tokens.flatMap((token) => [token.type, ...('children' in token ? kinds(token.children) : [])]);
}

function shownText(tokens: readonly Token[]): string {
  return tokens
    .map((token) => ('children' in token ? shownText(token.children) : 'text' in token ? token.text : ''))
    .join('');
}

/** Only Discord's client enforces the limits of options, so this registers the commands without any. */
async function removeOptionLimits({ discord }: World): Promise<void> {
  const typed = declarations(true).filter((each) => 'description' in each);
  const without = typed.map(({ options = [], ...data }) => ({
    ...data,
    options: options.map(({ name, type, description }) => ({ name, type, description })),
  }));
  const { status } = await fetch(`${discord.apiUrl}/v10/applications/${discord.applicationId}/commands`, {
    method: 'PUT',
    headers: {
      authorization: `Bot ${discord.botToken}`,
      'user-agent': 'DiscordBot (https://cards.example, 1.0)',
      'content-type': 'application/json',
    },
    body: JSON.stringify(without),
  });
  expect(status).toBe(200);
}

/** Tests look up different cards. Ids and names have one each: a text that a card is named like would find that. */
let world: World;
beforeAll(async () => {
  world = await startWorld({ service: { requestsPerMinute: 6_000, burst: 100, requestsPerDay: 10_000 } });
  // On a busy machine the search takes a moment to begin, and until then a text that may be a name is not asked for.
  await world.card('base1-1').settled();
  await offered(world, 'base1-1');
  await removeOptionLimits(world);
});

// Which ids, texts and addresses: card.test.ts of the model, card-embed.test.ts and formats.test.ts; here one of each kind.
describe('an id', () => {
  it.each([
    ['the parent folder', '..'],
    ['NUL', 'base1\u00004'],
    ['6,000 characters', 'x'.repeat(6_000)],
  ])('that is %s is refused in private, without a request', async (_, id) => {
    const before = cardRequests(world).length;
    const { content, ephemeral } = await world.card(id).settled();
    expect([content, ephemeral]).toEqual([expect.stringContaining('`base1-4`'), true]);
    expect(cardRequests(world)).toHaveLength(before);
  });

  it.each([
    ['a way to another endpoint', '../v1/usage'],
    ['100 emoji', '🃏'.repeat(100)],
    ['bold and a masked link', '**[free cards](https://evil.example)**'],
    ['everyone', '@everyone <@1180000000000000101> <@&1180000000000000102> <#1180000000000000103>'],
  ])('(%s) stays one segment of the path and is shown literally', async (_, id) => {
    const before = cardRequests(world).length;

    const { content } = await world.card(id).settled();

    const [path = '', ...others] = cardRequests(world).slice(before);
    const [, folder, segment = '', ...deeper] = path.split('?')[0]?.split('/') ?? [];
    expect([folder, decodeURIComponent(segment), deeper, others]).toEqual(['cards', id, [], []]);
    expect(path).toMatch(/\?includePrices=true$/);
    const tokens = parseMarkdown(content);
    expect(kinds(tokens)).toEqual(['text', 'bold', 'text', 'text']);
    const visible = id.replace(/[\u200b-\u202e\u2060]/g, '') || '(invisible)';
    expect(shownText(tokens)).toContain(`No card has the id ${visible}.`);
  });
});

describe('a card', () => {
  it.each([
    ['Markdown', '**b** __u__ ~~s~~ ||spoiler|| `code` _i_ *i* > q\n# big\n- list\n```js\nalert(1)\n```'],
    ['mentions', '@everyone <@1180000000000000101> <@&1180000000000000101> </card:1180000000000000101> <t:0:R>'],
    ['a reversed direction and zero width', '\u202eeliforp\u202c \u2066x\u2069 \u061c @every\u200bone'],
  ])('with %s in all its texts is shown as plain text', async (name, text) => {
    const id = `1 with ${name}`;
    const texts = { name: text, tcg: text, set: { id: text, name: text }, number: text, rarity: text };
    world.cardService.script({ body: { id, ...texts, prices: { market: 1 } } });

    const { embeds, state } = await world.card(id).settled();

    const [{ title = '', description = '', footer } = {}] = embeds;
    const [facts = '', prices] = description.split('\n');
    const shown = [title, facts];
    expect(state).toBe('answered');
    expect(prices).toBe('**1.00** market');
    for (const value of shown) {
      expect(new Set(kinds(parseMarkdown(value)))).toEqual(new Set(['text']));
      expect(shownText(parseMarkdown(value))).not.toMatch(/\p{Cf}/u);
    }
    expect(footer?.text).not.toMatch(/\p{Cf}|\p{Cs}/u); // no Markdown there
  });
});

/** What was sent as a callback, or as an edit. */
interface Sent {
  type?: number;
  data?: object;
}

it('every reply forbids mentions, whatever it shows', async () => {
  const { discord, cardService, env, card: lookUp, usage } = await startBackends({ requestsPerMinute: 60, burst: 4 });
  const sent: Sent[] = [];
  observe({
    // What a reply shows is read again on a busy machine, without a body.
    exchange: ({ method, route = '', sent: body }: Exchange & { sent?: Sent }) =>
      method !== 'GET' && /^\/(?:interactions|webhooks)\//.test(route) && body && sent.push(body),
    event() {},
  });
  const bot = await startAppBot({ ...env, PRICES_FRESH_SECONDS: '0' });
  await bot.wrote('gateway ready');
  const ping = {
    id: 'ping',
    name: '@everyone',
    tcg: '@here',
    set: { id: '<@1180000000000000101>', name: '@everyone' },
  };
  cardService.script({ path: 'ping', body: ping });

  await lookUp('ping').settled(); // deferred and edited
  await lookUp('nobody, @everyone').settled(); // no such card
  await lookUp('ping').until(({ edited }) => edited); // a stale copy, then the edit
  await lookUp('..').settled(); // refused in private
  await usage().settled();
  const waiting = IDS.slice(0, 20).map((id) => lookUp(id)); // more than permits come up meanwhile on a busy machine
  await waiting.at(-1)?.until(({ content }) => content.startsWith("You're in line")); // the notice of a wait
  await bot.stop();

  // A callback carries its message in `data`; the body of an edit is the message.
  const [deferrals = [], others = []] = [true, false].map((is) => sent.filter(({ type }) => (type === 5) === is));
  const messages = others.map((body) => body.data ?? body);
  expect(deferrals.length).toBeGreaterThanOrEqual(8);
  expect(messages.length).toBeGreaterThanOrEqual(7);
  expect(JSON.stringify(messages)).toContain('everyone');
  for (const message of messages) expect(message).toMatchObject({ allowed_mentions: { parse: [] } });
  expect(discord.messages().filter(({ embeds }) => embeds.length > 0)).not.toEqual([]);
});

const OTHER = 'base1-1';
const ANSWERED = { id: 'base1-4', name: 'Emberwing Drake', tcg: 'Lanternfolk', set: { id: 'base1', name: 'Set' } };
const HTML = '<!doctype html><html><body><h1>502 Bad Gateway</h1></body></html>';
const NOT_UNDERSTOOD = /^The card service sent something unexpected\./;

// Which answers are invalid, which mean an outage, and how long a 429 asks to wait: card-service.test.ts and retry-after.test.ts.
inWorld(
  'an invalid answer is described in words, logged, not requested again before a restart and not stored; other cards are unaffected',
  async (world) => {
    const invalid: DictatedAnswer[] = [
      { headers: { 'content-type': 'text/html' }, body: HTML },
      { body: { ...ANSWERED, set: undefined } },
    ];
    const shown = [];
    for (const [index, answer] of invalid.entries()) {
      world.cardService.script({ path: `odd-${index}?`, ...answer });
      const { content } = await world.card(`odd-${index}`).until(isFinal);
      const again = await world.card(`odd-${index}`).settled();
      shown.push([content, again.content === content]);
    }
    const other = await world.card(OTHER).until(isFinal);

    expect(shown).toEqual(invalid.map(() => [expect.stringMatching(NOT_UNDERSTOOD), true]));
    expect(other.embeds).toHaveLength(1);
    expect(cardRequests(world)).toHaveLength(invalid.length + 1);
    expect(storedCardIds(world.config.dataDir)).toEqual([OTHER]);
    expect(world.lines.filter(({ level }) => level === WARN).map(({ msg }) => msg)).toEqual(
      invalid.map(() => 'card request failed'),
    );
    expect(JSON.stringify(world.lines)).toContain('set: Invalid input');

    await world.restartBot();
    world.cardService.script({ path: 'odd-0?', headers: { 'content-type': 'text/html' }, body: ANSWERED });
    expect((await world.card('odd-0').settled()).embeds[0]?.title).toBe('Emberwing Drake'); // of any content type
  },
);
