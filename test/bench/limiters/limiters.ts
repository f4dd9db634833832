import type { BenchTable, Verdict } from '../table.ts';
import { type Conditions, LIMITERS, PLAN_RATE, type Run, trial } from './trial.ts';

export const CONDITIONS: Readonly<Record<string, Conditions>> = {
  none: {},
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

/** Of the first run: this many times the optimum, and so many times 429 in all runs. */
const [MOST_RATIO, MOST_EPISODES] = [1.25, 6];

/** One way for whatever limiter the service has. */
export async function run(): Promise<BenchTable> {
  const optimum = LIMITERS.map(({ name, optimumMs }) => {
    return [name, `${[100, 25].map((cards) => optimumMs(cards) / 1_000).join('; ')} s`];
  });
  const rows: BenchTable['rows'] = [{ condition: 'optimum', ...Object.fromEntries(optimum) }];
  const verdicts: Verdict[] = [];
  for (const [condition, conditions] of Object.entries(CONDITIONS)) {
    const row: Record<string, string> = { condition };
    for (const limiter of LIMITERS) {
      const runs = await trial(limiter, conditions);
      row[limiter.name] = cell(runs);
      verdicts.push([`${limiter.name}, ${condition}: ${cell(runs)}`, isGood(runs)]);
    }
    rows.push(row);
  }
  return {
    title: '100 cards at once, and 25 after 130 s of silence, twice, by limiters of "10 requests a minute, burst 20"',
    rows,
    verdicts,
  };
}

const isComplete = ({ shown, cards }: Run) => shown === cards;
const shownOf = ({ shown, cards }: Run) => `${shown} of ${cards}`;
const ratio = ({ tookMs, optimumMs }: Run) => tookMs / optimumMs;

function isGood(runs: readonly Run[]): boolean {
  const episodes = runs.reduce((sum, each) => sum + each.episodes, 0);
  return (
    runs.every(isComplete) && runs.slice(0, 1).every((run) => ratio(run) <= MOST_RATIO) && episodes <= MOST_EPISODES
  );
}

/** `1.02 ×, 1; +3 s, 0` */
function cell([first, ...later]: readonly Run[]): string {
  if (first === undefined) return '';
  const over = Math.max(...later.map(({ tookMs, optimumMs }) => Math.round((tookMs - optimumMs) / 1_000)));
  const most = Math.max(0, ...later.map(({ episodes }) => episodes));
  const incomplete = later.find((run) => !isComplete(run));
  const firstRun = isComplete(first) ? `${ratio(first).toFixed(2)} ×` : shownOf(first);
  const laterRuns = incomplete ? shownOf(incomplete) : `${over < 0 ? '−' : '+'}${Math.abs(over)} s`;
  return `${firstRun}, ${first.episodes}; ${laterRuns}, ${most}`;
}
