import { startService } from '../../support/backends.ts';
import { scoped } from '../../support/on-finished.ts';
import { median } from '../quantile.ts';
import { DAY_CARDS } from '../quota/day-of-lookups.ts';
import { count, seconds } from '../quota/format.ts';
import type { BenchRedis } from './bench-redis.ts';
import { type FigurePart, MANY, rowFor } from './figure-part.ts';
import { LookupProcesses } from './lookup-processes.ts';
import { ALLOWED, LOOKUPS, OPTIMUM_MS, PACE, type Run, SIMULTANEOUS } from './simultaneous-lookups.ts';

const ROUNDS = 3;

/** Processes that start at the same moment over an empty Redis, and are asked before they have heard of each other. */
export async function startedAtOnce(redis: BenchRedis): Promise<FigurePart> {
  const runs: Run[] = [];
  for (let round = 0; round < ROUNDS; round++) runs.push(await scoped(() => lookUpAfterStart(redis)));
  const ratio = median(runs.map(({ makespanMs }) => makespanMs)) / OPTIMUM_MS;
  const refused = Math.max(...runs.map((run) => run.refused));
  const shown = Math.min(...runs.map(({ withCard }) => withCard));
  const what = `${LOOKUPS} cards right after the start of ${MANY}`;
  return {
    rows: [
      rowFor(MANY, `${what}: last answer, of ${seconds(OPTIMUM_MS)}`, `${ratio.toFixed(3)} ×`),
      rowFor(MANY, `${what}: refused (429)`, count(refused)),
    ],
    verdicts: [
      {
        claim: `${what} in at most ${ALLOWED} × the optimum (${ratio.toFixed(3)})`,
        reached: ratio <= ALLOWED,
        timing: true,
      },
      { claim: `0 answers 429 right after the start of ${MANY} (${refused})`, reached: refused === 0 },
      { claim: `all ${LOOKUPS} cards shown right after the start of ${MANY} (${shown})`, reached: shown === LOOKUPS },
    ],
    notes: [
      `Right after the start: ${MANY} processes start at the same moment over an empty Redis, and look up the ${LOOKUPS} cards as soon as all can be used, with cold code; the median of ${ROUNDS} runs.`,
    ],
  };
}

async function lookUpAfterStart(redis: BenchRedis): Promise<Run> {
  const service = await startService({ ...PACE, cards: DAY_CARDS });
  const options = { url: service.url, ...PACE, variables: redis.newVariables() };
  const processes = await LookupProcesses.start(MANY, options);
  const answer = await processes.lookUp(SIMULTANEOUS, LOOKUPS);
  return { ...answer, refused: service.counts.byStatus[429] ?? 0 };
}
