import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { Refusal } from '../../sandbox/discord/api-error.ts';
import type { ChatMessage } from '../../sandbox/discord/chat.ts';
import type { TypedInteraction } from '../../sandbox/discord/conversation.ts';
import type { ConnectionFault, FaultyRoute } from '../../sandbox/discord/faults.ts';
import { remember } from '../../sandbox/known-cards.ts';
import { SAMPLE_CARDS } from '../../sandbox/sample-cards.ts';
import type { SandboxOptions } from '../../sandbox/sandbox.ts';
import type { DictatedAnswer } from '../../sandbox/service/service.ts';
import { FRESH_COLOUR, STALE_COLOUR } from '../../src/render/card-embed.ts';
import { typeLine } from '../screenshots/stage.ts';
import { wordsOf } from '../screenshots/words.ts';
import { rateLimited, refused, serverError } from './fault-forms.ts';
import { msOf, played, type Steps } from './limiter-script.ts';
import { ERROR, logLines, WARN } from './log-lines.ts';
import { LIST, submitted } from './pasted-list.ts';
import {
  cardRequests,
  choose,
  confirm,
  confirmCards,
  edits,
  field,
  finalAnswers,
  hasCard,
  isFinal,
  isOnTheWay,
  isThinking,
  labels,
  parts,
  press,
  startWorld,
  storedCardIds,
  storedRows,
  type World,
} from './world.ts';

/** A world, what was typed in it, and what was there when it was told last. */
export interface Scene extends World {
  typed: TypedInteraction[];
  before: { requests: number; edits: number; ends: number };
}

/** What is waited for; anything else is how a sentence begins. */
const AWAITED: Readonly<Record<string, (message: ChatMessage) => boolean>> = {
  'its end': isFinal,
  'an answer': ({ state }) => state === 'answered',
  'a card': hasCard,
  'an old card': ({ embeds: [embed] }) => embed?.color === STALE_COLOUR,
  'a new card': ({ embeds: [embed] }) => embed?.color === FRESH_COLOUR,
  'a wait': ({ content }) => isOnTheWay(content),
  'a form': ({ modal }) => modal !== undefined,
  'thinking…': isThinking,
  'it is gone': ({ deleted }) => deleted === true,
  'a sentence': ({ content }) => content !== '',
};

/**
 * A scene in a line: steps with `; ` between them; what they told with ` | `. The first member, or `bob: `, types
 * `card base1-4` and presses `Delete` below the last message that has it, or below the first reply, `of 1`; what a press that
 * is meant by `use` or `choose` is answered with is a reply, too. `edit close x 9`, `callback refused unknownWebhook` and the
 * like are what Discord's calls meet. `done` tells requests, edits and how commands ended since it was told, or since `so far`.
 */
export async function scene(options: Omit<SandboxOptions, 'log'>, script: string): Promise<string> {
  return await played(begun(await startWorld(options)), script, SCENE_STEPS);
}

export const begun = (world: World): Scene => ({ ...world, typed: [], before: { requests: 0, edits: 0, ends: 0 } });

export type Row = [rule: string, world: Parameters<typeof scene>[0], script: string, told: string];

/** A test for each row. */
export function scenes(rows: readonly Row[]): void {
  it.each(rows)('%s', async (_, world, script, told) => expect(await scene(world, script)).toBe(told));
}

/** What is counted, and told as a number or as whether it is `below 9`. */
const COUNTS: Readonly<Record<string, (scene: Scene, of: string) => number>> = {
  requests: ({ cardService }) => cardService.requests.length,
  'new requests': ({ cardService, before }) => cardService.requests.length - before.requests,
  'different requests': (scene) => new Set(cardRequests(scene)).size,
  edits,
  faults: ({ discord }) => discord.faults.met,
  'calls of what is gone': ({ discord }) => discord.requests.filter(({ status }) => status === 404).length,
  'faults left': ({ discord }) => discord.faults.pending,
  sessions: ({ discord }) => discord.gateway.sessions,
  'how many cards': (scene) => last(scene).message.embeds.length,
  fields: (scene) => last(scene).message.embeds[0]?.fields?.length ?? 0,
  'seconds left': (scene, of) => Number(/<t:(\d+):/.exec(nth(scene, of).message.content)?.[1]) - Date.now() / 1_000,
  messages: ({ discord }) => discord.messages().filter(({ messageId }) => messageId !== undefined).length,
  'presses that show something': ({ discord }) => discord.messages().filter(isShownByPress).length,
  warnings: ({ lines }) => lines.filter(({ level }) => level === WARN).length,
  'failures logged': ({ lines }) => lines.filter(({ err }) => err).length,
};

