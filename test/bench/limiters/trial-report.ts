import type { Verdict } from '../table.ts';
import type { Limiter } from './service-limiters.ts';
import type { Run } from './trial.ts';

/** The runs of one trial, the first one and those after a silence. */
export interface Trial {
  name: string;
  limiter: Limiter;
  runs: readonly Run[];
  /** Over all runs; by default as the limiter allows. */
  episodesAllowed?: number;
}

/** Later runs are short: that much over the optimum is allowed, or `LATER_ALLOWED` times the optimum. */
const LATER_OVER_SECONDS = 12;
const LATER_ALLOWED = 1.05;

interface Rule {
  claim: string;
  holds(trial: Trial): boolean;
}

const RULES: readonly Rule[] = [
  { claim: 'every card shown', holds: ({ runs }) => runs.every(isComplete) },
  {
    claim: '429s at most once, and none later (three times where a window fades)',
    holds({ runs: [first, ...later], limiter, episodesAllowed = limiter.episodesAllowed }) {
      const firstEpisodes = first?.episodes ?? 0;
      const laterEpisodes = total(later.map(({ episodes }) => episodes));
      if (episodesAllowed !== undefined) return firstEpisodes + laterEpisodes <= episodesAllowed;
      return firstEpisodes <= 1 && laterEpisodes === 0;
    },
  },
  {
    claim: 'last card within 1.05 × the optimum (1.15 × with a penalty, 1.25 × where a window fades)',
    holds: ({ limiter, runs: [first] }) => first !== undefined && ratio(first) <= limiter.allowed,
  },
  {
    claim: 'later within 1.05 × or 12 s',
    holds: ({ runs: [, ...later] }) =>
      later.every((run) => ratio(run) <= LATER_ALLOWED || overSeconds(run) <= LATER_OVER_SECONDS),
  },
];

/** One verdict for each rule, with the trials that break it. */
export function judge(what: string, trials: readonly Trial[]): Verdict[] {
  return RULES.map(({ claim, holds }) => {
    const broken = trials.filter((trial) => !holds(trial)).map(({ name }) => name);
    const exceptions = broken.length > 0 ? ` (not: ${broken.join(', ')})` : '';
    return { claim: `${what}: ${claim}${exceptions}`, reached: broken.length === 0 };
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

function isComplete({ shown, cards }: Run): boolean {
  return shown === cards;
}

function shownOf({ shown, cards }: Run): string {
  return `${shown} of ${cards}`;
}

function ratio({ tookMs, optimumMs }: Run): number {
  return tookMs / optimumMs;
}

function overSeconds({ tookMs, optimumMs }: Run): number {
  return Math.round((tookMs - optimumMs) / 1_000);
}

function total(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}
