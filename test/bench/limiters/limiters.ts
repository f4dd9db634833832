import { ourBot } from '../quota/our-bot.ts';
import type { StartStrategy } from '../quota/strategy.ts';
import type { BenchTable } from '../table.ts';
import { BENCH_LIMITERS, PLAN_RATE } from './bench-limiters.ts';
import { type Conditions, trial } from './trial.ts';
import { cell, judge, type Trial } from './trial-report.ts';

/** The longest wait that the bot allows; some limiters need 11 minutes for the first run. */
const LONGEST_WAIT_SECONDS = 840;
const startOurs: StartStrategy = (service) => ourBot(service, { LONGEST_WAIT_SECONDS: String(LONGEST_WAIT_SECONDS) });

export const CONDITIONS: Readonly<Record<string, Conditions>> = {
  'latency from 50 ms to 3 s': { latencyMs: (random) => 50 + random() * 2_950 },
  'one single answer takes 6 s': { latencyMs: (_, request) => (request === 15 ? 6_000 : 200) },
  'one in 50 takes 6 s': { latencyMs: (random) => (random() < 1 / 50 ? 6_000 : 200) },
  'one in 20 takes 7 s': { latencyMs: (random) => (random() < 1 / 20 ? 7_000 : 200) },
  'the limit is halved for a minute': { isHalved: true },
  'one answer in 50 fails': { failsOneIn: 50 },
  // At two thirds of the rate, 66 cards take as long as 100
  'others spend a third': { othersPerMinute: PLAN_RATE.requestsPerMinute / 3, firstCards: 66 },
  'a fixed window after 240 s': { change: { afterMs: 240_000, limiter: 'fixed window' } },
};

/** One strategy for whatever limiter the service has. */
export async function run(): Promise<BenchTable[]> {
  const [plain = []] = await tried([{}]);
  const under = await tried(Object.values(CONDITIONS));
  return [
    {
      title: '100 cards at once, and 25 after 130 s of silence, twice, by limiters of "10 requests a minute, burst 20"',
      columns: ['limiter', 'optimum', 'this bot'],
      rows: BENCH_LIMITERS.map(({ name, optimumMs }, row) => [
        name,
        `${[100, 25].map((cards) => optimumMs(cards) / 1_000).join('; ')} s`,
        cell(plain[row]?.runs ?? []),
      ]),
      notes: [
        'The first run: the last card against the optimum, or how many cards were shown when it was not all of them, and how often there were 429s. After the semicolon the slower of the two later runs: the last card later than the optimum by, and how often there were 429s.',
        `The limiters are those of the sandbox, and two more of nginx: "delaying" is \`burst=20\`, "delaying after 9" \`burst=20 delay=8\`, "no burst" neither, which counts to the millisecond; its ten a minute come in 6.024 s each. "Fading window" is HAProxy's \`http_req_rate\`. Time is simulated, every request takes 200 ms. The optimum: a client that knows the limiter; that of a fading window is taken to be evenly spaced requests. 429s within 5 s are one time. This bot runs with \`LONGEST_WAIT_SECONDS=${LONGEST_WAIT_SECONDS}\`.`,
      ],
      verdicts: judge('limiters', plain),
    },
    {
      title: 'The same for this bot, under conditions that hide the limiter',
      columns: ['condition', ...BENCH_LIMITERS.map(({ name }) => name)],
      rows: [plain, ...under].map((trials, row) => [
        ['none', ...Object.keys(CONDITIONS)][row] ?? '',
        ...trials.map(({ runs }) => cell(runs)),
      ]),
      notes: [
        'An answer that takes 6 s is the fifteenth. The limit is halved, rate and burst, in the first minute of the second run, for which the optimum takes no account of that. Where others spend a third of the rate, the first run has 66 cards. For the optimum, requests that fail and those of others count as well, and of two limiters the slower one.',
        'The optimum takes no account of latency, which at up to 3 s costs as much of each minute of a window. Nobody sees what others spend, so that 429s go on; a limiter that delays them, too, answers too late for this bot.',
      ],
      verdicts: under.flatMap((trials, column) => judge(Object.keys(CONDITIONS)[column] ?? '', trials)),
    },
  ];
}

/** For each of these conditions, a trial by each limiter. */
async function tried(all: readonly Conditions[]): Promise<Trial[][]> {
  const found: Trial[][] = [];
  for (const conditions of all) {
    const trials: Trial[] = [];
    const isChanged = conditions.change !== undefined;
    for (const limiter of BENCH_LIMITERS)
      trials.push({ limiter: limiter.name, runs: await trial(startOurs, limiter, conditions), isChanged });
    found.push(trials);
  }
  return found;
}
