import { type BenchTable, wanted } from '../table.ts';
import { contestantDays, dayRows } from './contestant-days.ts';
import { count, minutes, percent } from './format.ts';

/** The same days with and without a path at which the service lists several cards. */
export async function run(): Promise<BenchTable> {
  const days = await contestantDays('bulk');
  return {
    title: 'The same days on the Free plan with `CARD_SERVICE_BULK_PATH`: requests, and lookups answered',
    ...dayRows(days, {
      requests: ({ spent }) => count(spent),
      'refused (429)': ({ refused }) => count(refused),
      'needless cards': ({ needless }) => count(needless),
      answered: ({ lookups, withoutCard }) => percent(lookups - withoutCard, lookups),
      '≤ 3 s': ({ lookups, atOnce, shortWait }) => percent(atOnce + shortWait, lookups),
      'no card': ({ withoutCard }) => count(withoutCard),
      'first lookups': ({ firstLookups: { answered, cards } }) => `${answered} of ${cards}`,
      slowest: ({ firstLookups: { longestMs } }) => minutes(longestMs),
    }),
    notes: [
      'At most 20 cards a request, which the service counts as one. Answered: shown a card by the first command. ' +
        'Most lookups of a day come when nobody else waits, and one card is one request; a rush is where requests are shared.',
    ],
    verdicts: Object.values(Object.groupBy(days, ({ kind }) => kind)).flatMap(([singly, together]) => {
      if (!singly || !together) return [];
      const [before, after] = [singly.report, together.report];
      const lost = after.withoutCard;
      return [
        wanted(
          `${singly.kind} day: ${count(after.spent)} requests instead of ${count(before.spent)}`,
          after.spent <= before.spent,
        ),
        wanted(
          `${count(lost)} lookups without a card instead of ${count(before.withoutCard)}`,
          lost <= before.withoutCard,
        ),
        wanted(`${after.refused} answers 429`, after.refused === 0),
      ];
    }),
  };
}
