import type { PricePoint } from '../../src/model/price-history.ts';
import { withPoint } from '../../src/model/price-history.ts';
import { historyMessage } from '../../src/render/history-message.ts';
import { dayFile, usageDay } from '../../src/render/usage-day.ts';
import { quantile } from './quantile.ts';
import { type BenchTable, timed, wanted } from './table.ts';

const RUNS = 400;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const NOW_MS = Date.UTC(2026, 10, 20, 19, 30);
const MOST_BYTES = 8_000;
const [LOOP_MS, WHOLE_MS] = [10, 25];

interface Drawn {
  name: string;
  draw: () => Promise<Uint8Array>;
}

interface Measured {
  name: string;
  loopMs: number[];
  wholeMs: number[];
  bytes: number;
}

/** What drawing a picture takes of the event loop, which every other command waits for, and until its file is there. */
export async function run(): Promise<BenchTable> {
  const drawn: Drawn[] = [
    { name: 'prices of 7 days, one an hour', draw: historyOf(7, HOUR_MS) },
    { name: 'prices of 30 days, one a day', draw: historyOf(30, DAY_MS) },
    { name: 'prices of 90 days, one an hour', draw: historyOf(90, HOUR_MS) },
    { name: 'the day of `/usage`', draw: day },
  ];
  const measured: Measured[] = [];
  for (const one of drawn) measured.push(await measure(one));
  const all = (pick: (of: Measured) => number) => Math.max(...measured.map(pick));
  const [loop, whole, bytes] = [all((of) => p95(of.loopMs)), all((of) => p95(of.wholeMs)), all((of) => of.bytes)];
  return {
    title: 'Pictures',
    columns: ['picture', 'event loop p50, p95', 'until the file is there p50, p95', 'size'],
    rows: measured.map((of) => [of.name, times(of.loopMs), times(of.wholeMs), kilobytes(of.bytes)]),
    notes: [`Each drawn ${RUNS} times, one after another; it is compressed in another thread.`],
    verdicts: [
      timed(`p95 of the event loop at most ${LOOP_MS} ms (${loop.toFixed(1)} ms)`, loop <= LOOP_MS),
      timed(`p95 in all at most ${WHOLE_MS} ms (${whole.toFixed(1)} ms)`, whole <= WHOLE_MS),
      wanted(`at most 8 kB (${kilobytes(bytes)})`, bytes <= MOST_BYTES),
    ],
  };
}

async function measure({ name, draw }: Drawn): Promise<Measured> {
  const [loopMs, wholeMs]: number[][] = [[], []];
  let bytes = 0;
  for (let index = 0; index < RUNS; index++) {
    const startedMs = performance.now();
    const drawing = draw();
    loopMs?.push(performance.now() - startedMs); // until it waits for the other thread
    bytes = (await drawing).length;
    wholeMs?.push(performance.now() - startedMs);
  }
  return { name, loopMs: loopMs ?? [], wholeMs: wholeMs ?? [], bytes };
}

/** The prices that are kept after so many days, moving as prices do, from a fixed sequence. */
function historyOf(days: number, everyMs: number): () => Promise<Uint8Array> {
  let [seed, price] = [7, 30];
  let history: PricePoint[] = [];
  for (let atMs = NOW_MS - days * DAY_MS; atMs <= NOW_MS; atMs += everyMs) {
    seed = (seed * 16_807) % 2_147_483_647;
    price *= 0.98 + (seed / 2_147_483_647) * 0.04;
    history = withPoint(history, [atMs, Math.round(price * 100) / 100]);
  }
  const view = { card: { name: 'Emberwing Drake' }, history, days, choices: [days], nowMs: NOW_MS };
  return async () => {
    const { files } = await historyMessage({ ...view, locale: 'en', currency: 'USD' }, {});
    return files[0]?.data ?? new Uint8Array();
  };
}

async function day(): Promise<Uint8Array> {
  const hours = Array.from({ length: 20 }, (_, hour) => ({ requests: hour * 2 + 1, saved: hour * 13 }));
  const today = { used: 420, limit: 1_000, remaining: 580, resetsAtMs: Date.UTC(2026, 10, 21), atMs: NOW_MS };
  const drawn = usageDay(hours, today, undefined, NOW_MS);
  return drawn ? (await dayFile(drawn, 'en')).data : new Uint8Array();
}

function p95(values: readonly number[]): number {
  return quantile(values, 0.95);
}

function times(values: readonly number[]): string {
  return `${quantile(values, 0.5).toFixed(1)}, ${p95(values).toFixed(1)} ms`;
}

function kilobytes(bytes: number): string {
  return `${(bytes / 1_000).toFixed(1)} kB`;
}
