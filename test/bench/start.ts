import { setTimeout as sleep } from 'node:timers/promises';
import { startService } from '../support/backends.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { MeasuredBot } from './measured-bot.ts';
import { cpuMs, residentMegabytes } from './process-figures.ts';
import { median } from './quantile.ts';
import { type BenchTable, timed } from './table.ts';

const RUNS = 7;
/** What a start has put off is done by then, or waits for a member. */
const SETTLED_MS = 5_000;

const FIGURES = ['readyMs', 'cpuMs', 'residentMegabytes'] as const;
type Start = Record<(typeof FIGURES)[number], number>;
const UNITS = { readyMs: 'ms', cpuMs: 'ms', residentMegabytes: 'MB' } as const;
const LIMITS: Start = { readyMs: 1.1, cpuMs: 1.5, residentMegabytes: 1.42 };
const CLAIMS = { readyMs: 'READY', cpuMs: 'CPU time until READY', residentMegabytes: 'resident size' } as const;

/** How soon, with how much CPU time and in how much memory the bot is connected. */
export async function run(): Promise<BenchTable> {
  const service = await startService();
  const dataDir = temporaryFolder('bench');
  const startOurs = () => MeasuredBot.start({ serviceUrl: service.url, dataDir });
  // The first start makes the data directory, the second fills the compile cache there.
  for (let warmUp = 0; warmUp < 2; warmUp++) await measured(startOurs);
  const [ours, constant]: [Start[], Start[]] = [[], []];
  for (let count = 0; count < RUNS; count++) {
    ours.push(await measured(startOurs));
    constant.push(await measured(() => MeasuredBot.startConstant(undefined)));
  }
  const [our, their] = [medians(ours), medians(constant)];
  const row = (name: string, start: Start) => [
    name,
    ...FIGURES.map((figure) => `${start[figure].toFixed(0)} ${UNITS[figure]}`),
  ];
  const ratio = (figure: keyof Start) => our[figure] / their[figure];
  return {
    title: 'A start, until it is connected to an emulated Discord',
    columns: ['', 'READY', 'CPU time until READY', `resident size after ${SETTLED_MS / 1000} s`],
    rows: [
      row('cardbot', our),
      row('a constant', their),
      ['ratio', ...FIGURES.map((figure) => `${ratio(figure).toFixed(2)} ×`)],
    ],
    verdicts: FIGURES.map((figure) =>
      timed(
        `${CLAIMS[figure]} at most ${LIMITS[figure]} × (${ratio(figure).toFixed(2)} ×)`,
        ratio(figure) <= LIMITS[figure],
      ),
    ),
    notes: [
      `Medians of ${RUNS} starts of each, in turn. The bot has started in this data directory before, so that its compile cache is there; the constant bot has none.`,
    ],
  };
}

async function measured(startBot: () => Promise<MeasuredBot>): Promise<Start> {
  const bot = await startBot();
  const start = { readyMs: bot.readyMs, cpuMs: cpuMs(bot.pid) };
  await sleep(SETTLED_MS);
  const resident = residentMegabytes(bot.pid);
  await bot.stop();
  return { ...start, residentMegabytes: resident };
}

function medians(starts: readonly Start[]): Start {
  const of = (figure: keyof Start) => median(starts.map((start) => start[figure]));
  return { readyMs: of('readyMs'), cpuMs: of('cpuMs'), residentMegabytes: of('residentMegabytes') };
}
