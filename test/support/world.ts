import { createClient } from '@redis/client';
import { expect } from 'vitest';
import type { TypedInteraction } from '../../sandbox/discord/typed-interaction.ts';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../sandbox/sandbox.ts';
import { createLog } from '../../src/log.ts';
import { redisPrefix } from '../../src/storage/redis/client.ts';
import { LONG_DAY, PATIENT } from './backends.ts';
import { readLogLine } from './log-lines.ts';
import { onFinished } from './on-finished.ts';
import { startRedis, type TestRedis } from './redis.ts';

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
}

interface TypedBy {
  memberId?: string;
  guildId?: string | null;
  manageGuild?: boolean;
}

/** A pace at which tests need not wait: 600 a minute is one token per 100 ms. */
export const QUICK = { requestsPerMinute: 600, burst: 20, requestsPerDay: 1_000 };

/**
 * The bot between an emulated Discord and the card service, over real sockets; stopped when the test or, from
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
  const sandbox = await startSandbox({ ...options, discord, log, service, env });
  onFinished(() => sandbox.stop());
  let bot = await sandbox.startBot();
  return {
    ...sandbox,
    lines,
    async commandLines(count) {
      const written = () => lines.filter(({ msg }) => msg === 'command');
      await expect.poll(written).toHaveLength(count);
      return written();
    },
    card: (id, more = {}, as = {}) => sandbox.discord.type({ command: 'card', options: { id, ...more }, ...as }),
    stopBot: () => bot.stop(),
    async restartBot() {
      await bot.stop();
      if (redis) await forgetIdentify(redis);
      bot = await sandbox.startBot();
    },
    usage: (as = {}) => sandbox.discord.type({ command: 'usage', manageGuild: true, ...as }),
  };
}

/** The paths of all card requests that the service received. */
export function cardRequests({ cardService }: Sandbox): string[] {
  return cardService.requests.map(({ path }) => path).filter((path) => path.startsWith('/cards/'));
}

export function statuses({ cardService }: Sandbox): number[] {
  return cardService.requests.map(({ status }) => status);
}

/** Without this, a bot that starts within 6 s of another waits for its identify slot. */
async function forgetIdentify({ url, prefix }: TestRedis): Promise<void> {
  const client = await createClient({ url }).connect();
  await client.del(`${redisPrefix(prefix)}:claim:identify:0`);
  client.destroy();
}
