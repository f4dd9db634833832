import { setTimeout as sleep } from 'node:timers/promises';
import { startService } from '../../support/backends.ts';
import { KNOWN, knownIds } from '../interleaved-runs.ts';
import { MeasuredBot } from '../measured-bot.ts';
import { median } from '../quantile.ts';
import { type BenchRedis, putCards } from './bench-redis.ts';
import { type FigurePart, PROCESSES } from './figure-part.ts';

const WARM_UP = 1_000;
const ROUNDS = 4;
const COMMANDS = 300;
/** A moderate rate, at which no answer waits for another. */
const COMMANDS_A_SECOND = 100;
const TICK_MS = 5;
const ALLOWED = 1.1;

/** The CPU time of an answer from the cache, for different numbers of processes. */
export async function cpuPerCommand(redis: BenchRedis): Promise<FigurePart> {
  const service = await startService();
  const groups: MeasuredBot[][] = [];
  for (const processes of PROCESSES) groups.push(await startProcesses(processes, service.url, redis));
  for (const bot of groups.flat()) await bot.load(knownIds(), WARM_UP);
  const rounds: number[][] = [];
  for (let round = 0; round < ROUNDS; round++) rounds.push(await Promise.all(groups.map(cpuMs)));
  return part(rounds, service.counts.total);
}

async function startProcesses(count: number, serviceUrl: string, redis: BenchRedis): Promise<MeasuredBot[]> {
  const env = redis.newVariables();
  await putCards({ ...env, CARD_SERVICE_URL: serviceUrl }, KNOWN);
  const start = (id: number) => MeasuredBot.start({ serviceUrl, env, shard: { id, count } });
  return Promise.all(Array.from({ length: count }, (_, id) => start(id)));
}

/** CPU time per command, over all processes of a group. */
async function cpuMs(processes: readonly MeasuredBot[]): Promise<number> {
  const took = await Promise.all(
    processes.map(async (bot) => {
      const ids = knownIds();
      const beforeMs = await bot.cpuMs();
      await steadily(() => bot.callbackMs(ids.next().value));
      return (await bot.cpuMs()) - beforeMs;
    }),
  );
  return took.reduce((sum, ms) => sum + ms, 0) / (processes.length * COMMANDS);
}

/** Types the commands evenly, without waiting for their answers. Resolves when all are answered. */
async function steadily(type: () => Promise<unknown>): Promise<void> {
  const startMs = performance.now();
  const answers: Promise<unknown>[] = [];
  for (; answers.length < COMMANDS; await sleep(TICK_MS)) {
    const due = Math.min(COMMANDS, Math.ceil(((performance.now() - startMs) / 1_000) * COMMANDS_A_SECOND));
    while (answers.length < due) answers.push(type());
  }
  await Promise.all(answers);
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