/** What a call of Discord's meets: whatever else is written is no step. */
const FAULTS = 'close|reset|hang|stall|lose answer|refused \\w+|(?:limited for|late by) .+?|fails with \\d+';

export const SCENE_STEPS: Steps<Scene> = [
  // What the other sides do
  [
    new RegExp(`^(callback|edit|delete|follow-up|dm|message) (${FAULTS})(?: x (\\d+))?$`),
    ({ discord }, route, what, times) =>
      discord.faults.script({ ...faultOf(route as FaultyRoute, what), times: Number(times || 1) }),
  ],
  [/^Discord works$/, ({ discord }) => discord.faults.clear()],
  [
    /^Discord refuses (\S+) in (\S+)$/,
    ({ discord }, what, part) =>
      discord.moderate({ refuses: (text, path) => path.endsWith(part) && new RegExp(what).test(text) }),
  ],
  [/^AutoMod blocks (.+)$/, ({ discord }, what) => discord.moderate({ blocks: (text) => text.includes(what) })],
  [/^Discord hides replies x (\d)$/, ({ discord }, times) => hidesReplies(discord, Number(times))],
  [/^service takes (.+)$/, ({ cardService }, time) => cardService.set({ latencyMs: msOf(time) })],
  [
    /^service says (\d+) to (\S+)(?: x (\d+))?$/,
    ({ cardService }, status, path, times) =>
      cardService.script({ path, status: Number(status), times: Number(times || 1) }),
  ],
  [
    /^the (market|low) price of (\S+) is ([\d.]+)$/,
    ({ cardService }, kind, path, price) =>
      cardService.script({ path, body: { ...sample(path), prices: { [kind]: Number(price) } } }),
  ],
  [
    /^(\S+) is named (.+)$/,
    ({ cardService }, path, name) => cardService.script({ path, body: { ...sample(path), name } }),
  ],
  [
    /^another process has (\S+) of (.+) ago$/,
    ({ config }, id, time) => remember(config, [{ id, ageMs: msOf(time) }], logLines().log),
  ],
  [/^service (is down|works)$/, ({ cardService }, how) => cardService.set({ down: how === 'is down' })],
  [
    /^service has no card and states (\d+|nothing)(?: x (\d+))?$/,
    ({ cardService }, remaining, times) => cardService.script({ ...noCard(remaining), times: Number(times || 1) }),
  ],
  [/^service denies (\S+)$/, ({ cardService }, path) => cardService.script({ path, ...DENIED })],
  [/^the day is spent$/, ({ cardService }) => cardService.exhaustDay()],
  [/^the plan is larger$/, ({ cardService }) => cardService.set({ plan: 'pro' })],
  [/^names are known$/, confirmCards],
  [/^(\S+) is known as (.+)$/, (scene, id, name) => confirm(scene, [{ id, name, set: 'Dusk' }])],
  [/^its names cannot be read$/, loseNames],
  [/^its command is of an older version$/, makeOlder],
  [/^\+(.+)$/, ({ pass }, time) => pass(msOf(time))],
  [/^stop$/, ({ stopBot }) => stopBot()],
  [/^restart$/, ({ restartBot }) => restartBot()],

  // What members do
  [
    /^(?:(bob|chloe): )?(cards?|usage|settings|privacy)(?:(?<=cards?) (.+?))?( in (?:private|public))?(?: (elsewhere|in a DM|in a group|in a foreign server|for a user))?$/s,
    (scene, who, command, ids, visibility, place) => {
      const places = {
        elsewhere: { guildId: scene.discord.guilds[1]?.id ?? '' },
        'in a DM': { guildId: null },
        'in a group': { context: 2 },
        'in a foreign server': { guildId: scene.discord.foreignGuilds[0]?.id ?? '' },
        'for a user': { guildId: null, installedFor: 'user' },
      } as const;
      const memberId = scene[(who || 'alice') as 'alice'];
      const as = { ...places[place as keyof typeof places], memberId };
      const options = visibility ? { private: visibility === ' in private' } : {};
      const isLookup = command.startsWith('card');
      scene.typed.push(
        isLookup ? scene[command as 'card'](ids, options, as) : scene.type(command, {}, { manageGuild: true, ...as }),
      );
    },
  ],
  [/^(\/.+)$/, (scene, line) => void scene.typed.push(typeLine(scene, line))],
  [/^paste(?: (.+))?$/s, async (scene, text) => void scene.typed.push(await submitted(scene, text || LIST))],
  [
    /^(press|use|bob presses|bob uses) (.+?)(?: of (\d))?$/,
    (scene, how, label, of) => {
      const { discord, typed, alice, bob } = scene;
      const below = of
        ? typed[Number(of) - 1]?.message
        : discord.messages().findLast((each) => labels(each).includes(label));
      if (!below) throw new Error(`nothing has ${label}`);
      const pressed = press(scene, below, label, how.startsWith('bob') ? bob : alice);
      if (/uses?$/.test(how)) typed.push(pressed);
    },
  ],
  [
    /^(choose|pick) (.+?)( as a manager)?$/,
    (scene, how, value, asManager) => {
      const isIt = (one: string) => one === value || value === 'the first';
      const values = (each: ChatMessage) => parts(each).flatMap(({ options = [] }) => options.map((one) => one.value));
      const offer = scene.discord.messages().findLast((each) => values(each).some(isIt));
      if (!offer) throw new Error(`nobody offers ${value}`);
      const chosen = choose(scene, offer, values(offer).find(isIt) ?? '', { manageGuild: asManager !== '' });
      if (how === 'choose') scene.typed.push(chosen);
    },
  ],
  [
    /^submit (\S+) and (\S+)(?: of (\d))?$/,
    (scene, above, below, of) => {
      const { id: interactionId } = nth(scene, of);
      scene.typed.push(scene.discord.submit({ interactionId, values: { above, below } }));
    },
  ],
  [
    /^look up its cards$/,
    (scene) => {
      const target = { messageId: last(scene).message.messageId ?? '' };
      scene.typed.push(scene.discord.type({ command: 'Look up cards', target }));
    },
  ],
  [/^somebody deletes it$/, (scene) => scene.discord.dismiss(last(scene).message.messageId ?? '')],
  [
    /^a moderator deletes it$/,
    ({ discord, typed: [first], bob: memberId }) => {
      const { messageId = '' } = first?.message ?? {};
      discord.click({ messageId, customId: 'card:delete', memberId, manageMessages: true });
    },
  ],
  [
    /^until (?:(\d) cards|(.+?))(?: of (\d+))?$/,
    async (scene, count, what, of) => {
      const begins = ({ content }: ChatMessage) => content.startsWith(what);
      const hasCards = ({ embeds }: ChatMessage) => embeds.length >= Number(count);
      await nth(scene, of).until(count ? hasCards : (AWAITED[what] ?? begins));
    },
  ],

  // What tells something
  [/^so far$/, (scene) => void done(scene)],
  [/^done$/, done],
  [
    /^(?:(\d) )?ends$/,
    async (scene, count) => {
      if (count) await scene.commandLines(Number(count));
      return done(scene).split(': ')[1];
    },
  ],
  [
    new RegExp(`^(${Object.keys(COUNTS).join('|')})(?: of (\\d+))?(?: below (\\d+))?$`),
    (scene, what, of, limit) => {
      const count = COUNTS[what]?.(scene, of) ?? Number.NaN;
      return limit && count < Number(limit) ? 'yes' : count;
    },
  ],
  [
    /^requested$/,
    (scene) =>
      cardRequests(scene)
        .map((path) => path.split(/[/?]/)[2])
        .join(' '),
  ],
  [/^shows(?: of (\d))?$/, (scene, of) => shows(nth(scene, of))],
  [/^content$/, (scene) => last(scene).message.content],
  [
    /^described as (\d)$/,
    (scene, of) => {
      const [now, then] = [last(scene), nth(scene, of)].map(({ message }) => message.embeds[0]?.description);
      return now === then ? 'yes' : now;
    },
  ],
  [/^shows (.+)$/, (scene, what) => (shows(last(scene)).startsWith(what) ? 'yes' : shows(last(scene)))],
  [
    /^(reads|lacks) (.+)$/s,
    (scene, how, what) => {
      const words = wordsOf(last(scene).message);
      return words.includes(what) === (how === 'reads') ? 'yes' : words;
    },
  ],
  [
    /^without a picture$/,
    (scene) =>
      last(scene)
        .message.embeds.flatMap(({ title, image, thumbnail }) => (image || thumbnail ? [] : [title]))
        .join(),
  ],
  [
    /^pictures$/,
    (scene) =>
      last(scene)
        .message.embeds.flatMap(({ image, thumbnail }) => Object.entries({ image, thumbnail }))
        .flatMap(([place, picture]) => (picture ? `${place} ${picture.url.slice(-11)} ${picture.description}` : []))
        .join(', '),
  ],
  [
    /^menu$/,
    (scene) => {
      const [{ options = [] } = {}] = parts(last(scene).message);
      return `${options.length} from ${options[0]?.value}`;
    },
  ],
  [/^buttons$/, (scene) => labels(last(scene).message).join(', ')],
  [/^answers of (\d)$/, (scene, of) => finalAnswers(nth(scene, of))],
  [/^gone (\d)$/, (scene, of) => (nth(scene, of).message.deleted ? 'yes' : 'no')],
  [
    /^suggested(?: for (.+?))?( to bob)?( in a DM)?$/,
    async ({ suggested, bob }, text, toBob, dm) =>
      (await suggested(text, { ...(toBob && { memberId: bob }), ...(dm && { guildId: null }) })).join(' '),
  ],
  [
    /^saved$/,
    async ({ usage }) =>
      field(await usage().settled(), 'Answered from memory')
        ?.split(' · ')
        .at(-1),
  ],
  [
    /^kept watches$/,
    ({ config }) =>
      Object.values(storedRows(config.dataDir, 'watches'))
        .map((row) => JSON.parse(row))
        .map(({ cardId, above, below, crossings }) => [cardId, above, below, crossings].join(' '))
        .join(),
  ],
  [
    /^form$/,
    (scene) =>
      last(scene)
        .message.modal?.components.map(({ component: { custom_id, value = '' } }) => `${custom_id} ${value}`)
        .join(', '),
  ],
  [/^routes$/, ({ cardService }) => cardService.requests.map(({ method, path }) => `${method} ${path}`).join(', ')],
  [
    /^file (has|lacks) (.+)$/s,
    async (scene, how, what) =>
      (await fileOf(scene)).includes(what) === (how === 'has') ? 'yes' : await fileOf(scene),
  ],
  [/^log lacks (.+)$/, ({ lines }, what) => (JSON.stringify(lines).includes(what) ? what : 'yes')],
  [/^parts$/, (scene) => parts(last(scene).message).map(partText).join(', ')],
  [/^kept cards$/, ({ config }) => storedCardIds(config.dataDir).join(' ')],
  [
    /^errors(?: about (.+))?$/,
    ({ lines }, what) => lines.filter(({ level, msg }) => level === ERROR && String(msg).includes(what)).length,
  ],
  [
    /^log (.+?)(?: with (\w+)(?: (.+))?)?$/,
    ({ lines }, what, key, value) =>
      lines.filter((line) => line.msg === what && (!key || (value ? String(line[key]) === value : key in line))).length,
  ],
];

