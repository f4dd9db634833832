import { setTimeout as sleep } from 'node:timers/promises';
import { startService } from '../../support/backends.ts';
import { scoped } from '../../support/on-finished.ts';
import { median } from '../quantile.ts';
import { DAY_CARDS } from '../quota/day-of-lookups.ts';
import { count, seconds } from '../quota/format.ts';
import type { Verdict } from '../table.ts';
import type { BenchRedis } from './bench-redis.ts';
import { type FigurePart, MANY, PROCESSES, rowFor } from './figure-part.ts';
import { LookupProcesses, type LookupResult } from './lookup-processes.ts';

const LOOKUPS = 60;
const PER_SECOND = 10;
const BURST = 20;
/** A full bucket at once, and the rest as it refills. */
const OPTIMUM_MS = ((LOOKUPS - BURST) / PER_SECOND) * 1000;
export const ALLOWED = 1.05;
const ROUNDS = 3;

const PACE = { requestsPerMinute: PER_SECOND * 60, burst: BURST };
/** Different cards by as many members. */
export const DIFFERENT = DAY_CARDS.map(({ id: cardId }, index) => {
  return { cardId, requester: { memberId: `member ${index}`, guildId: 'server' } };
});
const SIMULTANEOUS = DIFFERENT.slice(0, LOOKUPS);
/** Two for each of four processes, so that they are connected and their code is partly compiled. */
const WARM_UP = DIFFERENT.slice(LOOKUPS, LOOKUPS + 8);
/** Until the bucket is full again. */
const REFILL_MS = (WARM_UP.length / PER_SECOND) * 1000 + 200;

interface Run extends LookupResult {
  refused: number;
}

/** Of all rounds: the median, and what was worst. */
interface Summary {
  ratio: number;
  refused: number;
  shown: number;
}

/** 60 different cards at the same moment, spread over the processes. */
export async function simultaneousLookups(redis: BenchRedis): Promise<FigurePart> {
  const found: Summary[] = [];
  for (const size of PROCESSES) found.push(await summary(() => lookUpAfterStart(redis, size, 'warm')));
  const what = `${LOOKUPS} cards at once`;
  return {
    rows: [
      [`${what}: last answer, of ${seconds(OPTIMUM_MS)}`, ...found.map(({ ratio }) => `${ratio.toFixed(3)} ×`)],
      [`${what}: refused (429)`, ...found.map(({ refused }) => count(refused))],
    ],
    verdicts: judge(what, found),
    notes: [
      `${what}: different ones by as many members, ${PER_SECOND} requests a second, burst ${BURST}; the median of ${ROUNDS} runs. The optimum is a full bucket at once and the rest as it refills: (${LOOKUPS} − ${BURST}) / ${PER_SECOND} = ${seconds(OPTIMUM_MS)}. The bot keeps one token of the burst back, so that it cannot do better than ${((LOOKUPS - BURST + 1) / (LOOKUPS - BURST)).toFixed(3)} ×.`,
    ],
  };
}

/** Processes that start at the same moment over an empty Redis, and are asked before they have heard of each other. */
export async function startedAtOnce(redis: BenchRedis): Promise<FigurePart> {
  const found = await summary(() => lookUpAfterStart(redis, MANY, 'cold'));
  const what = `${LOOKUPS} cards right after the start of ${MANY}`;
  return {
    rows: [
      rowFor(MANY, `${what}: last answer, of ${seconds(OPTIMUM_MS)}`, `${found.ratio.toFixed(3)} ×`),
      rowFor(MANY, `${what}: refused (429)`, count(found.refused)),
    ],
    verdicts: judge(what, [found]),
    notes: [
      `Right after the start: ${MANY} processes start at the same moment over an empty Redis, and look up the ${LOOKUPS} cards as soon as all can be used, with cold code; the median of ${ROUNDS} runs.`,
    ],
  };
}

async function lookUpAfterStart(redis: BenchRedis, size: number, processesAre: 'warm' | 'cold'): Promise<Run> {
  const service = await startService({ ...PACE, cards: DAY_CARDS });
  const variables = redis.newVariables();
  const processes = await LookupProcesses.start(size, { url: service.url, ...PACE, variables });
  if (processesAre === 'warm') {
    await processes.lookUp(WARM_UP, 1);
    await sleep(REFILL_MS);
  }
  const answer = await processes.lookUp(SIMULTANEOUS, LOOKUPS);
  return { ...answer, refused: service.counts.byStatus[429] ?? 0 };
}

async function summary(lookUpOnce: () => Promise<Run>): Promise<Summary> {
  const runs: Run[] = [];
  while (runs.length < ROUNDS) runs.push(await scoped(lookUpOnce));
  return {
    ratio: median(runs.map(({ makespanMs }) => makespanMs)) / OPTIMUM_MS,
    refused: Math.max(...runs.map(({ refused }) => refused)),
    shown: Math.min(...runs.map(({ withCard }) => withCard)),
  };
}

function judge(what: string, found: readonly Summary[]): Verdict[] {
  const ratios = found.map(({ ratio }) => ratio.toFixed(3)).join(', ');
  const refused = Math.max(...found.map((one) => one.refused));
  const shown = Math.min(...found.map((one) => one.shown));
  return [
    {
      claim: `${what} in at most ${ALLOWED} × the optimum (${ratios})`,
      reached: found.every(({ ratio }) => ratio <= ALLOWED),
      timing: true,
    },
    { claim: `${what}: 0 answers 429 in any run (${refused})`, reached: refused === 0 },
    { claim: `${what}: all shown in every run (${shown})`, reached: shown === LOOKUPS },
  ];
}
