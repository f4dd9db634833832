import { z } from 'zod';
import { orUndefined } from '../model/card.ts';
import { type Pace, type PlanLimits, type PlanSetting, type Stop, UNSTATED, type WindowQuota } from '../model/quota.ts';
import { Moment } from '../model/store/rows.ts';
import { forgotten, Learned, learnedPace, NOTHING_LEARNED } from './learning.ts';
import { leastOf, limitsOf, unspent, Windows, windowEndsMs, windowsOf } from './windows.ts';

/**
 * What keeps requests from flowing freely. `failing`: one or two failures in a row, so nothing leaves for a moment, and
 * then two at a time. The others stop requests: none leaves before `untilMs`, and after that one as a probe, until one
 * is answered: a `pause` that the service asked for, an `outage`, a refused `key`, or a `plan` that does not allow
 * lookups.
 */
export const Trouble = z.object({
  kind: z.enum(['failing', 'pause', 'outage', 'key', 'plan']),
  beganMs: Moment,
  untilMs: Moment,
  /** 429s, failures or refusals. */
  inARow: z.int().positive(),
});
export type Trouble = z.infer<typeof Trouble>;

/** Everything that a limiter knows and a restart must not forget. Stored as JSON. */
export const LimiterState = z.object({
  /** When it was changed last. */
  atMs: Moment,
  /**
   * When the token bucket is full again (the generic cell rate algorithm's "theoretical arrival time"): the whole state
   * of a bucket.
   */
  fullAtMs: Moment,
  trouble: orUndefined(Trouble),
  windows: Windows,
  /**
   * The plan that a usage report named last, and the daily limit in the headers when it came: with another the headers
   * win.
   */
  reported: orUndefined(z.object({ plan: z.string(), atLimit: orUndefined(z.number()) })),
  learned: Learned,
  /** What the operator had set. */
  setting: z.string(),
});
export type LimiterState = z.infer<typeof LimiterState>;

/** Before the first start: a full bucket. */
export const INITIAL_STATE: LimiterState = {
  atMs: 0,
  fullAtMs: 0,
  trouble: undefined,
  windows: {},
  reported: undefined,
  learned: NOTHING_LEARNED,
  setting: '',
};

/** The state at a start. If the operator has set another plan, rate or number, what is spent may have become larger. */
export function startedUnder(state: LimiterState, planSetting: PlanSetting): LimiterState {
  const setting = JSON.stringify(planSetting);
  if (state.setting === setting) return state;
  return { ...state, setting, windows: unspent(state.windows), learned: forgotten(state.learned) };
}

/** What does not change while the process runs. */
export interface Terms {
  setting: PlanSetting;
  /** `LONGEST_WAIT_SECONDS`: longer pauses are not sat out. */
  longestWaitMs: number;
}

/** A state at one moment, and what follows from it. */
export interface Now {
  state: LimiterState;
  terms: Terms;
  nowMs: number;
  /** The plan that counts; absent while none is known. */
  plan: string | undefined;
  /** By the plan alone. */
  planned: Pace;
  pace: Pace;
  /** What each window leaves. */
  windows: readonly WindowQuota[];
  /** The one that leaves least. */
  least: WindowQuota | undefined;
  /** The same, if nothing remains of it. */
  spent: WindowQuota | undefined;
  /** Why requests do not flow, a spent window before all else; `undefined` while they do. */
  stop: Stop | undefined;
}

const KNOWN_FOR_MS = 10_000;

/** Many ask, and it is the same as long as the windows are known as they are, and none ends. */
const KNOWN = new WeakMap<LimiterState['windows'], ReturnType<typeof planAndWindows>>();

export function at(state: LimiterState, terms: Terms, nowMs: number): Now {
  const { windows, reported, learned } = state;
  let known = KNOWN.get(windows);
  if (known?.terms !== terms || known.reported !== reported || nowMs < known.fromMs || nowMs >= known.untilMs) {
    known = planAndWindows(state, terms, nowMs);
    KNOWN.set(windows, known);
  }
  const stop = known.stop ?? (state.trouble && stopOfTrouble(state.trouble));
  return { ...known, state, nowMs, stop, pace: learnedPace(learned, known.planned) };
}

/** @returns `undefined` for failures that stop nothing yet */
export function stopOfTrouble({ kind, beganMs, untilMs }: Trouble): Stop | undefined {
  return kind === 'failing' ? undefined : { reason: kind, beganMs, untilMs };
}

function planAndWindows(state: LimiterState, terms: Terms, nowMs: number) {
  const { setting } = terms;
  const { plan, limits } = planOf(state, setting);
  const windows = windowsOf(state.windows, limitsOf(limits, setting), setting, nowMs);
  const least = leastOf(windows);
  const spent = least?.remaining === 0 ? least : undefined;
  const stop: Stop | undefined = spent && { reason: spent.per ?? 'day', untilMs: windowEndsMs(spent) };
  const endsMs = windows.map(windowEndsMs).filter((endMs) => endMs > nowMs);
  return {
    ...{ terms, plan, windows, least, spent, stop, planned: plannedPace(limits, setting), reported: state.reported },
    fromMs: nowMs,
    untilMs: Math.min(nowMs + KNOWN_FOR_MS, ...endsMs), // a window that has not begun ends later and later
  };
}

/** The service's bucket refills only from when the first request has arrived there, which takes so long at most. */
const LONGEST_WAY_MS = 250;

/**
 * The pace by the plan alone, for all processes together; the first plan's while none is known. One token of the burst
 * is left out, and those that come while the first request is on its way: at the exact burst, clocks that differ by a
 * few milliseconds cost a 429 every time.
 */
export function plannedPace(limits: PlanLimits, setting: PlanSetting): Pace {
  const { requestsPerMinute = limits.requestsPerMinute, burst = limits.burst } = setting;
  const intervalMs = 60_000 / requestsPerMinute;
  const capacity = Math.max(1, burst - 1 - Math.min(2, Math.floor(LONGEST_WAY_MS / intervalMs)));
  return { intervalMs, capacity, window: limits.isWindow ? Math.max(1, Math.floor(requestsPerMinute)) : undefined };
}

/** The plan that counts, absent while none is known, and its limits; then those of the service's smallest. */
export function planOf(state: LimiterState, setting: PlanSetting): { plan: string | undefined; limits: PlanLimits } {
  const { plans } = setting;
  const plan = planFound(state, setting);
  return { plan, limits: plans[plan ?? Object.keys(plans)[0] ?? ''] ?? UNSTATED };
}

/** The configured one or, with `auto`, that of a usage report, else that of the daily limit in the headers. */
function planFound({ reported, windows }: LimiterState, { plan, plans }: PlanSetting): string | undefined {
  const limit = windows.day?.stated?.limit;
  const named = plan !== 'auto' ? plan : reported?.atLimit === limit ? reported?.plan : undefined;
  if (named !== undefined && Object.hasOwn(plans, named)) return named;
  return limit === undefined ? undefined : Object.keys(plans).find((name) => plans[name]?.requestsPerDay === limit);
}
