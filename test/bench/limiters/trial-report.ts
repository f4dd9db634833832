import { type Verdict, wanted } from '../table.ts';
import type { Run } from './trial.ts';

/** The runs of one trial, the first one and those after a silence. */
export interface Trial {
  limiter: string;
  runs: readonly Run[];
  /** Whether another limiter takes over under way. */
  isChanged?: boolean;
}

/** Later runs are short: that much over the optimum is allowed, or `ALLOWED` times the optimum. */
const LATER_OVER_SECONDS = 12;
const ALLOWED = 1.05;
/**
 * Two refusals show that a window fades, and those that count take a part of the rate. Requests that were given up take a
 * part of it where the first are answered at once. That there is no burst is seen anew in each run, and the interval is
 * 2 % longer then.
 */
const OTHERS: Readonly<Record<string, { allowed: number; episodes: number }>> = {
  'fading window': { allowed: 1.25, episodes: 3 },
  'delaying after 9': { allowed: 1.25, episodes: 1 },
  'no burst': { allowed: 1.1, episodes: 6 },
};

const allowed = ({ limiter }: Trial) => OTHERS[limiter]?.allowed ?? ALLOWED;
const isComplete = ({ shown, cards }: Run) => shown === cards;
const shownOf = ({ shown, cards }: Run) => `${shown} of ${cards}`;
const ratio = ({ tookMs, optimumMs }: Run) => tookMs / optimumMs;
const overSeconds = ({ tookMs, optimumMs }: Run) => Math.round((tookMs - optimumMs) / 1_000);

/** By claim. */
const RULES: Readonly<Record<string, (trial: Trial) => boolean>> = {
  'every card shown': ({ runs }) => runs.every(isComplete),
  '429s at most once, and none later (three times where a window fades, six where there is no burst, and once more for another limiter)':
    (trial) => {
      const [first = 0, ...later] = trial.runs.map(({ episodes }) => episodes);
      const total = later.reduce((sum, episodes) => sum + episodes, first);
      const most = OTHERS[trial.limiter]?.episodes;
      if (most !== undefined) return total <= most;
      return trial.isChanged ? total <= 2 : first <= 1 && total === first;
    },
  'last card within 1.05 × the optimum (1.25 × where a window fades or the rest is delayed, 1.1 × where there is no burst)':
    (trial) => trial.runs.slice(0, 1).every((run) => ratio(run) <= allowed(trial)),
  'later within 1.05 × or 12 s': ({ runs }) =>
    runs.slice(1).every((run) => ratio(run) <= ALLOWED || overSeconds(run) <= LATER_OVER_SECONDS),
};

/** One verdict for each rule, with the limiters of the trials that break it. */
export function judge(what: string, trials: readonly Trial[]): Verdict[] {
  return Object.entries(RULES).map(([claim, holds]) => {
    const broken = trials.filter((trial) => !holds(trial)).map(({ limiter }) => limiter);
    return wanted(`${what}: ${claim}${broken.length > 0 ? ` (not: ${broken.join(', ')})` : ''}`, broken.length === 0);
  });
}

/** `1.02 ×, 1; +3 s, 0` */
export function cell([first, ...later]: readonly Run[]): string {
  if (first === undefined) return '';
  const over = Math.max(...later.map(overSeconds));
  const most = Math.max(0, ...later.map(({ episodes }) => episodes));
  const incomplete = later.find((run) => !isComplete(run));
  const firstRun = isComplete(first) ? `${ratio(first).toFixed(2)} ×` : shownOf(first);
  const laterRuns = incomplete ? shownOf(incomplete) : `${over < 0 ? '−' : '+'}${Math.abs(over)} s`;
  return `${firstRun}, ${first.episodes}; ${laterRuns}, ${most}`;
}
