import { startCardService } from '../../../src/sandbox/card-service.ts';
import { median } from '../quantile.ts';
import { type BenchTable, timed, wanted } from '../table.ts';
import { CONTESTANTS, type Contestant, OURS } from './contestants.ts';
import { DAY_CARDS } from './day-of-lookups.ts';
import { count, seconds } from './format.ts';
import { recordFetch } from './recorded-fetch.ts';

const LOOKUPS = 60;
const PER_SECOND = 10;
const BURST = 20;
/** A full bucket at once, and the rest as it refills. */
const OPTIMUM_MS = ((LOOKUPS - BURST) / PER_SECOND) * 1000;
const ALLOWED = 1.05;
/** Run alone; the other contestants' figures do not depend on a few milliseconds. */
const OUR_ROUNDS = 3;

interface Run {
  makespanMs: number;
  refused: number;
  withCard: number;
}

/** Figure 2: 60 different cards at once, over real sockets. */
export async function run(): Promise<BenchTable> {
  const ours: Run[] = [];
  for (let round = 0; round < OUR_ROUNDS; round++) ours.push(await clear(OURS));
  const others = await Promise.all(
    CONTESTANTS.filter((contestant) => contestant !== OURS).map(async (contestant) => ({
      name: contestant.name,
      runs: [await clear(contestant)],
    })),
  );
  const results = [{ name: OURS.name, runs: ours }, ...others];
  const ratio = median(ours.map(({ makespanMs }) => makespanMs)) / OPTIMUM_MS;
  const refused = Math.max(...ours.map((found) => found.refused));
  return {
    title: `${LOOKUPS} lookups at once (${PER_SECOND} requests a second, burst ${BURST}), over real sockets`,
    columns: ['way', 'last answer after', `of the optimum (${seconds(OPTIMUM_MS)})`, 'refused (429)', 'with a card'],
    rows: results.map(({ name, runs }) => {
      const makespanMs = median(runs.map((found) => found.makespanMs));
      return [
        name,
        seconds(makespanMs),
        `${(makespanMs / OPTIMUM_MS).toFixed(3)} ×`,
        count(median(runs.map((found) => found.refused))),
        `${median(runs.map(({ withCard }) => withCard))} of ${LOOKUPS}`,
      ];
    }),
    notes: [
      `This bot: the median of ${OUR_ROUNDS} runs; the others: one run, side by side. The optimum: a full bucket at once, and the rest as it refills.`,
    ],
    verdicts: [
      timed(`${ratio.toFixed(3)} × the optimum (${ALLOWED} × allowed)`, ratio <= ALLOWED),
      wanted(`${refused} answers 429 in any run`, refused === 0),
    ],
  };
}

async function clear({ start }: Contestant): Promise<Run> {
  const pace = { requestsPerMinute: PER_SECOND * 60, burst: BURST };
  const service = await startCardService({ ...pace, cards: DAY_CARDS });
  const { fetch, requests } = recordFetch();
  const strategy = await start({ url: service.url, fetch, ...pace });
  const startedMs = performance.now();
  const outcomes = await Promise.all(
    DAY_CARDS.slice(0, LOOKUPS).map(({ id }, index) =>
      strategy.lookUp(id, { memberId: `member ${index}`, guildId: 'server' }),
    ),
  );
  const makespanMs = performance.now() - startedMs;
  await strategy.close();
  await service.close();
  return {
    makespanMs,
    refused: requests.filter(({ status }) => status === 429).length,
    withCard: outcomes.filter(({ card }) => card).length,
  };
}
