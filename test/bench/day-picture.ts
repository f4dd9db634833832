import { dayFile, usageDay } from '../../src/render/usage-day.ts';
import { quantile } from './quantile.ts';
import type { BenchTable } from './table.ts';

const PICTURES = 300;
const WARM_UP = 50;
const DRAWN_MS = 30;
/** Too little to be noticed in a reply that comes over the network. */
const HELD_UP_MS = 5;

/** The picture of `/usage` late on a busy day: how long it takes, and how long it holds up everything else. */
export async function run(): Promise<BenchTable> {
  const tookMs: number[] = [];
  const heldUpMs: number[] = [];
  for (let count = -WARM_UP; count < PICTURES; count++) {
    const { took, heldUp } = await draw(count + WARM_UP);
    if (count < 0) continue;
    tookMs.push(took);
    heldUpMs.push(heldUp);
  }
  const ms = (values: number[], share: number) => `${quantile(values, share).toFixed(2)} ms`;
  const figures = (values: number[]) => [ms(values, 0.5), ms(values, 0.99)];
  return {
    title: 'The picture of the day in `/usage`',
    columns: ['', 'p50', 'p99'],
    rows: [
      ['drawn and compressed', ...figures(tookMs)],
      ['another command waits for it at most', ...figures(heldUpMs)],
    ],
    verdicts: [
      {
        claim: `drawn in under ${DRAWN_MS} ms (p99 ${ms(tookMs, 0.99)})`,
        reached: quantile(tookMs, 0.99) < DRAWN_MS,
        timing: true,
      },
      {
        claim: `another command waits under ${HELD_UP_MS} ms for it (p50 ${ms(heldUpMs, 0.5)})`,
        reached: quantile(heldUpMs, 0.5) < HELD_UP_MS,
        timing: true,
      },
    ],
    notes: [
      `${PICTURES} pictures of 24 hours, one after another. Another command waits as long as the event loop does not turn: its longest turn while a picture is made, which is compressed in another thread.`,
    ],
  };
}

async function draw(seed: number): Promise<{ took: number; heldUp: number }> {
  const hours = Array.from({ length: 24 }, (_, hour) => ({
    requests: (hour * 7 + seed) % 60,
    saved: (hour * 31) % 300,
  }));
  const nowMs = Date.UTC(2026, 0, 1, 23, 30);
  const today = { used: 900, limit: 1_000, remaining: 100, resetsAtMs: Date.UTC(2026, 0, 2), atMs: nowMs };
  const day = usageDay(hours, today, undefined, nowMs);
  if (!day) throw new Error('nothing to draw');

  let isDrawing = true;
  let heldUp = 0;
  let turnedAtMs = performance.now();
  const turn = () => {
    const now = performance.now();
    heldUp = Math.max(heldUp, now - turnedAtMs);
    turnedAtMs = now;
    if (isDrawing) setImmediate(turn);
  };
  const startedMs = performance.now();
  setImmediate(turn);
  await dayFile(day, 'en-US');
  const took = performance.now() - startedMs;
  isDrawing = false;
  await new Promise<void>((resolve) => setImmediate(resolve)); // the last turn counts, too
  return { took, heldUp };
}
