import { startService } from '../support/backends.ts';
import { scoped } from '../support/on-finished.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { HOW, type Ids, interleavedRuns, knownIds, type Run as RunOf } from './interleaved-runs.ts';
import { AT_ONCE, MeasuredBot } from './measured-bot.ts';
import { median, quantile } from './quantile.ts';
import { StoredCards, storedCardId } from './stored-cards.ts';
import { type BenchTable, timed, type Verdict, wanted } from './table.ts';

const SIZES = [10, 10_000, 200_000] as const;
const LAYERS = ['memory', 'disk'] as const;
/** What p50 may be above the constant bot's: a ratio, or a time where a fast machine makes the ratio one of small numbers. */
const LIMITS = { memory: { ratio: 1.25, overMs: 0.1 }, disk: { ratio: 1.5, overMs: 0.2 } } as const;
const P50 = 0.5;
const P99 = 0.99;

/** Enough for V8 to compile the hot code, because a bot runs for weeks. */
const WARM_UP = 3_000;

type Layer = (typeof LAYERS)[number];
/** `again` is a second constant bot: it shows how much two measurements of the same thing differ. */
type Name = 'ours' | 'constant' | 'again';
type Run = RunOf<Name>;

/** Figure 4: the cost of an answer from the cache compared with a constant one. */
export async function run(): Promise<BenchTable> {
  const service = await startService();
  const rows: string[][] = [];
  const verdicts: Verdict[] = [];
  for (const size of SIZES) {
    const runs = await scoped(() => latencyRuns(size, service.url));
    for (const layer of LAYERS) {
      rows.push(row(size, layer, runs[layer]));
      verdicts.push(verdict(size, layer, runs[layer]));
    }
  }
  const requests = service.counts.total - SIZES.length;
  verdicts.push(wanted(`0 requests for stored cards (${requests})`, requests === 0));
  return {
    title: 'A command answered from the cache, against a discord.js bot that replies with a constant',
    columns: ['cards stored', 'from', 'p50', 'constant', 'ratio', 'p99', 'constant', 'ratio', 'constant: itself'],
    rows,
    verdicts,
    notes: [
      `Measured ${HOW} Each bot is a process of its own that has answered ${WARM_UP.toLocaleString('en')} commands before. The last column is the p99 of a second constant bot against the first: two measurements of the same thing differ by that much.`,
      'From disk: no card is looked up twice.',
    ],
  };
}

/** Latencies by the layer that the card comes from. Costs one request, which is not among the measured ones. */
async function latencyRuns(size: number, serviceUrl: string): Promise<Record<Layer, Run[]>> {
  const dataDir = temporaryFolder('bench');
  const stored = await StoredCards.open(dataDir, serviceUrl);
  stored.put(0, size);
  const bot = await MeasuredBot.start({ serviceUrl, dataDir });
  await bot.answered('base1-4'); // from the service, so that replies show the requests left today
  const { embeds } = await bot.answered(storedCardId(0));
  const constant = { bot: await MeasuredBot.startConstant(embeds[0]), ids: knownIds() };
  const again = { bot: await MeasuredBot.startConstant(embeds[0]), ids: knownIds() };
  const unread = { bot, ids: refilledIds(stored, size) };
  // A small store is refilled while it is read.
  const disk = await interleavedRuns({ ours: unread, constant, again }, WARM_UP, size > WARM_UP ? AT_ONCE : 1);
  stored.put(0, size);
  const memory = await interleavedRuns({ ours: { bot, ids: knownIds() }, constant, again }, WARM_UP);
  return { disk, memory };
}

/** Ids of stored cards that were never looked up; a small store is refilled with new cards as they run out. */
function* refilledIds(stored: StoredCards, size: number): Ids {
  for (let index = 1; ; index++) {
    if (index % size === 0) stored.put(index, size);
    yield storedCardId(index);
  }
}

function row(size: number, layer: Layer, runs: Run[]): string[] {
  const ms = (name: Name, share: number) => `${median(runs.map((run) => quantile(run[name], share))).toFixed(2)} ms`;
  const figures = (share: number) => [ms('ours', share), ms('constant', share), times(ratio(runs, 'ours', share))];
  return [size.toLocaleString('en'), layer, ...figures(P50), ...figures(P99), times(ratio(runs, 'again', P99))];
}

function verdict(size: number, layer: Layer, runs: Run[]): Verdict {
  const found = ratio(runs, 'ours', P50);
  const overMs = median(runs.map((run) => quantile(run.ours, P50) - quantile(run.constant, P50)));
  const limit = LIMITS[layer];
  const what = `p50 from ${layer} with ${size.toLocaleString('en')} cards stored`;
  return timed(
    `${what} at most ${limit.ratio} × or ${limit.overMs.toFixed(2)} ms more (${times(found)}, ${overMs.toFixed(2)} ms more)`,
    found <= limit.ratio || overMs <= limit.overMs,
  );
}

/** Of a bot to the constant one: the median of the runs. */
function ratio(runs: Run[], name: Name, share: number): number {
  return median(runs.map((run) => quantile(run[name], share) / quantile(run.constant, share)));
}

function times(value: number): string {
  return `${value.toFixed(2)} ×`;
}
