import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startCardService } from '../../../src/sandbox/card-service.ts';
import { ourBot } from '../bots.ts';
import { AT_ONCE, type Contender } from '../contender.ts';
import { knownIds } from '../latency-runs.ts';
import { steady } from '../load/steady.ts';
import { median } from '../quantile.ts';
import type { BenchRedis } from './bench-redis.ts';
import { putCards } from './cards-in-redis.ts';
import { type FigurePart, PROCESSES } from './figure-part.ts';

const WARM_UP = 1_000;
const ROUNDS = 4;
const COMMANDS = 300;
/** A moderate rate, at which no answer waits for another. */
const COMMANDS_A_SECOND = 100;
const STORED = 10;
const ALLOWED = 1.1;

/** The CPU time of an answer from the cache, for different numbers of processes. */
export async function cpuPerCommand(redis: BenchRedis): Promise<FigurePart> {
  const folder = mkdtempSync(join(tmpdir(), 'cardbot-bench-'));
  const service = await startCardService();
  const groups: Contender[][] = [];
  try {
    for (const processes of PROCESSES) {
      groups.push(await startProcesses(processes, mkdtempSync(join(folder, 'data-')), service.url, redis));
    }
    for (const bot of groups.flat()) await bot.load(knownIds(), WARM_UP, AT_ONCE);
    const rounds: number[][] = [];
    for (let round = 0; round < ROUNDS; round++) rounds.push(await Promise.all(groups.map(cpuMs)));
    return part(rounds, service.counts.total);
  } finally {
    await Promise.all(groups.flat().map((bot) => bot.stop()));
    await service.close();
    rmSync(folder, { recursive: true });
  }
}

async function startProcesses(count: number, dataDir: string, serviceUrl: string, redis: BenchRedis) {
  const variables = { REDIS_URL: redis.url, REDIS_KEY_PREFIX: redis.newPrefix() };
  await putCards({ ...variables, CARD_SERVICE_URL: serviceUrl }, STORED);
  const ids = Array.from({ length: count }, (_, id) => id);
  return Promise.all(
    ids.map((id) => ourBot(dataDir, serviceUrl, variables, { shard: { id, count }, countsCpu: true })),
  );
}

/** CPU time per command, over all processes of a group. */
async function cpuMs(processes: readonly Contender[]): Promise<number> {
  const took = await Promise.all(
    processes.map(async (bot) => {
      const ids = knownIds();
      const answers: Promise<unknown>[] = [];
      const beforeMs = await bot.cpuMs();
      await steady(COMMANDS, COMMANDS / COMMANDS_A_SECOND, () => answers.push(bot.callbackMs(ids.next().value)));
      await Promise.all(answers);
      return (await bot.cpuMs()) - beforeMs;
    }),
  );
  return took.reduce((sum, ms) => sum + ms, 0) / (processes.length * COMMANDS);
}

function part(rounds: number[][], requests: number): FigurePart {
  const found = PROCESSES.map((_, column) => median(rounds.map((round) => round[column] ?? 0)));
  const ratios = PROCESSES.map((_, column) => median(rounds.map((round) => (round[column] ?? 0) / (round[0] ?? 0))));
  return {
    rows: [
      ['CPU time for a command from the cache', ...found.map((ms) => `${ms.toFixed(3)} ms`)],
      ['CPU time, of that with one process', ...ratios.map((ratio) => `${ratio.toFixed(2)} ×`)],
    ],
    verdicts: [
      {
        claim: `CPU time for a command at most ${ALLOWED} × that with one process (${ratios.map((ratio) => ratio.toFixed(2)).join(', ')})`,
        reached: ratios.every((ratio) => ratio <= ALLOWED),
        timing: true,
      },
      { claim: `no request for a known card (${requests})`, reached: requests === 0 },
    ],
    notes: [
      `CPU time: of the bot's processes in user and system mode; the emulated Discord and Redis are other processes. ${COMMANDS_A_SECOND} commands a second to each process, ${COMMANDS} in each of ${ROUNDS} rounds, after ${WARM_UP.toLocaleString('en')} to warm up; groups of ${PROCESSES.join(', ')} at the same time, so that a busy machine hits all alike.`,
    ],
  };
}
