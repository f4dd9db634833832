import { type BenchTable, percent, type Verdict } from '../table.ts';
import { dayOfLookups, LISTS, live, reportOf } from './days.ts';

/** The kinds of day, by the share of the lookups that come in the first hour. */
const FIRST_HOUR_SHARE = { even: 1 / 24, rush: 0.3 };
const WAYS = { 'this bot': {}, 'this bot with lists': LISTS };
/** Share of an even day's lookups that show a card at once or within 3 s. */
const QUICK_SHARE = 0.99;

/** How far the Free plan's 1,000 requests go. */
export async function run(): Promise<BenchTable> {
  const title = 'One day on the Free plan (1,000 requests a day, 10 a minute, burst 20): 20,000 lookups of 500 cards';
  const [rows, verdicts]: [BenchTable['rows'], Verdict[]] = [[], []];
  for (const [day, share] of Object.entries(FIRST_HOUR_SHARE)) {
    for (const [way, variables] of Object.entries(WAYS)) {
      const lived = await live([dayOfLookups(share)], variables);
      const { refused, needless, unseen, quickShare, cells } = reportOf(lived);
      const name = `${day} day, ${way}`;
      rows.push({ day, way, ...cells });
      verdicts.push(
        [`${name}: ${refused} answers 429, ${needless} needless requests`, refused + needless === 0],
        [`${name}: ${unseen} first lookups without their card`, unseen === 0],
      );
      const isQuick = quickShare >= QUICK_SHARE;
      if (day === 'even') verdicts.push([`${name}: ${percent(quickShare, 1)} shown a card within 3 s`, isQuick]);
    }
  }
  return { title, rows, verdicts };
}
