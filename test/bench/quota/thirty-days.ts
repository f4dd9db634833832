import { SANDBOX_API_KEY } from '../../../sandbox/service/service.ts';
import type { ServiceShape } from '../../support/service-shapes.ts';
import { sandboxAs, spokenAs } from '../../support/shaped-service.ts';
import { type BenchTable, count } from '../table.ts';
import { cellsOf, DAY_CARDS, DAY_MS, HOUR_MS, live, reportOf, rhythmicDays } from './days.ts';

const DAYS = 30;
const LOOKUPS = 2_000;
const CARDS = 300;
const MONTH = 1_000;

/** How far 100 requests a day go, and 1,000 a month. */
export async function run(): Promise<BenchTable> {
  const ofDay = await lived('pokemonpricetracker');
  const ofMonth = await lived('justtcg', { CARD_SERVICE_MONTH_BEGINS: '5' });
  const slowestHours = Math.round(ofDay.slowestFirstMs / HOUR_MS);
  return {
    title: `${DAYS} days of ${count(LOOKUPS)} lookups of ${CARDS} cards`,
    rows: [
      { requests: '100 a day', ...ofDay.cells },
      { requests: '100 a day, 1,000 a month', ...ofMonth.cells },
    ],
    notes: [`With 100 a day the slowest first lookup had its card after ${slowestHours} h.`],
    verdicts: [
      [`${ofDay.refused} answers 429 in ${DAYS} days of 100 requests`, ofDay.refused === 0],
      [
        `${count(ofMonth.spent)} of 1,000 requests of the month, ${ofMonth.most} of 100 on the busiest day`,
        ofMonth.spent <= MONTH && ofMonth.most <= 100,
      ],
      [`${ofMonth.mostRefused} answers 429 on a day at most`, ofMonth.mostRefused <= 1],
    ],
  };
}

/** By the description of a service, against the sandbox in its shape. */
async function lived(name: string, variables: Record<string, string> = {}) {
  const { service, shape } = sandboxAs(name);
  const lookups = rhythmicDays(DAYS, LOOKUPS, CARDS);
  const found = await live(
    lookups,
    { CARD_SERVICE: name, CARD_SERVICE_API_KEY: SANDBOX_API_KEY, ...variables },
    {
      ...service,
      cards: DAY_CARDS.slice(0, CARDS),
      ...(name === 'justtcg' && {
        spoken: spokenAs({ ...shape, ...countingMonth(shape.bodyFigures) }),
        limiter: 'fixed window',
      }),
    },
  );
  const onDay = (day: number, isRefused: boolean) =>
    found.requests.filter(
      ({ sentAtMs, status }) => Math.floor(sentAtMs / DAY_MS) === day && (status === 429) === isRefused,
    ).length;
  const answered = lookups.map((_, day) => onDay(day, false));
  const [least, most] = [Math.min(...answered), Math.max(...answered)];
  const report = reportOf(found);
  const mostRefused = Math.max(...lookups.map((_, day) => onDay(day, true)));
  const shown = cellsOf(
    report,
    'with a card',
    'fresh',
    'stale',
    'no card',
    'answered',
    'refused (429)',
    'first lookups',
  );
  return { ...report, most, mostRefused, cells: { ...shown, 'a day': `${least} to ${most}` } };
}

/** The month's figures, over days that the sandbox counts one by one. */
function countingMonth(ofDay: ServiceShape['bodyFigures']): Pick<ServiceShape, 'bodyFigures'> {
  let [before, today] = [0, 0];
  return {
    bodyFigures({ limit, remaining }) {
      const used = Number(limit) - Number(remaining);
      if (used < today) before += today;
      today = used;
      const figures = ofDay?.({ limit, remaining }) as { _metadata: object };
      const ofMonth = { apiRequestLimit: MONTH, apiRequestsRemaining: MONTH - before - today };
      return { _metadata: { ...figures._metadata, ...ofMonth } };
    },
  };
}
