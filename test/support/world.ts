import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import type { ChatMessage } from '../../sandbox/discord/chat.ts';
import type { TypedInteraction } from '../../sandbox/discord/conversation.ts';
import type { EmulatedDiscord } from '../../sandbox/discord/emulated-discord.ts';
import { SAMPLE_CARDS, SAMPLE_CATALOG } from '../../sandbox/sample-cards.ts';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../sandbox/sandbox.ts';
import { CatalogDatabase } from '../../src/catalog/database.ts';
import type { CatalogCard } from '../../src/catalog/text.ts';
import { INITIAL_STATE } from '../../src/limiter/state.ts';
import { createLog } from '../../src/log.ts';
import { LANGUAGES } from '../../src/render/languages.ts';
import { formatMessage } from '../../src/render/messages.ts';
import { redisPrefix } from '../../src/storage/redis/client.ts';
import { accountOf } from '../../src/storage/state.ts';
import { isInstalled, pause, run } from '../simulate/fake-time.ts';
import { LONG_DAY, PATIENT, pacedBy, typingIn } from './backends.ts';
import { hosts } from './hosts.ts';
import { logLines, readLogLine } from './log-lines.ts';
import { onFinished } from './on-finished.ts';
import { clientOf, startRedis, type TestRedis } from './redis.ts';

export interface World extends Sandbox, ReturnType<typeof typingIn> {
  /** Everything that the bot logged. */
  lines: Record<string, unknown>[];
  /** The log lines of commands; resolves when there are `count`, because a line is written after its answer. */
  commandLines(count: number): Promise<Record<string, unknown>[]>;
  /** Stops the bot and starts it again on the same data. */
  restartBot(): Promise<void>;
  stopBot(): Promise<void>;
  /** So much time passes, where it is simulated. */
  pass(ms: number): Promise<void>;
}

/** A pace at which tests need not wait: 600 a minute is one token per 100 ms. */
export const QUICK = { requestsPerMinute: 600, burst: 20, requestsPerDay: 1_000 };

export const IDS = SAMPLE_CARDS.map(({ id }) => id);

export const WITH_NAMES = { catalog: SAMPLE_CATALOG };

type WorldOptions = Omit<SandboxOptions, 'log'>;
type Play = (world: World) => Promise<unknown>;

/** A test in a world of its own. */
export function inWorld(title: string, ...given: [play: Play] | [options: WorldOptions, play: Play]): void {
  const [options, play] = given.length === 1 ? [{}, ...given] : given;
  it(title, async () => void (await play(await startWorld(options))));
}

/**
 * The bot between an emulated Discord and the card service, in simulated time (test/scenes) or over real sockets; stopped when the test or, from
 * `beforeAll`, the file ends. Names can be searched from the start. Its state is in files or, for `over-redis.test.ts`, in a Redis.
 */
export async function startWorld(options: WorldOptions = {}): Promise<World> {
  const lines: Record<string, unknown>[] = [];
  const log = createLog({
    level: 'debug',
    secrets: [],
    destination: { write: (line) => void lines.push(readLogLine(line)) },
  });
  const service = { ...LONG_DAY, ...(options.service ?? QUICK) };
  const redis = process.env.STATE_IN === 'redis' ? await startRedis() : undefined;
  const env = {
    ...(redis && { REDIS_URL: redis.url, REDIS_KEY_PREFIX: redis.prefix }),
    ...pacedBy(service),
    ...options.env,
  };
  const discord = { lifetimes: PATIENT, ...options.discord };
  const started = startSandbox({ ...options, discord, log, service, env, ...(isInstalled && { hosts }) });
  const sandbox = await inItsTime(started);
  const { baseUrl, apiKey } = sandbox.config.cardService;
  if (redis) await beginFull(redis, accountOf(baseUrl, apiKey));
  onFinished(() => inItsTime(sandbox.stop()));
  let bot = await inItsTime(sandbox.startBot());
  if (isInstalled) Object.assign(sandbox.discord, simulatedActions(sandbox.discord));
  const [named] = options.catalog ?? [];
  if (named) await offered(sandbox, named.id);
  return {
    ...sandbox,
    ...typingIn(sandbox.discord),
    lines,
    pass: (ms) => inItsTime(pause(ms)),
    async commandLines(count) {
      const written = () => lines.filter(({ msg }) => msg === 'command');
      await expect.poll(written).toHaveLength(count);
      return written();
    },
    stopBot: () => inItsTime(bot.stop()),
    async restartBot() {
      await inItsTime(bot.stop());
      if (redis) await forgetIdentify(redis);
      bot = await inItsTime(sandbox.startBot());
    },
  };
}

