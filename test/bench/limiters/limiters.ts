import { CONTESTANTS, OURS } from '../quota/contestants.ts';
import { ourBot } from '../quota/our-bot.ts';
import type { ServiceAddress } from '../quota/strategy.ts';
import type { BenchTable } from '../table.ts';
import { DELAYING, FIXED_WINDOW, LIMITERS, type Limiter, PER_MINUTE, TOKEN_BUCKET } from './service-limiters.ts';
import { type Conditions, type Run, type StartRestartable, trial } from './trial.ts';
import { cell, judge, type Trial } from './trial-report.ts';

/** The longest wait that the bot allows; some limiters need 11 minutes for the first run. */
const LONGEST_WAIT_SECONDS = 840;

const startOurs: StartRestartable = (service: ServiceAddress) =>
  ourBot(service, { LONGEST_WAIT_SECONDS: String(LONGEST_WAIT_SECONDS) });

interface Named {
  name: string;
}

const CONDITIONS: readonly (Named & Conditions)[] = [
  { name: 'latency from 50 ms to 3 s', latencyMs: (random) => 50 + random() * 2_950 },
  { name: 'one answer in 50 fails', failsOneIn: 50 },
  // At two thirds of the rate, 66 cards take as long as 100
  { name: 'others spend a third', othersPerMinute: PER_MINUTE / 3, firstCards: 66 },
  { name: 'restarted after 200 s', restartAfterMs: 200_000 },
];

/** All but the last change come in the first run, the last in the second. */
const CHANGES: readonly (Named & { first: Limiter } & Required<Pick<Conditions, 'changes'>>)[] = [
  {
    name: 'token bucket, fixed window after 240 s',
    first: TOKEN_BUCKET,
    changes: [{ afterMs: 240_000, limiter: FIXED_WINDOW }],
  },
  {
    name: 'the same, token bucket again after 700 s',
    first: TOKEN_BUCKET,
    changes: [
      { afterMs: 240_000, limiter: FIXED_WINDOW },
      { afterMs: 700_000, limiter: TOKEN_BUCKET },
    ],
  },
  {
    name: 'fixed window, nginx burst=20 (delays) after 210 s',
    first: FIXED_WINDOW,
    changes: [{ afterMs: 210_000, limiter: DELAYING }],
  },
];

const CELLS =
  'The first run: the last card against the optimum, or how many cards were shown when it was not all of them, and how often there were 429s. ' +
  'After the semicolon the slower of the two later runs: the last card later than the optimum by, and how often there were 429s.';

/** Figure: one strategy for whatever limiter the service has. */
export async function run(): Promise<BenchTable[]> {
  return [await besideAlternatives(), await underConditions(), await underChanges()];
}

async function besideAlternatives(): Promise<BenchTable> {
  const ours: Trial[] = [];
  const rows: string[][] = [];
  for (const limiter of LIMITERS) {
    const found: Run[][] = [];
    for (const contestant of CONTESTANTS) {
      found.push(await trial(contestant === OURS ? startOurs : contestant.start, limiter));
    }
    const [first = [], ...others] = found;
    ours.push({ name: limiter.name, limiter, runs: first });
    const optimum = first.slice(0, 2).map(({ optimumMs }) => optimumMs / 1_000);
    rows.push([limiter.name, `${optimum.join('; ')} s`, cell(first), ...others.map(cell)]);
  }
  return {
    title:
      '100 cards at once, and 25 after 130 s of silence, twice, by eleven limiters of "10 requests a minute, burst 20"',
    columns: ['limiter', 'optimum', ...CONTESTANTS.map(({ name }) => name)],
    rows,
    notes: [
      CELLS,
      `Time is simulated, every request takes 200 ms, a 429 half of that. The optimum: a client that knows the limiter. 429s within 5 s are one time. This bot runs with \`LONGEST_WAIT_SECONDS=${LONGEST_WAIT_SECONDS}\`.`,
      'A fading window lets what it counted in one minute fade away over the next one (HAProxy `http_req_rate`). The optimum is taken to be that of evenly spaced requests.',
      'execEvenly delays the second request of a window by 12 s or more, longer than this bot waits for an answer (10 s), so that it takes it for an outage.',
    ],
    verdicts: judge('eleven limiters', ours),
  };
}

async function underConditions(): Promise<BenchTable> {
  const rows: string[][] = [];
  const byCondition: Trial[][] = CONDITIONS.map(() => []);
  for (const limiter of LIMITERS) {
    const row = [limiter.name];
    for (const [index, conditions] of CONDITIONS.entries()) {
      const runs = await trial(startOurs, limiter, conditions);
      byCondition[index]?.push({ name: limiter.name, limiter, runs });
      row.push(cell(runs));
    }
    rows.push(row);
  }
  return {
    title: 'The same for this bot, under conditions that hide the limiter',
    columns: ['limiter', ...CONDITIONS.map(({ name }) => name)],
    rows,
    notes: [
      'Where others spend a third of the rate, the first run has 66 cards. For the optimum, requests that fail and those of others count as well. The members who wait at a restart are answered by the next process.',
      'The optimum takes no account of latency, which at up to 3 s costs as much of each minute of a window. Nobody sees what others spend, so that 429s go on; a limiter that delays them, too, answers too late for this bot.',
    ],
    verdicts: CONDITIONS.flatMap(({ name }, index) => judge(name, byCondition[index] ?? [])),
  };
}

async function underChanges(): Promise<BenchTable> {
  const trials: Trial[] = [];
  for (const { name, first, changes } of CHANGES) {
    trials.push({
      name,
      limiter: first,
      runs: await trial(startOurs, first, { changes }),
      episodesAllowed: 1 + changes.length,
    });
  }
  return {
    title: 'The same for this bot, when the limiter changes under way',
    columns: ['limiter', 'this bot'],
    rows: trials.map(({ name, runs }) => [name, cell(runs)]),
    notes: [
      'The optimum is that of the slowest limiter so far, because nobody says when a limit is lifted. Requests of a window that come to be delayed are too late for this bot, and spend the rate all the same.',
    ],
    verdicts: judge('changes', trials),
  };
}
