import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '@redis/client';
import type { CardServiceOptions } from '../../../src/sandbox/card-service.ts';
import { paceVariables, startService } from '../../support/backends.ts';
import { onFinished, scoped } from '../../support/on-finished.ts';
import { KNOWN, knownIds, unreadIds } from '../interleaved-runs.ts';
import { AT_ONCE, MeasuredBot } from '../measured-bot.ts';
import { cpuMs, residentMegabytes } from '../process-figures.ts';
import { DAY_CARDS } from '../quota/day-of-lookups.ts';
import type { BenchTable } from '../table.ts';
import { type BenchRedis, putCards, startBenchRedis } from './bench-redis.ts';
import { lookUpAll } from './group.ts';
import { bytesOfEach } from './redis-memory.ts';

const COMMANDS = 3_000;
const IDLE_MS = 5_000;
/** So high that it does not limit. */
const PACE = { requestsPerMinute: 600_000, burst: 10_000 };
const SERVICE: CardServiceOptions = { plan: 'enterprise', ...PACE, cards: DAY_CARDS };
const ENV = { ...paceVariables(PACE), CARD_SERVICE_PLAN: 'enterprise', MEMBER_DAILY_REQUESTS: '0' };
const IDS = DAY_CARDS.map(({ id }) => id);

/** Figures for sizing a Redis and its processes. */
export async function run(): Promise<BenchTable> {
  const redis = await startBenchRedis();
  if (!redis.isReal) throw new Error('needs a Redis: an emulation has other figures');
  const use = await redisUse(redis.url);
  const memory = await bytesOfEach(use.bytes, { ...redis.newVariables(), CARD_SERVICE_URL: 'http://cards.example' });
  const cost = await scoped(() => costs(redis, use.cpuMs));
  return {
    title: 'What Redis mode costs',
    columns: ['', ''],
    rows: [...memory.map(([what, bytes]) => [`Redis memory, ${what}`, `${Math.round(bytes)} bytes`]), ...cost],
    notes: [
      redis.note,
      `CPU time of Redis: from its own INFO, for ${COMMANDS.toLocaleString('en')} commands of a kind (${IDS.length} with a request), less what an idle process costs in the same time. CPU time of a process: as fast as possible, ${AT_ONCE} concurrent commands. Resident size: after as many commands.`,
    ],
  };
}

/** What a Redis has used so far, for all clients. */
async function redisUse(url: string) {
  const client = await createClient({ url }).connect();
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
  const env = { ...redis.newVariables(), ...ENV };
  await putCards({ ...env, CARD_SERVICE_URL: serviceUrl }, COMMANDS + KNOWN);
  const shared = await MeasuredBot.start({ serviceUrl, env });
  await sleep(IDLE_MS); // until the work after the start is done
  const during = async (work: () => Promise<unknown>) => {
    const [startMs, before] = [performance.now(), await redisCpuMs()];
    await work();
    return { usedMs: (await redisCpuMs()) - before, tookMs: performance.now() - startMs };
  };
  const { usedMs, tookMs } = await during(() => sleep(IDLE_MS));
  const idle = usedMs / tookMs;
  const each = async (commands: number, work: () => Promise<unknown>) => {
    const { usedMs, tookMs } = await during(work);
    return `${(Math.max(0, usedMs - idle * tookMs) / commands).toFixed(3)} ms`;
  };
  const inRedis = await each(COMMANDS, () => shared.load(unreadIds(KNOWN), COMMANDS));
  await shared.load(knownIds(), COMMANDS);
  const beforeMs = cpuMs(shared.pid);
  const inMemory = await each(COMMANDS, () => shared.load(knownIds(), COMMANDS));
  const commandMs = (cpuMs(shared.pid) - beforeMs) / COMMANDS;
  const megabytes = ({ pid }: MeasuredBot) => `${residentMegabytes(pid).toFixed(0)} MB`;
  const sharedMegabytes = megabytes(shared);
  const withRequest = await each(IDS.length, () => lookUpAll([shared], IDS, AT_ONCE));

  const embedded = await MeasuredBot.start({ serviceUrl, env: ENV });
  await lookUpAll([embedded], IDS, AT_ONCE);
  await embedded.load(dayIds(), 3 * COMMANDS);
  return [
    ['CPU time of a process, a command whose card is in memory', `${commandMs.toFixed(3)} ms`],
    ['Such commands a second at 100 % of a core', Math.round(1_000 / commandMs).toLocaleString('en')],
    ['Redis CPU time, a process that is idle', `${(idle * 1_000).toFixed(1)} ms a second`],
    ['Redis CPU time, a command whose card is in memory', inMemory],
    ['Redis CPU time, a command whose card is in Redis', inRedis],
    ['Redis CPU time, a command with its request', withRequest],
    ['Resident size of a process, Redis mode', sharedMegabytes],
    ['Resident size of a process, embedded', megabytes(embedded)],
  ];
}

function* dayIds(): Generator<string, never> {
  for (let index = 0; ; index++) yield IDS[index % IDS.length] ?? '';
}
