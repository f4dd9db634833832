import { SANDBOX_API_KEY } from '../../../sandbox/service/service.ts';
import { sandboxAs } from '../../support/shaped-service.ts';
import { type BenchTable, count } from '../table.ts';
import { cellsOf, DAY_CARDS, DAY_MS, HOUR_MS, live, reportOf, rhythmicDays } from './days.ts';

const DAYS = 30;
const LOOKUPS = 2_000;
const CARDS = 300;
const MONTH = 1_000;

/** How far 100 requests a day go, and 1,000 a month. */
export async function run(): Promise<BenchTable> {
  const ofDay = await lived();
  const ofMonth = await lived({ CARD_SERVICE_REQUESTS_PER_MONTH: String(MONTH), CARD_SERVICE_MONTH_BEGINS: '5' });
  const slowestHours = Math.round(ofDay.slowestFirstMs / HOUR_MS);
  return {
    title: `${DAYS} days of ${count(LOOKUPS)} lookups of ${CARDS} cards`,
    rows: [
      { requests: '100 a day', ...ofDay.cells },
      { requests: '100 a day, 1,000 a month', ...ofMonth.cells },
    ],
    notes: [`With 100 a day the slowest first lookup had its card after ${slowestHours} h.`],
    verdicts: [
      [
        `${count(ofMonth.spent)} of 1,000 requests of the month, ${ofMonth.most} of 100 on the busiest day`,
        ofMonth.spent <= MONTH && ofMonth.most <= 100,
      ],
      ...[ofDay, ofMonth].map(({ refused, cells }): [string, boolean] => [
        `${refused} answers 429 in ${DAYS} days of ${cells['a day']} requests`,
        refused === 0,
      ]),
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
  const answered = found.requests.filter(({ status }) => status !== 429);
  const byDay = lookups.map(
    (_, day) => answered.filter(({ sentAtMs }) => Math.floor(sentAtMs / DAY_MS) === day).length,
  );
  const [most, least] = [Math.max(...byDay), Math.min(...byDay)];
  const report = reportOf(found);
  const shares = cellsOf(report, 'with a card', 'fresh', 'stale', 'no card');
  const sent = cellsOf(report, 'answered', 'refused (429)', 'first lookups');
  return { ...report, most, cells: { ...shares, ...sent, 'a day': `${least} to ${most}` } };
}
