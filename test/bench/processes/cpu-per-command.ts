import { startService } from '../../support/backends.ts';
import { knownIds } from '../interleaved-runs.ts';
import type { MeasuredBot } from '../measured-bot.ts';
import { cpuMs } from '../process-figures.ts';
import { median } from '../quantile.ts';
import { timed, wanted } from '../table.ts';
import type { BenchRedis } from './bench-redis.ts';
import { type FigurePart, PROCESSES, startGroup } from './group.ts';

const WARM_UP = 1_000;
const ROUNDS = 4;
const COMMANDS = 300;
const ALLOWED = 1.1;

/** The CPU time of an answer from the cache, for different numbers of processes. */
export async function cpuPerCommand(redis: BenchRedis): Promise<FigurePart> {
  const service = await startService();
  const groups: MeasuredBot[][] = [];
  for (const size of PROCESSES) groups.push(await startGroup(size, { redis, serviceUrl: service.url }));
  for (const bot of groups.flat()) await bot.load(knownIds(), WARM_UP);
  const rounds: number[][] = [];
  for (let round = 0; round < ROUNDS; round++) rounds.push(await Promise.all(groups.map(msPerCommand)));

  const column = (of: (round: number[], column: number) => number) =>
    PROCESSES.map((_, index) => median(rounds.map((round) => of(round, index))));
  const found = column((round, index) => round[index] ?? 0);
  const ratios = column((round, index) => (round[index] ?? 0) / (round[0] ?? 0));
  const { total } = service.counts;
  return {
    rows: [
      ['CPU time for a command from the cache', ...found.map((ms) => `${ms.toFixed(3)} ms`)],
      ['CPU time, of that with one process', ...ratios.map((ratio) => `${ratio.toFixed(2)} ×`)],
    ],
    verdicts: [
      timed(
        `CPU time for a command at most ${ALLOWED} × that with one process (${ratios.map((ratio) => ratio.toFixed(2)).join(', ')})`,
        ratios.every((ratio) => ratio <= ALLOWED),
      ),
      wanted(`no request for a known card (${total})`, total === 0),
    ],
    notes: [
      `CPU time: of the bot's processes in user and system mode; the emulated Discord and Redis are other processes. Each process has one command at a time, ${COMMANDS} in each of ${ROUNDS} rounds, after ${WARM_UP.toLocaleString('en')} to warm up; groups of ${PROCESSES.join(', ')} at the same time, so that a busy machine hits all alike.`,
    ],
  };
}

/** CPU time per command, over all processes of a group. */
async function msPerCommand(bots: readonly MeasuredBot[]): Promise<number> {
  const used = () => bots.reduce((sum, { pid }) => sum + cpuMs(pid), 0);
  const before = used();
  await Promise.all(bots.map((bot) => bot.load(knownIds(), COMMANDS, 1)));
  return (used() - before) / (bots.length * COMMANDS);
}
