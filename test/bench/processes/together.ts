import { startCardService } from '../../../src/sandbox/card-service.ts';
import { median } from '../quantile.ts';
import { DAY_CARDS } from '../quota/day-of-lookups.ts';
import { count, seconds } from '../quota/words.ts';
import type { BenchRedis } from './bench-redis.ts';
import { type FigurePart, PROCESSES } from './figure-part.ts';
import { LookupFleet } from './lookup-fleet.ts';

const LOOKUPS = 60;
const PER_SECOND = 10;
const BURST = 20;
/** A full bucket at once, and the rest as it refills. */
const OPTIMUM_MS = ((LOOKUPS - BURST) / PER_SECOND) * 1000;
const ALLOWED = 1.05;
const ROUNDS = 3;

interface Run {
  makespanMs: number;
  refused: number;
  withCard: number;
}

/** 60 different cards at the same moment, spread over the processes. Those of a round run side by side: they mostly wait. */
export async function together(redis: BenchRedis): Promise<FigurePart> {
  const rounds: Run[][] = [];
  for (let round = 0; round < ROUNDS; round++) {
    rounds.push(await Promise.all(PROCESSES.map((processes) => clear(redis, processes))));
  }
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

async function clear({ url, newPrefix }: BenchRedis, processes: number): Promise<Run> {
  const pace = { requestsPerMinute: PER_SECOND * 60, burst: BURST };
  const service = await startCardService({ ...pace, cards: DAY_CARDS });
  const variables = { REDIS_URL: url, REDIS_KEY_PREFIX: newPrefix() };
  const fleet = await LookupFleet.start(processes, { url: service.url, ...pace, variables });
  try {
    const lookups = DAY_CARDS.slice(0, LOOKUPS).map(({ id: cardId }, index) => {
      return { cardId, asker: { memberId: `member ${index}`, guildId: 'server' } };
    });
    const answer = await fleet.ask(lookups, LOOKUPS);
    return { ...answer, refused: service.counts.byStatus[429] ?? 0 };
  } finally {
    await fleet.stop();
    await service.close();
  }
}
