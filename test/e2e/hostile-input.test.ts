import { beforeAll, describe, expect, it } from 'vitest';
import { declarations } from '../../commands/index.ts';
import type { ChatMessage } from '../../sandbox/discord/chat.ts';
import { type Exchange, observe } from '../../sandbox/discord/observation.ts';
import { parseMarkdown, type Token } from '../../sandbox/page/markdown.ts';
import { SAMPLE_CARDS } from '../../sandbox/sample-cards.ts';
import { startAppBot, startBackends } from '../support/backends.ts';
import { cardRequests, inWorld, offered, startWorld, type World } from '../support/world.ts';

const IDS = SAMPLE_CARDS.map(({ id }) => id);

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

/** For tests that look up different cards. Ids and names have one each: a text that a card is named like would find that. */
function sharedWorld(): () => World {
  let world: World;
  beforeAll(async () => {
    world = await startWorld({ service: { requestsPerMinute: 6_000, burst: 100, requestsPerDay: 10_000 } });
    // On a busy machine the search takes a moment to begin, and until then a text that may be a name is not asked for.
    await world.card('base1-1').settled();
    await offered(world, 'base1-1');
  });
  return () => world;
}

// Which ids, texts and addresses: card.test.ts of the model, card-embed.test.ts and formats.test.ts; here one of each kind.
describe('an id', () => {
  const shared = sharedWorld();

  inWorld('that is not valid is refused in private, without a request', async (world) => {
    await removeOptionLimits(world);
    const none = {
      'the parent folder': '..',
      NUL: 'base1\u00004',
      '6,000 characters': 'x'.repeat(6_000),
    };

    const shown = Object.entries(none).map(async ([name, id]) => {
      const { content, ephemeral } = await world.card(id).settled();
      return [name, content, ephemeral];
    });

    const refusal = expect.stringContaining('`base1-4`');
    expect(await Promise.all(shown)).toEqual(Object.keys(none).map((name) => [name, refusal, true]));
    expect(cardRequests(world)).toEqual([]);
  });

  it.each<[string, string]>([
    ['a way to another endpoint', '../v1/usage'],
    ['100 emoji', '🃏'.repeat(100)],
    ['bold and a masked link', '**[free cards](https://evil.example)**'],
    ['everyone', '@everyone <@1180000000000000101> <@&1180000000000000102> <#1180000000000000103>'],
  ])('(%s) stays one segment of the path and is shown literally', async (_, id) => {
    const before = cardRequests(shared()).length;

    const { content } = await shared().card(id).settled();

    const [path = '', ...others] = cardRequests(shared()).slice(before);
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
  const shared = sharedWorld();

  const TEXTS: [string, string][] = [
    ['Markdown', '**b** __u__ ~~s~~ ||spoiler|| `code` _i_ *i* > q\n# big\n- list\n```js\nalert(1)\n```'],
    ['mentions', '@everyone <@1180000000000000101> <@&1180000000000000101> </card:1180000000000000101> <t:0:R>'],
    ['a reversed direction and zero width', '\u202eeliforp\u202c \u2066x\u2069 \u061c @every\u200bone'],
  ];

  it.each(TEXTS)('with %s in all its texts is shown as plain text', async (name, text) => {
    const id = `1 with ${name}`;
    const texts = { name: text, tcg: text, set: { id: text, name: text }, number: text, rarity: text };
    shared().cardService.script({ body: { id, ...texts, prices: { market: 1 } } });

    const { embeds, state } = await shared().card(id).settled();

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
  const hasEmbed = ({ embeds }: ChatMessage) => embeds.length > 0;
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
  expect(discord.messages().filter(hasEmbed).length).toBeGreaterThan(0);
});
