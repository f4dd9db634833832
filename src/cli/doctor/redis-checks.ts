import type { Config } from '../../config/config.ts';
import {
  newClient,
  type RedisClient,
  settingProblems,
  tlsCure,
  UNLIKE_REDIS,
  whyUnusable,
} from '../../storage/redis/client.ts';
import { withTimeout } from '../../time/timers.ts';
import { networkCode } from '../request.ts';
import { type Finding, right, unknown, unreachable, wrong } from './finding.ts';

const CHECK = 'Redis';
const PATIENCE_MS = 5_000;

/** Whether Redis can hold the bot's state, and keeps it. Writes one key, which expires within a second. */
export async function checkRedis(redis: NonNullable<Config['redis']>): Promise<Finding[]> {
  const { url } = redis;
  const client = newClient(url, { reconnects: false });
  client.on('error', () => {}); // connect() rejects with it
  try {
    return (await withTimeout(PATIENCE_MS, findings(client, redis))) ?? [noAnswer(url)];
  } catch (error) {
    return [failureFinding(error, url)];
  } finally {
    client.destroy();
  }
}

async function findings(client: RedisClient, { url, keyPrefix }: NonNullable<Config['redis']>) {
  await client.connect();
  const unusable = await whyUnusable(client);
  if (unusable !== undefined) return [wrong(CHECK, unusable)];
  await client.set(`${keyPrefix}:doctor`, '1', { expiration: { type: 'PX', value: 1_000 } });
  const info = await client.info().catch((error) => {
    if (client.isReady) return undefined; // it was refused
    throw error;
  });
  if (info === undefined) return [right(CHECK, new URL(url).host), unknown('Redis settings', NO_INFO)];
  const problems = settingProblems(info).map((problem) => wrong(CHECK, problem));
  return problems.length > 0 ? problems : [right(CHECK, new URL(url).host)];
}

const NO_INFO =
  'Redis refuses INFO, so whether it keeps deferred replies over a restart is not known. Allow its user +info, or look at appendonly and maxmemory-policy yourself.';

function noAnswer(url: string): Finding {
  return wrong(CHECK, `There is no answer from ${new URL(url).host}. Check REDIS_URL and the connection.`);
}

/** What Redis answered is safe to show: it repeats no password. */
function failureFinding(error: unknown, url: string): Finding {
  const { host } = new URL(url);
  const code = networkCode(error);
  if (code !== undefined) return unreachable(CHECK, host, { reason: code }, 'REDIS_URL');
  const message = error instanceof Error ? error.message : String(error);
  if (message.startsWith('NOAUTH'))
    return wrong(CHECK, `${host} needs a password. Write redis://:PASSWORD@HOST:PORT into REDIS_URL.`);
  if (message.startsWith('WRONGPASS'))
    return wrong(CHECK, `${host} does not accept the user and password in REDIS_URL. Correct them.`);
  if (message.startsWith('NOPERM'))
    return wrong(
      CHECK,
      `The user in REDIS_URL may not do what the bot needs (${message}). Its rights are listed in docs/more-processes.md.`,
    );
  if (message.startsWith('READONLY'))
    return wrong(CHECK, `${host} is a replica and takes no writes. Set REDIS_URL to the primary.`);
  if (message.startsWith('Socket timeout')) return noAnswer(url);
  if (UNLIKE_REDIS.test(message)) {
    return wrong(
      CHECK,
      `${host} does not answer like Redis (${message}): ${tlsCure(url)}. Check its host and port, too.`,
    );
  }
  return wrong(CHECK, `${host} cannot be used (${message}). Check REDIS_URL.`);
}