/** Where time is simulated, it passes only while something is awaited in it. */
function inItsTime<T>(work: Promise<T>): Promise<T> {
  return isInstalled ? run(work) : work;
}

/** What members do, with time that passes while its outcome is awaited. */
function simulatedActions({ type, click, choose, submit, complete }: EmulatedDiscord): Partial<EmulatedDiscord> {
  const timed = (typed: TypedInteraction): TypedInteraction =>
    Object.assign(Object.create(typed), {
      until: (...given: Parameters<TypedInteraction['until']>) => run(typed.until(...given)),
      settled: (timeoutMs?: number) => run(typed.settled(timeoutMs)),
    });
  return {
    type: (typed) => timed(type(typed)),
    click: (used) => timed(click(used)),
    choose: (used) => timed(choose(used)),
    submit: (modal) => timed(submit(modal)),
    complete: (typed) => run(complete(typed)),
  };
}

/** The paths of all card requests that the service received. */
export function cardRequests({ cardService }: Sandbox): string[] {
  return cardService.requests.map(({ path }) => path).filter((path) => path.startsWith('/cards/'));
}

/** How often the bot has edited a reply. */
export function edits({ discord }: Sandbox): number {
  return discord.requests.filter(({ method, path }) => method === 'PATCH' && path.includes('/webhooks/')).length;
}

/** How often the log says so. */
export function said({ lines }: World, wanted: string): number {
  return lines.filter(({ msg }) => msg === wanted).length;
}

export function statuses({ cardService }: Sandbox): number[] {
  return cardService.requests.map(({ status }) => status);
}

/** A limiter that nobody knows begins with an empty bucket. */
async function beginFull(redis: TestRedis, account: string): Promise<void> {
  const client = await clientOf(redis);
  const state = JSON.stringify({ state: INITIAL_STATE, by: {} });
  await client.hSet(`${redisPrefix(redis.prefix)}:limiter`, account, state);
}

/** Without this, a bot that starts within 6 s of another waits for its identify slot. */
async function forgetIdentify(redis: TestRedis): Promise<void> {
  const client = await clientOf(redis);
  await client.del(`${redisPrefix(redis.prefix)}:claim:identify:0`);
}

/** Whether it is a sentence that a card or another sentence follows, in any language; of lists, in English. */
export function isOnTheWay(content: string): boolean {
  if (/on (?:its|their) way|should be here/.test(content)) return true;
  const [time = ''] = /<t:\d+:[tT]>/.exec(content) ?? [];
  return LANGUAGES.some((language) =>
    [formatMessage(language, 'stillAsking'), formatMessage(language, 'permitAt', { time })].includes(content),
  );
}

export const isThinking = ({ state }: ChatMessage) => state === 'thinking';
export const hasCard = ({ embeds }: ChatMessage) => embeds.length > 0;

/** Whether the member sees a card or a final sentence: neither "thinking…" nor the notice of a wait. */
export function isFinal({ state, embeds, content }: ChatMessage): boolean {
  return state === 'answered' && (embeds.length > 0 || (content !== '' && !isOnTheWay(content)));
}

/** What a list cost and what is left of the day, once all of its cards have come: below the last of them. */
export function endOfList({ embeds }: Pick<ChatMessage, 'embeds'>): string | undefined {
  return /(?:[\d,]+ new lookups? used|[\d,]+ of [\d,]+ new lookups? left today).*/.exec(
    embeds.at(-1)?.footer?.text ?? '',
  )?.[0];
}

/** Whether a list shows what it ends with: that line, or what it could not show. */
export function hasListEnded(message: ChatMessage): boolean {
  return endOfList(message) !== undefined || /^Not (?:found|shown):/m.test(message.content);
}

