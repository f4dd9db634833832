import { createClient } from 'redis';
import { expect } from 'vitest';
import { createLog } from '../../src/log.ts';
import type { TypedInteraction } from '../../src/sandbox/discord/typed-interaction.ts';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../src/sandbox/sandbox.ts';
import { LONG_DAY } from './long-day.ts';
import { PATIENT } from './patient-discord.ts';
import { startRedis, type TestRedis } from './redis.ts';
import { whenOver } from './when-over.ts';

export interface World extends Sandbox {
  /** Every line that the bot logged. */
  lines: Record<string, unknown>[];
  /** The lines that commands left, as soon as there are so many: a line follows its answer. */
  commandLines(count: number): Promise<Record<string, unknown>[]>;
  /** Types `/card` as the first member in the first server. */
  card(id: string, options?: Record<string, string | boolean>, as?: Who): TypedInteraction;
  usage(as?: Who): TypedInteraction;
  /** Stops the bot, and starts it again on what it left behind. */
  restartBot(): Promise<void>;
  stopBot(): Promise<void>;
}

interface Who {
  memberId?: string;
  guildId?: string | null;
  manageGuild?: boolean;
}

/** A pace at which tests need not wait: 600 a minute is one token in 100 ms. */
export const QUICK = { requestsPerMinute: 600, burst: 20, requestsPerDay: 1_000 };

/**
 * The bot between an emulated Discord and the card service, over real sockets; all gone when the test ends; in `beforeAll`,
 * when the file does. Its state is in files or, in the project `redis` of vitest.config.ts, in a Redis.
 */
export async function startWorld(options: Omit<SandboxOptions, 'log'> = {}): Promise<World> {
  const lines: Record<string, unknown>[] = [];
  const log = createLog({
    level: 'debug',
    secrets: [],
    destination: { write: (line) => void lines.push(JSON.parse(line)) },
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
  whenOver(() => sandbox.stop());
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

/** Every request for a card that the service saw, by path. */
export function cardRequests({ cardService }: Sandbox): string[] {
  return cardService.requests.map(({ path }) => path).filter((path) => path.startsWith('/cards/'));
}

export function statuses({ cardService }: Sandbox): number[] {
  return cardService.requests.map(({ status }) => status);
}

/** Else whoever starts within 6 s of another waits for its turn to identify. */
async function forgetIdentify({ url, prefix }: TestRedis): Promise<void> {
  const client = await createClient({ url }).connect();
  await client.del(`${prefix}:v1:identify:0`);
  client.destroy();
}
