import { SANDBOX_API_KEY } from '../../../sandbox/service/service.ts';
import { sandboxAs } from '../../support/shaped-service.ts';
import { type BenchTable, count } from '../table.ts';
import { DAY_CARDS, DAY_MS, live, reportOf, rhythmicDays } from './days.ts';

const DAYS = 30;
const LOOKUPS = 2_000;
const CARDS = 300;
const MONTH = 1_000;

/** How far 100 requests a day go, and 1,000 a month. */
export async function run(): Promise<BenchTable> {
  const ofDay = await lived();
  const ofMonth = await lived({ CARD_SERVICE_REQUESTS_PER_MONTH: String(MONTH), CARD_SERVICE_MONTH_BEGINS: '5' });
  return {
    title: `${DAYS} days of ${count(LOOKUPS)} lookups of ${CARDS} cards`,
    rows: [
      { requests: '100 a day', ...ofDay.cells },
      { requests: '100 a day, 1,000 a month', ...ofMonth.cells },
    ],
    verdicts: [
      [
        `${count(ofMonth.spent)} of 1,000 requests of the month, ${ofMonth.most} of 100 on the busiest day`,
        ofMonth.spent <= MONTH && ofMonth.most <= 100,
      ],
      [
        `${ofDay.refused} answers 429 by the day, ${ofMonth.refused} by the month`,
        ofDay.refused + ofMonth.refused === 0,
      ],
    ],
  };
}

/** By the description of a service with 100 requests a day, against the sandbox in its shape. */
async function lived(variables: Record<string, string> = {}) {
  const { service, env } = sandboxAs('pokemonpricetracker');
  const lookups = rhythmicDays(DAYS, LOOKUPS, CARDS);
  const found = await live(
    lookups,
    { ...env, CARD_SERVICE_API_KEY: SANDBOX_API_KEY, ...variables },
    { ...service, cards: DAY_CARDS.slice(0, CARDS) },
  );
  const report = reportOf(found);
  const byDay = lookups.map(
    (_, day) => found.requests.sentAtMs.filter((atMs) => Math.floor(atMs / DAY_MS) === day).length,
  );
  const [most, least] = [Math.max(...byDay), Math.min(...byDay)];
  return { ...report, most, cells: { ...report.cells, 'a day': `${least} to ${most}` } };
}