/** The first final answer: the card's title or the sentence. */
export async function finalAnswer(typed: TypedInteraction, timeoutMs = 60_000): Promise<string> {
  const { embeds, content } = await typed.until((message) => isFinal(message) || message.state === 'failed', timeoutMs);
  return embeds[0]?.title ?? content;
}

/** Counts final answers that differ from the previous one, and follow-up messages. 1 is correct. */
export function finalAnswers({ history, message }: TypedInteraction): number {
  const shown = history.filter(isFinal).map(({ content, embeds }) => JSON.stringify([content, embeds]));
  const changes = shown.filter((text, index) => text !== shown[index - 1]).length;
  return changes + (message.followUps?.length ?? 0);
}

/** The value of the field with this name in the embed of a reply. */
export function field({ embeds }: ChatMessage, name: string): string | undefined {
  return embeds[0]?.fields?.find((present) => present.name === name)?.value;
}

/** A button, or a menu, which has options in place of a label. */
interface Part {
  label?: string;
  placeholder?: string;
  custom_id: string;
  options?: readonly { value: string }[];
}

/** The buttons and menus of a reply. */
export function parts({ components }: ChatMessage): Part[] {
  return (components as { components: Part[] }[]).flatMap((row) => row.components);
}

export function labels(message: ChatMessage): (string | undefined)[] {
  return parts(message).map(({ label }) => label);
}

/** Presses a button, as the member whom the message answers or as another. @throws Error when there is none */
export function press(
  { discord }: Pick<Sandbox, 'discord'>,
  message: ChatMessage,
  label: string,
  memberId?: string,
): TypedInteraction {
  const button = parts(message).find((part) => part.label === label);
  if (!button || message.messageId === undefined) throw new Error(`no button "${label}"`);
  const { messageId } = message;
  return discord.click({ messageId, customId: button.custom_id, ...(memberId && { memberId }) });
}

/** Chooses in the first menu that offers the value. @throws Error when there is none */
export function choose({ discord }: Pick<Sandbox, 'discord'>, message: ChatMessage, value: string): TypedInteraction {
  const menu = parts(message).find(({ options }) => options?.some((option) => option.value === value));
  if (!menu || message.messageId === undefined) throw new Error(`no menu with "${value}"`);
  return discord.choose({ messageId: message.messageId, customId: menu.custom_id, values: [value] });
}

/** The ids in the card store of a bot, which may be running. */
export function storedCardIds(dataDir: string): string[] {
  using database = new DatabaseSync(join(dataDir, 'cards.sqlite'));
  const rows = database.prepare('SELECT key FROM cards ORDER BY key').all();
  return rows.map(({ key }) => String(key).split(':').slice(2).join(':'));
}

/** The texts in a part of the rows of a bot, which may be running. */
export function storedRows(dataDir: string, part: string): Record<string, string> {
  using database = new DatabaseSync(join(dataDir, 'state.sqlite'), { readOnly: true });
  const rows = database.prepare('SELECT key, value FROM rows WHERE part = ?').all(part);
  return Object.fromEntries(rows.map(({ key, value }) => [String(key), String(value)]));
}

/** From so many ids on, the forms of ids are known: anything else is a name. */
const TELLING = 100;

/** Makes the catalog of a running bot as if the service had answered with every sample card, and with more of their form. */
export async function confirmCards(sandbox: Sandbox): Promise<void> {
  const others = Array.from({ length: TELLING }, (_, index) => ({ id: `other1-${index}`, name: `Nobody ${index}` }));
  confirm(sandbox, [...SAMPLE_CATALOG, ...others]);
  await offered(sandbox, others.at(-1)?.id ?? '');
}

/** As if the service had answered with these. */
export function confirm({ config }: Pick<Sandbox, 'config'>, cards: readonly CatalogCard[]): void {
  const database = new CatalogDatabase(config.dataDir, logLines().log);
  database.upsert(cards, undefined);
  database.close();
}

/** Resolves when the bot suggests the card to those who type its id: its search begins after it, and finds new rows later. */
export async function offered({ discord }: Pick<Sandbox, 'discord'>, cardId: string): Promise<void> {
  const rows = () => discord.complete({ command: 'card', options: { id: cardId }, focused: 'id' });
  while (!(await rows()).some(({ value }) => value === cardId));
}
