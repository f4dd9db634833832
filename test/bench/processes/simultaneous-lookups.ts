import { setTimeout as sleep } from 'node:timers/promises';
import { paceVariables, startService } from '../../support/backends.ts';
import { scoped } from '../../support/on-finished.ts';
import { median } from '../quantile.ts';
import { DAY_CARDS } from '../quota/day-of-lookups.ts';
import { count, seconds } from '../quota/format.ts';
import { timed, wanted } from '../table.ts';
import type { BenchRedis } from './bench-redis.ts';
import { type FigurePart, lookUpAll, PROCESSES, startGroup } from './group.ts';

const LOOKUPS = 60;
const PER_SECOND = 10;
const BURST = 20;
const PACE = { requestsPerMinute: PER_SECOND * 60, burst: BURST };
/** A full bucket at once, and the rest as it refills. */
const OPTIMUM_MS = ((LOOKUPS - BURST) / PER_SECOND) * 1000;
const ALLOWED = 1.05;
const ROUNDS = 3;
/** Two for each of four processes, so that their code is partly compiled. */
const WARM_UPS = 8;
/** Until the bucket is full again. */
const REFILL_MS = (WARM_UPS / PER_SECOND) * 1000 + 200;
const IDS = DAY_CARDS.map(({ id }) => id);

interface Run {
  makespanMs: number;
  refused: number;
  shown: number;
}

/** 60 different cards at the same moment, spread over the processes. */
export async function simultaneousLookups(redis: BenchRedis): Promise<FigurePart> {
  const columns: Run[][] = [];
  for (const size of PROCESSES) {
    const runs: Run[] = [];
    while (runs.length < ROUNDS) runs.push(await scoped(() => lookUpOnce(redis, size)));
    columns.push(runs);
  }
  const ratios = columns.map((runs) => median(runs.map(({ makespanMs }) => makespanMs)) / OPTIMUM_MS);
  const refused = columns.map((runs) => Math.max(...runs.map((run) => run.refused)));
  const shown = Math.min(...columns.flat().map((run) => run.shown));
  const what = `${LOOKUPS} cards at once`;
  return {
    rows: [
      [`${what}: last answer, of ${seconds(OPTIMUM_MS)}`, ...ratios.map((ratio) => `${ratio.toFixed(3)} ×`)],
      [`${what}: refused (429)`, ...refused.map(count)],
    ],
    verdicts: [
      timed(
        `${what} in at most ${ALLOWED} × the optimum (${ratios.map((ratio) => ratio.toFixed(3)).join(', ')})`,
        ratios.every((ratio) => ratio <= ALLOWED),
      ),
      wanted(`${what}: 0 answers 429 in any run (${Math.max(...refused)})`, Math.max(...refused) === 0),
      wanted(`${what}: all shown in every run (${shown})`, shown === LOOKUPS),
    ],
    notes: [
      `${what}: different ones by as many members, ${PER_SECOND} requests a second, burst ${BURST}; the median of ${ROUNDS} runs. The optimum is a full bucket at once and the rest as it refills: (${LOOKUPS} − ${BURST}) / ${PER_SECOND} = ${seconds(OPTIMUM_MS)}. The bot keeps one token of the burst back, so that it cannot do better than ${((LOOKUPS - BURST + 1) / (LOOKUPS - BURST)).toFixed(3)} ×.`,
    ],
  };
}

async function lookUpOnce(redis: BenchRedis, size: number): Promise<Run> {
  const service = await startService({ ...PACE, cards: DAY_CARDS });
  const bots = await startGroup(size, { redis, serviceUrl: service.url, env: paceVariables(PACE) });
  await lookUpAll(bots, IDS.slice(LOOKUPS, LOOKUPS + WARM_UPS), 1);
  await sleep(REFILL_MS);
  const startedMs = performance.now();
  const shown = await lookUpAll(bots, IDS.slice(0, LOOKUPS), LOOKUPS);
  return { makespanMs: performance.now() - startedMs, refused: service.counts.byStatus[429] ?? 0, shown };
}