function faultOf(route: FaultyRoute, what: string) {
  const [, how, of = ''] = /^(refused|limited for|late by|fails with) (.+)$/.exec(what) ?? [];
  switch (how) {
    case 'refused':
      return refused(route, of as Refusal);
    case 'limited for':
      return rateLimited({ route, retryAfterSeconds: msOf(of) / 1_000 });
    case 'late by':
      return { route, delayMs: msOf(of) };
    case 'fails with':
      return serverError(route, { status: Number(of) });
    default:
      return { route, answer: what as ConnectionFault };
  }
}

const sample = (wanted: string) => SAMPLE_CARDS.find(({ id }) => id === wanted);

const DENIED: DictatedAnswer = { status: 404, body: { _tag: 'CardNotFound', message: 'There is no such card.' } };

/** No card of any id, in an answer that states so much of the day, or nothing. */
function noCard(remaining: string): DictatedAnswer {
  const unstated = {
    'x-ratelimit-limit': undefined,
    'x-ratelimit-reset': undefined,
    'x-ratelimit-remaining': undefined,
  };
  const headers = remaining === 'nothing' ? unstated : { 'x-ratelimit-remaining': remaining };
  return { ...DENIED, headers };
}

/** Discord does not say what a reply shows, for so many times. */
function hidesReplies(discord: World['discord'], times: number): void {
  const { answer } = discord;
  let left = times;
  discord.answer = async (request) => {
    if (request.method !== 'GET' || left-- <= 0) return answer(request);
    await sleep(500);
    throw new TypeError('fetch failed');
  };
}

