import { setTimeout as sleep } from 'node:timers/promises';
import { startService } from '../../support/backends.ts';
import { scoped } from '../../support/on-finished.ts';
import { median } from '../quantile.ts';
import { DAY_CARDS } from '../quota/day-of-lookups.ts';
import { count, seconds } from '../quota/format.ts';
import type { BenchRedis } from './bench-redis.ts';
import { type FigurePart, PROCESSES } from './figure-part.ts';
import { LookupProcesses } from './lookup-processes.ts';

export const LOOKUPS = 60;
const PER_SECOND = 10;
const BURST = 20;
/** A full bucket at once, and the rest as it refills. */
export const OPTIMUM_MS = ((LOOKUPS - BURST) / PER_SECOND) * 1000;
export const ALLOWED = 1.05;
const ROUNDS = 3;

export const PACE = { requestsPerMinute: PER_SECOND * 60, burst: BURST };
const DIFFERENT = DAY_CARDS.map(({ id: cardId }, index) => {
  return { cardId, requester: { memberId: `member ${index}`, guildId: 'server' } };
});
export const SIMULTANEOUS = DIFFERENT.slice(0, LOOKUPS);
/** Two for each of four processes, so that they are connected and their code is partly compiled. */
const WARM_UP_LOOKUPS = DIFFERENT.slice(LOOKUPS, LOOKUPS + 8);
/** Until the bucket is full again. */
const REFILL_MS = (WARM_UP_LOOKUPS.length / PER_SECOND) * 1000 + 200;
const STAGGER_MS = 700;

export interface Run {
  makespanMs: number;
  refused: number;
  withCard: number;
}

/** 60 different cards at the same moment, spread over the processes. */
export async function simultaneousLookups(redis: BenchRedis): Promise<FigurePart> {
  const rounds: Run[][] = [];
  for (let round = 0; round < ROUNDS; round++) rounds.push(await scoped(() => clear(redis)));
  const runs = PROCESSES.map((_, column) => rounds.flatMap((round) => round[column] ?? []));
  const ratios = runs.map((ofOne) => median(ofOne.map(({ makespanMs }) => makespanMs)) / OPTIMUM_MS);
  const refused = runs.map((ofOne) => Math.max(...ofOne.map((run) => run.refused)));
  const shown = Math.min(...runs.flat().map(({ withCard }) => withCard));
  return {
    rows: [
      [
        `${LOOKUPS} cards at once: last answer, of ${seconds(OPTIMUM_MS)}`,
        ...ratios.map((ratio) => `${ratio.toFixed(3)} ×`),
      ],
      [`${LOOKUPS} cards at once: refused (429)`, ...refused.map(count)],
    ],
    verdicts: [
      {
        claim: `${LOOKUPS} cards at once in at most ${ALLOWED} × the optimum (${ratios.map((ratio) => ratio.toFixed(3)).join(', ')})`,
        reached: ratios.every((ratio) => ratio <= ALLOWED),
        timing: true,
      },
      {
        claim: `0 answers 429 in any run (${Math.max(...refused)})`,
        reached: refused.every((found) => found === 0),
      },
      { claim: `all ${LOOKUPS} cards shown in every run (${shown})`, reached: shown === LOOKUPS },
    ],
    notes: [
      `${LOOKUPS} cards at once: different ones by as many members, ${PER_SECOND} requests a second, burst ${BURST}; the median of ${ROUNDS} runs. The optimum is a full bucket at once and the rest as it refills: (${LOOKUPS} − ${BURST}) / ${PER_SECOND} = ${seconds(OPTIMUM_MS)}. The bot keeps one token of the burst back, so that it cannot do better than ${((LOOKUPS - BURST + 1) / (LOOKUPS - BURST)).toFixed(3)} ×.`,
    ],
  };
}

/** All groups run in parallel, because they mostly wait, but start at different times. */
async function clear(redis: BenchRedis): Promise<Run[]> {
  const services = await Promise.all(PROCESSES.map(() => startService({ ...PACE, cards: DAY_CARDS })));
  const groups = await Promise.all(
    services.map(({ url }, index) => {
      return LookupProcesses.start(PROCESSES[index] ?? 1, { url, ...PACE, variables: redis.newVariables() });
    }),
  );
  await Promise.all(groups.map((processes) => processes.lookUp(WARM_UP_LOOKUPS, 1)));
  await sleep(REFILL_MS);
  const answers = await Promise.all(
    groups.map(async (processes, index) => {
      await sleep(index * STAGGER_MS); // so that the first lookups of one group do not delay those of another
      return processes.lookUp(SIMULTANEOUS, LOOKUPS);
    }),
  );
  return answers.map((answer, index) => ({ ...answer, refused: services[index]?.counts.byStatus[429] ?? 0 }));
}
