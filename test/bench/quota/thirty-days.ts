import { SANDBOX_API_KEY } from '../../../sandbox/card-service.ts';
import type { ServiceShape } from '../../../sandbox/service-shapes.ts';
import { sandboxAs } from '../../../sandbox/shaped-service.ts';
import { type BenchTable, wanted } from '../table.ts';
import { DAY_CARDS, DAY_MS, type Lookup, rhythmicDay } from './day-of-lookups.ts';
import { type DayReport, dayReport } from './day-report.ts';
import { count, percent } from './format.ts';
import { ourBot } from './our-bot.ts';
import type { RecordedRequest } from './recorded-fetch.ts';
import { type Lived, simulateDays } from './simulated-day.ts';
import type { StartStrategy } from './strategy.ts';

const HOUR_MS = 3_600_000;
const DAYS = 30;
const LOOKUPS = 2_000;
const CARDS = 300;
/** 100 requests a day, and 60 a minute. */
const SERVICE = 'pokemonpricetracker';

/** The service's ids are digits. */
const idOf = (id: string) => id.replace('bench-', '');

/** The bot by the description of this service. */
const ourBotFor =
  (service: string, more: Record<string, string> = {}): StartStrategy =>
  (address) =>
    ourBot(address, {
      ...{ CARD_SERVICE: service, CARD_SERVICE_API_KEY: SANDBOX_API_KEY, ...more },
      ...{ CARD_SERVICE_REQUESTS_PER_MINUTE: '', CARD_SERVICE_BURST: '' }, // those of the description
    });

/** How far 100 requests a day go, and 1,000 a month. */
export async function run(): Promise<BenchTable[]> {
  return [await ofDays(), await ofMonth()];
}

/** What the columns show. */
const CELLS: Readonly<Record<string, (report: DayReport) => string>> = {
  'with a card': ({ lookups, withoutCard }) => percent(lookups - withoutCard, lookups),
  fresh: ({ lookups, withoutCard, staleCopies }) => percent(lookups - withoutCard - staleCopies, lookups),
  stale: ({ lookups, staleCopies }) => percent(staleCopies, lookups),
  'no card': ({ lookups, withoutCard }) => percent(withoutCard, lookups),
  answered: ({ spent }) => count(spent),
  'refused (429)': ({ refused }) => count(refused),
  'first lookups': ({ firstLookups: { seen, cards } }) => `${seen} of ${cards}`,
};

function cellsOf(report: DayReport): string[] {
  return Object.values(CELLS).map((cell) => cell(report));
}

/** 10 requests in a fixed minute, 100 a day, 1,000 a month; its answers state day and month, and no end of either. */
const OF_MONTH = 'justtcg';
const MONTH = 1_000;
/** Behind how many columns stands what was answered on a day. */
const A_DAY = 5;

async function ofMonth(): Promise<BenchTable> {
  const { service } = sandboxAs(OF_MONTH);
  const shape = { ...service.shape, ...countingMonth(service.shape.bodyFigures) };
  const lookups = benchLookups().map((ofDay, day) => [...ofDay, newLookup(day)]);
  const lived = await simulateDays(ourBotFor(OF_MONTH, { CARD_SERVICE_MONTH_BEGINS: '5' }), lookups.map(asDigits), {
    ...{ ...service, shape, limiter: 'fixed window' },
    cards: cardsOf(CARDS + DAYS),
  });
  const daysWithNew = daysOfNewCards(lived.lived);
  const report = dayReport(lived);
  const { spent } = report;
  const days = Array.from({ length: DAYS }, (_, day) => {
    const requests = lived.requests.filter(({ sentAtMs }) => Math.floor(sentAtMs / DAY_MS) === day);
    const isRefused = ({ status }: RecordedRequest) => status === 429;
    return { answered: requests.filter((each) => !isRefused(each)).length, refused: requests.filter(isRefused).length };
  });
  const answered = days.map((day) => day.answered);
  const mostRefused = Math.max(...days.map((day) => day.refused));
  return {
    title: `${DAYS} days on a plan of 10 requests a minute, 100 a day and 1,000 a month: ${count(LOOKUPS)} lookups of ${CARDS} cards a day`,
    columns: Object.keys(CELLS).toSpliced(A_DAY, 0, 'a day'),
    rows: [cellsOf(report).toSpliced(A_DAY, 0, `${Math.min(...answered)} to ${Math.max(...answered)}`)],
    notes: [
      `By the description of JustTCG, against the sandbox in its shape; otherwise as above, and one card more on each day that nobody had asked for before: on ${daysWithNew} of the ${DAYS} days a card was shown for the first time. A day: requests that were answered on the quietest and on the busiest day.`,
    ],
    verdicts: [
      wanted(
        `${count(spent)} of 1,000 requests of the month, ${Math.max(...answered)} of 100 on the busiest day`,
        spent <= MONTH && Math.max(...answered) <= 100,
      ),
      wanted(`${mostRefused} answers 429 on a day at most`, mostRefused <= 1),
      wanted(`cards shown for the first time on ${daysWithNew} of ${DAYS} days`, daysWithNew === DAYS),
    ],
  };
}

