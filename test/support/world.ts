import { expect } from 'vitest';
import type { TypedInteraction } from '../../sandbox/discord/conversation.ts';
import type { EmulatedDiscord } from '../../sandbox/discord/emulated-discord.ts';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../sandbox/sandbox.ts';
import { INITIAL_STATE } from '../../src/limiter/state.ts';
import { createLog } from '../../src/log.ts';
import { redisPrefix } from '../../src/storage/redis/client.ts';
import { accountOf } from '../../src/storage/state.ts';
import { isInstalled, pause, run } from '../simulate/fake-time.ts';
import { LONG_DAY, PATIENT } from './backends.ts';
import { hosts } from './hosts.ts';
import { readLogLine } from './log-lines.ts';
import { onFinished } from './on-finished.ts';
import { clientOf, startRedis, type TestRedis } from './redis.ts';

export interface World extends Sandbox {
  /** Everything that the bot logged. */
  lines: Record<string, unknown>[];
  /** The log lines of commands; resolves when there are `count`, because a line is written after its answer. */
  commandLines(count: number): Promise<Record<string, unknown>[]>;
  /** Types `/card` as the first member in the first server. */
  card(id: string, options?: Record<string, string | boolean>, as?: TypedBy): TypedInteraction;
  usage(as?: TypedBy): TypedInteraction;
  /** Stops the bot and starts it again on the same data. */
  restartBot(): Promise<void>;
  stopBot(): Promise<void>;
  /** So much time passes, where it is simulated. */
  pass(ms: number): Promise<void>;
}

interface TypedBy {
  memberId?: string;
  guildId?: string | null;
  manageGuild?: boolean;
}

/** A pace at which tests need not wait: 600 a minute is one token per 100 ms. */
export const QUICK = { requestsPerMinute: 600, burst: 20, requestsPerDay: 1_000 };

/**
 * The bot between an emulated Discord and the card service, in simulated time (test/scenes) or over real sockets; stopped when the test or, from
 * `beforeAll`, the file ends. Its state is in files or, for `over-redis.test.ts`, in a Redis.
 */
export async function startWorld(options: Omit<SandboxOptions, 'log'> = {}): Promise<World> {
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
    CARD_SERVICE_REQUESTS_PER_MINUTE: service.requestsPerMinute?.toString(),
    CARD_SERVICE_BURST: service.burst?.toString(),
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
  return {
    ...sandbox,
    lines,
    pass: (ms) => inItsTime(pause(ms)),
    async commandLines(count) {
      const written = () => lines.filter(({ msg }) => msg === 'command');
      await expect.poll(written).toHaveLength(count);
      return written();
    },
    card: (id, more = {}, as = {}) => sandbox.discord.type({ command: 'card', options: { id, ...more }, ...as }),
    stopBot: () => inItsTime(bot.stop()),
    async restartBot() {
      await inItsTime(bot.stop());
      if (redis) await forgetIdentify(redis);
      bot = await inItsTime(sandbox.startBot());
    },
    usage: (as = {}) => sandbox.discord.type({ command: 'usage', manageGuild: true, ...as }),
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
