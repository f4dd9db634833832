import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import type { ChatMessage, Whereabouts } from '../../sandbox/discord/chat.ts';
import type { TypedInteraction } from '../../sandbox/discord/conversation.ts';
import type { EmulatedDiscord } from '../../sandbox/discord/emulated-discord.ts';
import { SAMPLE_CARDS, SAMPLE_CATALOG } from '../../sandbox/sample-cards.ts';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../sandbox/sandbox.ts';
import { CatalogDatabase } from '../../src/catalog/database.ts';
import type { CatalogCard } from '../../src/catalog/text.ts';
import { INITIAL_STATE } from '../../src/quota/limiter-state.ts';
import { LANGUAGES } from '../../src/render/languages.ts';
import { formatMessage } from '../../src/render/messages.ts';
import { accountOf } from '../../src/storage/open-state.ts';
import { redisPrefix } from '../../src/storage/redis/connection.ts';
import { isInstalled, pause, run } from '../simulate/fake-time.ts';
import { LONG_DAY, PATIENT, pacedBy, typingIn } from './backends.ts';
import { hosts } from './hosts.ts';
import { logLines } from './log-lines.ts';
import { onFinished } from './on-finished.ts';
import { clientOf, startRedis, type TestRedis } from './redis.ts';

/** A pace at which tests need not wait: 600 a minute is one token per 100 ms. */
export const QUICK = { requestsPerMinute: 600, burst: 20, requestsPerDay: 1_000 };

export const IDS = SAMPLE_CARDS.map(({ id }) => id);

export const WITH_NAMES = { catalog: SAMPLE_CATALOG };

export type World = Awaited<ReturnType<typeof startWorld>>;
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
export async function startWorld(options: WorldOptions = {}) {
  const { log, ...logged } = logLines();
  const lines: Record<string, unknown>[] = logged.lines;
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
    /** Everything that the bot logged. */
    lines,
    /** So much time passes, where it is simulated. */
    pass: (ms: number) => inItsTime(pause(ms)),
    /** The log lines of commands; resolves when there are `count`, because a line is written after its answer. */
    async commandLines(count: number) {
      const written = () => lines.filter(({ msg }) => msg === 'command');
      await expect.poll(written).toHaveLength(count);
      return written();
    },
    stopBot: () => inItsTime(bot.stop()),
    /** Stops the bot and starts it again on the same data. */
    async restartBot() {
      await inItsTime(bot.stop());
      if (redis) await forgetIdentify(redis);
      bot = await inItsTime(sandbox.startBot());
    },
  };
}

/** Where time is simulated, it passes only while something is awaited in it. */
function inItsTime<T>(work: Promise<T>) {
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
async function beginFull(redis: TestRedis, account: string) {
  const client = await clientOf(redis);
  const state = JSON.stringify({ state: INITIAL_STATE, by: {} });
  await client.hSet(`${redisPrefix(redis.prefix)}:limiter`, account, state);
}

/** Without this, a bot that starts within 6 s of another waits for its identify slot. */
async function forgetIdentify(redis: TestRedis) {
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
function endOfList({ embeds }: Pick<ChatMessage, 'embeds'>): string | undefined {
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
  const button = partOf(message, label, (part) => part.label === label);
  return discord.click({ ...button, ...(memberId && { memberId }) });
}

/** Chooses in the first menu that offers the value. @throws Error when there is none */
export function choose(
  { discord }: Pick<Sandbox, 'discord'>,
  message: ChatMessage,
  value: string,
  as: Whereabouts = {},
): TypedInteraction {
  const menu = partOf(message, value, ({ options }) => options?.some((option) => option.value === value));
  return discord.choose({ ...menu, values: [value], ...as });
}

function partOf(message: ChatMessage, named: string, isIt: (part: Part) => boolean | undefined) {
  const { messageId } = message;
  const customId = parts(message).find(isIt)?.custom_id;
  if (customId === undefined || messageId === undefined) throw new Error(`nothing has "${named}"`);
  return { messageId, customId };
}

/** The ids in the card store of a bot, which may be running. */
export function storedCardIds(dataDir: string): string[] {
  const keys = stored(join(dataDir, 'cards.sqlite'), 'SELECT key FROM cards ORDER BY key');
  return keys.map(({ key }) => String(key).split(':').slice(2).join(':'));
}

/** The texts in a part of the rows of a bot, which may be running. */
export function storedRows(dataDir: string, part: string): Record<string, string> {
  const rows = stored(join(dataDir, 'state.sqlite'), 'SELECT key, value FROM rows WHERE part = ?', part);
  return Object.fromEntries(rows.map(({ key, value }) => [String(key), String(value)]));
}

/** The crossings of which nobody is told yet, in the files of a bot. */
export function untoldIn(dataDir: string): unknown[] {
  return Object.values(storedRows(dataDir, 'watches:untold')).filter((told) => told.startsWith('message'));
}

function stored(file: string, sql: string, ...parts: string[]) {
  using database = new DatabaseSync(file, { readOnly: true });
  return database.prepare(sql).all(...parts);
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
