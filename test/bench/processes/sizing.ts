import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startCardService } from '../../../src/sandbox/card-service.ts';
import { ourBot } from '../bots.ts';
import { AT_ONCE, type Contender } from '../contender.ts';
import { knownIds } from '../latency-runs.ts';
import { residentMegabytes } from '../process-memory.ts';
import { DAY_CARDS } from '../quota/day-of-lookups.ts';
import { storedCardId } from '../stored-cards.ts';
import { type BenchTable, toMarkdown } from '../table.ts';
import { type BenchRedis, startBenchRedis } from './bench-redis.ts';
import { putCards } from './cards-in-redis.ts';
import { bytesOfEach } from './redis-memory.ts';
import { RedisUse } from './redis-use.ts';
import { sentCommands } from './sent-commands.ts';

const COMMANDS = 3_000;
const IDLE_MS = 5_000;
/** So high that it does not limit. */
const PACE = { requestsPerMinute: 600_000, burst: 10_000 };

/** Figures for sizing a Redis and its processes. */
export async function run(): Promise<BenchTable> {
  const redis = await startBenchRedis();
  try {
    if (!redis.isReal) throw new Error('needs a Redis: an emulation has other figures');
    const use = await RedisUse.of(redis.url);
    const memory = await bytesOfEach(use, variablesFor(redis, 'http://cards.example'));
    const cost = await costs(redis, use);
    const sent = await sentToRedis(redis);
    use.close();
    return {
      title: 'What Redis mode costs',
      columns: ['', ''],
      rows: [
        ...memory.map(([what, bytes]) => [`Redis memory, ${what}`, `${Math.round(bytes)} bytes`]),
        ...sent,
        ...cost,
      ],
      notes: [
        redis.note,
        `CPU time of Redis: from its own INFO, for ${COMMANDS.toLocaleString('en')} commands of a kind (${DAY_CARDS.length} with a request), less what an idle process costs in the same time. CPU time of a process: as fast as possible, ${AT_ONCE} concurrent commands. Resident size: after as many commands.`,
        `Commands to Redis: as MONITOR shows them, without what an idle process sends; a script or a transaction is one.`,
      ],
    };
  } finally {
    await redis.close();
  }
}

async function costs(redis: BenchRedis, use: RedisUse): Promise<string[][]> {
  const folder = mkdtempSync(join(tmpdir(), 'cardbot-bench-'));
  const service = await startCardService({ plan: 'enterprise', ...PACE, cards: DAY_CARDS });
  const variables = variablesFor(redis, service.url);
  const bots: Contender[] = [];
  try {
    await putCards(variables, COMMANDS + 10);
    const shared = await ourBot(mkdtempSync(join(folder, 'data-')), service.url, variables, { countsCpu: true });
    bots.push(shared);
    await sleep(IDLE_MS); // until the work after the start is done
    const idle = (await cpuMs(use, () => sleep(IDLE_MS))) / IDLE_MS;
    const each = async (commands: number, work: () => Promise<unknown>) => {
      const startMs = performance.now();
      const tookMs = await cpuMs(use, work);
      const ms = tookMs - idle * (performance.now() - startMs);
      return `${(Math.max(0, ms) / commands).toFixed(3)} ms`;
    };
    const inRedis = await each(COMMANDS, () => shared.load(unreadIds(), COMMANDS));
    await shared.load(knownIds(), COMMANDS);
    const beforeMs = await shared.cpuMs();
    const inMemory = await each(COMMANDS, () => shared.load(knownIds(), COMMANDS));
    const commandMs = ((await shared.cpuMs()) - beforeMs) / COMMANDS;
    const sharedMegabytes = residentMegabytes(shared.pid);
    const withRequest = await each(DAY_CARDS.length, () => lookUpAll(shared));

    const { REDIS_URL: _, ...withoutRedis } = variables;
    const embedded = await ourBot(mkdtempSync(join(folder, 'data-')), service.url, withoutRedis);
    bots.push(embedded);
    await lookUpAll(embedded);
    const ids = function* (): Generator<string, never> {
      for (let index = 0; ; index++) yield DAY_CARDS[index % DAY_CARDS.length]?.id ?? '';
    };
    await embedded.load(ids(), 3 * COMMANDS);
    return [
      ['CPU time of a process, a command whose card is in memory', `${commandMs.toFixed(3)} ms`],
      ['Such commands a second at 100 % of a core', Math.round(1_000 / commandMs).toLocaleString('en')],
      ['Redis CPU time, a process that is idle', `${(idle * 1_000).toFixed(1)} ms a second`],
      ['Redis CPU time, a command whose card is in memory', inMemory],
      ['Redis CPU time, a command whose card is in Redis', inRedis],
      ['Redis CPU time, a command with its request', withRequest],
      ['Resident size of a process, Redis mode', `${sharedMegabytes.toFixed(0)} MB`],
      ['Resident size of a process, embedded', `${residentMegabytes(embedded.pid).toFixed(0)} MB`],
    ];
  } finally {
    await Promise.all(bots.map((bot) => bot.stop()));
    await service.close();
    rmSync(folder, { recursive: true });
  }
}

/** With budgets for members, which the other figures are without. */
async function sentToRedis(redis: BenchRedis): Promise<string[][]> {
  const folder = mkdtempSync(join(tmpdir(), 'cardbot-bench-'));
  const service = await startCardService({ plan: 'enterprise', ...PACE, cards: DAY_CARDS });
  const variables = { ...variablesFor(redis, service.url), MEMBER_DAILY_REQUESTS: '1000' };
  try {
    await putCards(variables, 300);
    const found = await sentCommands(variables, folder);
    return found.map(([kind, commands]) => [`Commands to Redis, ${kind}`, commands.toFixed(1)]);
  } finally {
    await service.close();
    rmSync(folder, { recursive: true });
  }
}

function variablesFor({ url, newPrefix }: BenchRedis, serviceUrl: string): Record<string, string> {
  return {
    REDIS_URL: url,
    REDIS_KEY_PREFIX: newPrefix(),
    CARD_SERVICE_URL: serviceUrl,
    CARD_SERVICE_PLAN: 'enterprise',
    CARD_SERVICE_REQUESTS_PER_MINUTE: String(PACE.requestsPerMinute),
    CARD_SERVICE_BURST: String(PACE.burst),
    MEMBER_DAILY_REQUESTS: '0',
  };
}

async function cpuMs(use: RedisUse, work: () => Promise<unknown>): Promise<number> {
  const before = await use.cpuMs();
  await work();
  return (await use.cpuMs()) - before;
}

/** Each card once, several at a time. */
async function lookUpAll(bot: Contender): Promise<void> {
  const left = DAY_CARDS[Symbol.iterator]();
  const inSequence = async () => {
    for (const { id } of left) await bot.answered(id);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, inSequence));
}

function* unreadIds(): Generator<string, never> {
  for (let index = 10; ; index++) yield storedCardId(index);
}

if (import.meta.main) process.stdout.write(`${toMarkdown(await run())}\n`);
