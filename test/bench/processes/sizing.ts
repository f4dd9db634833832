import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '@redis/client';
import type { CardServiceOptions } from '../../../src/sandbox/card-service.ts';
import { paceVariables, startService } from '../../support/backends.ts';
import { onFinished, scoped } from '../../support/on-finished.ts';
import { concurrently } from '../concurrently.ts';
import { KNOWN, knownIds, unreadIds } from '../interleaved-runs.ts';
import { AT_ONCE, MeasuredBot } from '../measured-bot.ts';
import { residentMegabytes } from '../process-memory.ts';
import { DAY_CARDS } from '../quota/day-of-lookups.ts';
import type { BenchTable } from '../table.ts';
import { type BenchRedis, putCards, startBenchRedis } from './bench-redis.ts';
import { bytesOfEach } from './redis-memory.ts';
import { sentCommands } from './sent-commands.ts';

const COMMANDS = 3_000;
const IDLE_MS = 5_000;
/** So high that it does not limit. */
const PACE = { requestsPerMinute: 600_000, burst: 10_000 };
const SERVICE: CardServiceOptions = { plan: 'enterprise', ...PACE, cards: DAY_CARDS };

/** Figures for sizing a Redis and its processes. */
export async function run(): Promise<BenchTable> {
  const redis = await startBenchRedis();
  if (!redis.isReal) throw new Error('needs a Redis: an emulation has other figures');
  const use = await redisUse(redis.url);
  const memory = await bytesOfEach(use.bytes, variablesFor(redis, 'http://cards.example'));
  const cost = await scoped(() => costs(redis, use.cpuMs));
  const sent = await scoped(() => sentToRedis(redis));
  return {
    title: 'What Redis mode costs',
    columns: ['', ''],
    rows: [...memory.map(([what, bytes]) => [`Redis memory, ${what}`, `${Math.round(bytes)} bytes`]), ...sent, ...cost],
    notes: [
      redis.note,
      `CPU time of Redis: from its own INFO, for ${COMMANDS.toLocaleString('en')} commands of a kind (${DAY_CARDS.length} with a request), less what an idle process costs in the same time. CPU time of a process: as fast as possible, ${AT_ONCE} concurrent commands. Resident size: after as many commands.`,
      `Commands to Redis: as they pass a relay before it, without what an idle process sends; a script or a transaction is one.`,
    ],
  };
}

/** What a Redis has used so far, for all clients. */
async function redisUse(url: string) {
  const client = createClient({ url });
  await client.connect();
  onFinished(() => client.destroy());
  const field = (info: string, name: string) => Number(new RegExp(`^${name}:(.*)$`, 'm').exec(info)?.[1]);
  return {
    bytes: async () => field(await client.info('memory'), 'used_memory'),
    /** In user and system mode, since it started. */
    async cpuMs() {
      const info = await client.info('cpu');
      return (field(info, 'used_cpu_user') + field(info, 'used_cpu_sys')) * 1_000;
    },
  };
}

async function costs(redis: BenchRedis, redisCpuMs: () => Promise<number>): Promise<string[][]> {
  const { url: serviceUrl } = await startService(SERVICE);
  const variables = variablesFor(redis, serviceUrl);
  await putCards(variables, COMMANDS + KNOWN);
  const shared = await MeasuredBot.start({ serviceUrl, env: variables });
  await sleep(IDLE_MS); // until the work after the start is done
  const cpuMs = async (work: () => Promise<unknown>) => {
    const before = await redisCpuMs();
    await work();
    return (await redisCpuMs()) - before;
  };
  const idle = (await cpuMs(() => sleep(IDLE_MS))) / IDLE_MS;
  const each = async (commands: number, work: () => Promise<unknown>) => {
    const startMs = performance.now();
    const tookMs = await cpuMs(work);
    const ms = tookMs - idle * (performance.now() - startMs);
    return `${(Math.max(0, ms) / commands).toFixed(3)} ms`;
  };
  const inRedis = await each(COMMANDS, () => shared.load(unreadIds(KNOWN), COMMANDS));
  await shared.load(knownIds(), COMMANDS);
  const beforeMs = await shared.cpuMs();
  const inMemory = await each(COMMANDS, () => shared.load(knownIds(), COMMANDS));
  const commandMs = ((await shared.cpuMs()) - beforeMs) / COMMANDS;
  const sharedMegabytes = residentMegabytes(shared.pid);
  const withRequest = await each(DAY_CARDS.length, () => lookUpAll(shared));

  const { REDIS_URL: _, ...withoutRedis } = variables;
  const embedded = await MeasuredBot.start({ serviceUrl, env: withoutRedis });
  await lookUpAll(embedded);
  await embedded.load(dayIds(), 3 * COMMANDS);
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
}

/** With budgets for members, which the other figures are without. */
async function sentToRedis(redis: BenchRedis): Promise<string[][]> {
  const service = await startService(SERVICE);
  const variables = { ...variablesFor(redis, service.url), MEMBER_DAILY_REQUESTS: '1000' };
  await putCards(variables, 300);
  const found = await sentCommands(variables, service);
  return found.map(([kind, commands]) => [`Commands to Redis, ${kind}`, commands.toFixed(1)]);
}

function variablesFor(redis: BenchRedis, serviceUrl: string): Record<string, string> {
  return {
    ...redis.newVariables(),
    ...paceVariables(PACE),
    CARD_SERVICE_URL: serviceUrl,
    CARD_SERVICE_PLAN: 'enterprise',
    MEMBER_DAILY_REQUESTS: '0',
  };
}

/** Each card once, several at a time. */
function lookUpAll(bot: MeasuredBot): Promise<void> {
  return concurrently(DAY_CARDS, AT_ONCE, ({ id }) => bot.answered(id));
}

function* dayIds(): Generator<string, never> {
  for (let index = 0; ; index++) yield DAY_CARDS[index % DAY_CARDS.length]?.id ?? '';
}