/** The command of what was left exists no more. */
function makeOlder({ config }: World) {
  using database = new DatabaseSync(join(config.dataDir, 'state.sqlite'));
  database.exec("UPDATE rows SET value = json_set(value, '$.command', 'older') WHERE part = 'replies:texts'");
}

/** The file of names can neither be opened nor replaced. */
async function loseNames({ config, stopBot, restartBot }: World): Promise<void> {
  await stopBot();
  rmSync(join(config.dataDir, 'catalog.sqlite'), { force: true });
  mkdirSync(join(config.dataDir, 'catalog.sqlite'));
  await restartBot();
}

/** How each command ended. */
export function endsIn({ lines }: World): string[] {
  return lines.filter(({ msg }) => msg === 'command').map(({ outcome, source }) => `${outcome} from ${source}`);
}

/** `1, 2: answered from service` */
function done(scene: Scene) {
  const { before } = scene;
  const ends = endsIn(scene);
  const now = { requests: scene.cardService.requests.length, edits: edits(scene), ends: ends.length };
  scene.before = now;
  return `${now.requests - before.requests}, ${now.edits - before.edits}: ${ends.slice(before.ends).join(', ')}`;
}

async function fileOf(scene: Scene) {
  const [file] = last(scene).message.attachments;
  const bytes = await (await scene.discord.answer(new Request(file?.url ?? ''))).arrayBuffer();
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
}

/** Label or placeholder, custom id and the values to choose from. */
function partText({ label, placeholder, custom_id, options = [] }: ReturnType<typeof parts>[number]): string {
  return [label ?? placeholder, custom_id, ...options.map(({ value }) => value)].join(' ');
}

/** What was typed as the first, for instance; as the last unless it is said. */
function nth({ typed }: Scene, of: string): TypedInteraction {
  const found = of ? typed[Number(of) - 1] : typed.at(-1);
  if (!found) throw new Error(`nothing was typed as ${of || 'the last'}`);
  return found;
}

const last = (scene: Scene) => nth(scene, '');

export function shows({ message: { embeds, content } }: TypedInteraction): string {
  return embeds.map(({ title }) => title).join() || content;
}

const isShownByPress = ({ trigger, content, state }: ChatMessage) =>
  trigger === 'component' && (content !== '' || state === 'thinking');