/** The month's figures, over days that the sandbox counts one by one. */
function countingMonth(ofDay: ServiceShape['bodyFigures']): Pick<ServiceShape, 'bodyFigures'> {
  let [before, today] = [0, 0];
  return {
    bodyFigures: ({ limit, remaining }) => {
      const used = Number(limit) - Number(remaining);
      if (used < today) before += today;
      today = used;
      const figures = ofDay?.({ limit, remaining }) as { _metadata: object };
      return {
        _metadata: { ...figures._metadata, apiRequestLimit: MONTH, apiRequestsRemaining: MONTH - before - today },
      };
    },
  };
}

function benchLookups(): Lookup[][] {
  return Array.from({ length: DAYS }, (_, day) => rhythmicDay(LOOKUPS, day, CARDS));
}

const newCard = (day: number) => `bench-${CARDS + 1 + day}`;

/** On how many days a card was shown that had not been before. */
function daysOfNewCards(lived: readonly Lived[]): number {
  const firstDays = new Map<string, number>();
  for (const { lookup, outcome } of lived)
    if (outcome.card && !firstDays.has(lookup.cardId)) firstDays.set(lookup.cardId, Math.floor(lookup.atMs / DAY_MS));
  return new Set(firstDays.values()).size;
}

/** Of a card that nobody has looked up before, by a member who looks up little, late in the day. */
function newLookup(day: number): Lookup {
  const requester = { memberId: `newcomer ${day}`, guildId: `server ${day}` };
  return { atMs: day * DAY_MS + 22 * HOUR_MS, cardId: newCard(day), requester };
}

function asDigits(lookups: readonly Lookup[]): Lookup[] {
  return lookups.map((lookup) => ({ ...lookup, cardId: idOf(lookup.cardId) }));
}

function cardsOf(cards = CARDS) {
  return DAY_CARDS.slice(0, cards).map((card) => ({ ...card, id: idOf(card.id) }));
}

async function ofDays(): Promise<BenchTable> {
  const [lookups, cards] = [benchLookups().map(asDigits), cardsOf()];
  const { service } = sandboxAs(SERVICE);
  const report = dayReport(await simulateDays(ourBotFor(SERVICE), lookups, { ...service, cards }));
  return {
    title: `${DAYS} days on a plan of 100 requests a day: ${count(LOOKUPS)} lookups of ${CARDS} cards a day`,
    columns: Object.keys(CELLS),
    rows: [cellsOf(report)],
    notes: [
      "By the description of PokémonPriceTracker, against the sandbox in its shape: 100 requests a day, 60 a minute. Lookups by Zipf's law (exponent 1) by 300 members of 40 servers with a daily rhythm, from a cold start; time is simulated, every request takes 200 ms.",
      'Fresh: the price is at most six hours old. Stale: a kept copy, marked with its age. No card: an error, or a refusal that says when to come back. ' +
        `Of the first lookups the slowest had its card after ${Math.round(report.firstLookups.longestMs / HOUR_MS)} h, also on coming back at the time they were told.`,
    ],
    verdicts: [wanted(`${report.refused} answers 429 in ${DAYS} days of 100 requests`, report.refused === 0)],
  };
}
