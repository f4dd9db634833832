import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { PlanSetting } from '../../src/model/plan.ts';
import type { QuotaReading, WindowName } from '../../src/model/quota.ts';
import { NOTHING_LEARNED, paceKey, windowSlotsMs } from '../../src/quota/learned.ts';
import { LocalCell } from '../../src/quota/limiter-cell.ts';
import { INITIAL_LIMITER_STATE, LimiterState, shifted } from '../../src/quota/limiter-state.ts';
import { StateView } from '../../src/quota/limiter-view.ts';
import { plannedPace } from '../../src/quota/pace.ts';
import { releasePermit } from '../../src/quota/permit.ts';
import { QuotaWarnings } from '../../src/quota/quota-warnings.ts';
import { RateLimiter } from '../../src/quota/rate-limiter.ts';
import { type SharedCellOptions, SharedCopy, type SharedLimiterStore } from '../../src/quota/shared-limiter-store.ts';
import {
  afterRequests,
  countedOwn,
  dayLimitOf,
  joinedWindows,
  leastOf,
  unstatedEndMs,
  windowRunsOutAtMs,
  windowsOf,
  withReading,
} from '../../src/quota/windows.ts';
import { logLines } from '../support/log-lines.ts';
import { MemoryLimiterStore } from '../support/memory-limiter-store.ts';
import { ask } from './limiter.contract.ts';

/** Ten days are left of the month, this one included. */
const NOW_MS = Date.UTC(2026, 10, 21, 12);
const HOUR_MS = 3_600_000;
const MIDNIGHT_MS = Date.UTC(2026, 10, 22);
const NEXT_MONTH_MS = Date.UTC(2026, 11, 1);
const PLAN = { requestsPerMinute: 10, burst: 5 };

function planOf(limits: { requestsPerHour?: number; requestsPerDay?: number; requestsPerMonth?: number }): PlanSetting {
  return { plan: 'free', plans: { free: { ...PLAN, ...limits } } };
}

function reading(limit: number, remaining: number, resetInMs?: number): QuotaReading {
  return { limit, remaining, resetInMs, sentAtMs: NOW_MS - 100, receivedAtMs: NOW_MS };
}

function spent(requests: number, setting: PlanSetting): LimiterState {
  return { ...INITIAL_LIMITER_STATE, own: countedOwn(undefined, requests, setting, NOW_MS) };
}

/** Such as `88 of 100 day (ours)`. */
function shown(state: LimiterState, setting: PlanSetting, nowMs = NOW_MS): string[] {
  return windowsOf(state, setting, nowMs).map(({ per, limit, remaining, isOurCount }) => {
    return `${remaining} of ${limit} ${per}${isOurCount ? ' (ours)' : ''}`;
  });
}

describe('what each window leaves', () => {
  const HOUR_AND_DAY = planOf({ requestsPerHour: 100, requestsPerDay: 1_000 });

  it('is what the plan has, less what was counted here, while nobody states it', () => {
    expect(shown(spent(12, HOUR_AND_DAY), HOUR_AND_DAY)).toEqual(['88 of 100 hour (ours)', '988 of 1000 day (ours)']);
  });

  it('is what answers state, where they do', () => {
    const quota = { limit: 900, remaining: 700, resetsAtMs: undefined, receivedAtMs: NOW_MS };
    const windows = withReading({}, 'hour', reading(90, 50), HOUR_AND_DAY);
    expect(shown({ ...spent(12, HOUR_AND_DAY), quota, windows }, HOUR_AND_DAY)).toEqual([
      '50 of 90 hour',
      '700 of 900 day',
    ]);
  });

  it('is what answers stated, less what has left since then and was answered without a word of it', () => {
    const quota = { limit: 900, remaining: 1, resetsAtMs: undefined, receivedAtMs: NOW_MS };
    const state = { ...INITIAL_LIMITER_STATE, quota, windows: withReading({}, 'hour', reading(90, 50), HOUR_AND_DAY) };
    const left = (leftAtMs: number) => ({ ...state, ...afterRequests(state, 2, leftAtMs, HOUR_AND_DAY, NOW_MS) });
    expect(shown(left(NOW_MS), HOUR_AND_DAY)).toEqual(['50 of 90 hour', '1 of 900 day']);
    expect(shown(left(NOW_MS + 1), HOUR_AND_DAY)).toEqual(['48 of 90 hour', '0 of 900 day']);
  });

  it('is counted anew once a window is over, of the size that was stated', () => {
    const windows = withReading({}, 'hour', reading(90, 50), HOUR_AND_DAY);
    const state = { ...spent(12, HOUR_AND_DAY), windows };
    expect(shown(state, HOUR_AND_DAY, NOW_MS + HOUR_MS)).toEqual(['90 of 90 hour (ours)', '988 of 1000 day (ours)']);
    expect(shown(state, HOUR_AND_DAY, MIDNIGHT_MS)).toEqual(['90 of 90 hour (ours)', '1000 of 1000 day (ours)']);
  });

  it('is unknown of the default service until it states it', () => {
    expect(windowsOf(INITIAL_LIMITER_STATE, { plan: 'free' }, NOW_MS)).toEqual([]);
  });

  it('is the least of all', () => {
    const state = spent(12, HOUR_AND_DAY);
    expect(leastOf(windowsOf(state, HOUR_AND_DAY, NOW_MS))).toMatchObject({ per: 'hour', remaining: 88 });
    const alike = (['hour', 'day'] as const).map((per) => ({
      per,
      limit: 9,
      remaining: 0,
      receivedAtMs: NOW_MS,
      resetsAtMs: undefined,
    }));
    expect(leastOf(alike)).toMatchObject({ per: 'day' }); // it ends last
    const view = viewOf(state, HOUR_AND_DAY);
    expect([view.quota?.remaining, view.unreserved]).toEqual([88, 78]); // a tenth of an hour of 100 is kept
    expect(dayLimitOf(view.windows)).toBe(1_000);
  });
});

describe('a month', () => {
  const MONTH = planOf({ requestsPerMonth: 1_000 });

  it('leaves a day twice what remains of it divided by the days left', () => {
    expect(shown(spent(0, MONTH), MONTH)).toEqual(['1000 of 1000 month (ours)', '200 of 200 day (ours)']);
    expect(shown(spent(150, MONTH), MONTH)).toEqual(['850 of 1000 month (ours)', '50 of 200 day (ours)']);
  });

  it('leaves a day 20 at least, as long as it has them', () => {
    const short = withReading({}, 'month', reading(1_000, 30), MONTH);
    expect(shown({ ...INITIAL_LIMITER_STATE, windows: short }, MONTH)).toEqual([
      '30 of 1000 month',
      '20 of 20 day (ours)',
    ]);
    const over = withReading({}, 'month', reading(1_000, 7), MONTH);
    expect(leastOf(windowsOf({ ...INITIAL_LIMITER_STATE, windows: over }, MONTH, NOW_MS))?.remaining).toBe(7);
  });

  it('that ends in the middle of a day leaves that day its share, too', () => {
    const windows = withReading({}, 'month', reading(1_000, 100, 30 * HOUR_MS), MONTH);
    expect(shown({ ...INITIAL_LIMITER_STATE, windows }, MONTH)[1]).toBe('100 of 100 day (ours)');
  });

  it('leaves its last day all that remains', () => {
    expect(shown(spent(0, MONTH), MONTH, NEXT_MONTH_MS - HOUR_MS)[1]).toBe('2000 of 2000 day (ours)');
  });

  it('that an answer has stated is whole when the next one begins, and leaves a day its share until that is stated', () => {
    const setting: PlanSetting = { plan: 'free' };
    const windows = withReading({}, 'month', reading(1_000, 7, NEXT_MONTH_MS - NOW_MS), setting);
    const left = windowsOf({ ...INITIAL_LIMITER_STATE, windows }, setting, NEXT_MONTH_MS + HOUR_MS);
    expect(left.map(({ per, limit, remaining }) => [per, limit, remaining])).toEqual([
      ['month', 1_000, undefined],
      ['day', 64, 64], // twice a thirty-first
    ]);
  });

  it('that is spent is told to end with itself, and not with a day of it that is spent, too', () => {
    expect(leastOf(windowsOf(spent(1_000, MONTH), MONTH, NOW_MS))).toMatchObject({ per: 'month', remaining: 0 });
  });

  it('makes budgets go by a day of it, and not by the month', () => {
    expect(
      dayLimitOf(
        windowsOf(spent(0, planOf({ requestsPerMonth: 50_000 })), planOf({ requestsPerMonth: 50_000 }), NOW_MS),
      ),
    ).toBe(10_000);
  });

  it('is counted up to 95 % where more costs money', () => {
    const setting = { ...MONTH, isBilled: true };
    expect(shown(spent(949, setting), setting)[0]).toBe('1 of 950 month (ours)');
    const odd = { ...setting, requestsPerMonth: 1_001 };
    expect(shown(spent(949, odd), odd)[0]).toBe('1 of 950 month (ours)');
  });

  it('is that of the variable, if set, of the default service too', () => {
    const setting: PlanSetting = { plan: 'free', requestsPerMonth: 300 };
    expect(shown(spent(1, setting), setting)).toEqual(['299 of 300 month (ours)', '59 of 60 day (ours)']);
  });
});

it.each<[WindowName, number | undefined, number]>([
  ['hour', undefined, NOW_MS + HOUR_MS],
  ['day', undefined, MIDNIGHT_MS],
  ['month', undefined, NEXT_MONTH_MS],
  ['month', 15, Date.UTC(2026, 11, 15)],
  ['month', 28, Date.UTC(2026, 10, 28)],
  ['month', 21, Date.UTC(2026, 11, 21)],
])('a %s without a stated reset ends: month begins on %s', (per, monthBegins, endsAtMs) => {
  expect(unstatedEndMs(per, { plan: 'free', ...(monthBegins && { monthBegins }) }, NOW_MS)).toBe(endsAtMs);
});

it('an hour ends an hour after its first request, however many follow', () => {
  const setting = planOf({ requestsPerHour: 100 });
  const first = countedOwn(undefined, 1, setting, NOW_MS);
  const later = countedOwn(first, 1, setting, NOW_MS + HOUR_MS / 2);
  expect(later.hour).toEqual({ requests: 2, endsAtMs: NOW_MS + HOUR_MS });
  expect(countedOwn(later, 1, setting, NOW_MS + HOUR_MS).hour?.requests).toBe(1);
  const inTheMiddle = { ...reading(100, 98), receivedAtMs: NOW_MS + HOUR_MS / 2 };
  expect(withReading({ own: later }, 'hour', inTheMiddle, setting).hour?.resetsAtMs).toBe(NOW_MS + HOUR_MS);
  const windows = withReading({}, 'hour', reading(100, 99), setting);
  expect(withReading({ windows }, 'hour', inTheMiddle, setting).hour?.resetsAtMs).toBe(NOW_MS + HOUR_MS);
});

it('a month that was begun ends as it was to, although months begin on another day by now', () => {
  const [onFirst, on28th] = [1, 28].map((monthBegins) => ({ ...planOf({ requestsPerMonth: 100 }), monthBegins }));
  const begun = countedOwn(undefined, 1, onFirst as PlanSetting, NOW_MS);
  expect(countedOwn(begun, 1, on28th as PlanSetting, NEXT_MONTH_MS - 1).month).toEqual({
    requests: 2,
    endsAtMs: NEXT_MONTH_MS,
  });
  expect(countedOwn(begun, 1, on28th as PlanSetting, NEXT_MONTH_MS).month).toEqual({
    requests: 1,
    endsAtMs: Date.UTC(2026, 11, 28),
  });
});

describe('after a request', () => {
  const setting = planOf({ requestsPerDay: 100, requestsPerMonth: 1_000 });
  const ended = (state: LimiterState, outcome: Parameters<typeof releasePermit>[2], plan = setting) =>
    releasePermit(state, { probe: false, leftAtMs: NOW_MS }, outcome, plan, {
      longestWaitMs: 300_000,
      nowMs: NOW_MS,
      random: 0,
      underWay: 0,
    });

  it.each([
    ['that was answered', { kind: 'answered' }, 1],
    ['that was not', { kind: 'serviceDown', isCounted: true }, 1],
    ['that never left', { kind: 'serviceDown', isCounted: false }, 0],
    ['that was refused', { kind: 'rateLimited', isCounted: false }, 0],
    ['that was not sent', { kind: 'abandoned' }, 0],
  ] as const)('it counts one %s', (_, outcome, requests) => {
    expect(ended(INITIAL_LIMITER_STATE, outcome).own?.month?.requests).toBe(requests);
  });

  it('counts one for each process, where it cannot reach Redis and so knows nothing of the others', () => {
    expect(ended(INITIAL_LIMITER_STATE, { kind: 'answered' }, { ...setting, processes: 3 }).own?.month?.requests).toBe(
      3,
    );
  });

  it('opens the breaker once a day has had its share of a month that only answers tell of', () => {
    const unplanned: PlanSetting = { plan: 'free' };
    let state = INITIAL_LIMITER_STATE;
    for (let left = 999; state.breaker.state === 'closed'; left--) {
      state = { ...state, windows: withReading(state, 'month', reading(1_000, left), unplanned) };
      state = ended(state, { kind: 'answered' }, unplanned);
    }
    expect(state.breaker).toMatchObject({ reason: 'day', untilMs: MIDNIGHT_MS });
    expect(state.windows?.month?.remaining).toBe(800);
  });

  it('opens the breaker with the last of a window, until that ends', () => {
    const { breaker } = ended(spent(99, setting), { kind: 'answered' });
    expect(breaker).toMatchObject({ state: 'open', reason: 'day', untilMs: MIDNIGHT_MS });
  });

  it.each<[WindowName, number]>([
    ['hour', NOW_MS + HOUR_MS],
    ['day', MIDNIGHT_MS],
    ['month', NEXT_MONTH_MS],
  ])(
    'refused for the %s, it opens the breaker until that ends, however short a wait is stated, and learns nothing',
    (spentWindow, untilMs) => {
      const state = ended(INITIAL_LIMITER_STATE, { kind: 'rateLimited', statedMs: 1_000, spentWindow });
      expect(state.breaker).toMatchObject({ state: 'open', reason: spentWindow, untilMs });
      expect(state.learned.refusal).toBeUndefined();
    },
  );
});

it('a 429 that names its window opens the breaker until that ends as it was stated', () => {
  const unplanned: PlanSetting = { plan: 'free' };
  const windows = withReading({}, 'month', reading(1_000, 500, 2 * HOUR_MS), unplanned);
  const refused = { kind: 'rateLimited', spentWindow: 'month' } as const;
  const permit = { probe: false, leftAtMs: NOW_MS };
  const now = { longestWaitMs: 300_000, nowMs: NOW_MS, random: 0, underWay: 0 };
  const { breaker } = releasePermit({ ...INITIAL_LIMITER_STATE, windows }, permit, refused, unplanned, now);
  expect(breaker).toMatchObject({ reason: 'month', untilMs: NOW_MS + 2 * HOUR_MS });
});

it('processes that meet again add what each has counted alone, and take the newer figures', () => {
  const setting = planOf({ requestsPerMonth: 1_000 });
  const older = withReading({}, 'month', { ...reading(1_000, 600), receivedAtMs: NOW_MS - 60_000 }, setting);
  const shared = { ...spent(10, setting), windows: older };
  const local = { ...spent(14, setting), windows: withReading({}, 'month', reading(1_000, 590), setting) };
  const { windows, own } = joinedWindows(shared, local, 4, setting, NOW_MS);
  expect([windows?.month?.remaining, own?.month?.requests]).toEqual([590, 14]);
});

it('an hour does not begin when a process joins that has counted nothing alone', () => {
  const setting = planOf({ requestsPerHour: 100 });
  expect(joinedWindows(INITIAL_LIMITER_STATE, INITIAL_LIMITER_STATE, 0, setting, NOW_MS).own).toBeUndefined();
});

it('a plan that counts by a fixed minute has no bucket: so many leave at once, and no more before it is over', () => {
  const setting: PlanSetting = { plan: 'free', plans: { free: { ...PLAN, isWindow: true } } };
  const learned = { ...INITIAL_LIMITER_STATE.learned, inFlight: 100 };
  const atMs = (position: number) =>
    viewOf({ ...INITIAL_LIMITER_STATE, learned }, setting).forecast('members', position);
  expect([atMs(1), atMs(10), atMs(11)]).toEqual([NOW_MS, NOW_MS, NOW_MS + 60_000]);
});

it('a day runs out by what is left of it, not of a month that leaves less', () => {
  vi.useFakeTimers({ now: NOW_MS, toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const quota = { limit: 1_000, remaining: 500, resetsAtMs: MIDNIGHT_MS, receivedAtMs: NOW_MS };
  const samples = [{ atMs: NOW_MS - HOUR_MS, remaining: 700 }];
  const state = { ...INITIAL_LIMITER_STATE, quota, samples };
  const month = withReading({}, 'month', { ...reading(10_000, 100) }, { plan: 'free' });
  const runsOut = (known: LimiterState) => {
    const store = { load: () => known, save: () => {} };
    const cell = new LocalCell(store, { setting: { plan: 'free' }, warnings: new QuotaWarnings(logLines().log) });
    return new RateLimiter(cell, { longestWaitMs: 300_000 }).runsOutAtMs();
  };
  expect(runsOut({ ...state, windows: { month: month.month } })).toBe(NOW_MS + 2.5 * HOUR_MS);
});

it.each([
  ['what remains lasts', 400, false, undefined],
  ['it does not', 200, false, Date.UTC(2026, 10, 26, 18)],
  ['our count may lack its beginning', 200, true, undefined],
])('when a month runs out at its rate so far, where %s', (_, remaining, isOurCount, atMs) => {
  const window = { per: 'month' as const, limit: 1_000, remaining, resetsAtMs: NEXT_MONTH_MS, receivedAtMs: NOW_MS };
  const found = windowRunsOutAtMs({ ...window, isOurCount }, NOW_MS);
  const toTheHour = found && Math.round(found / HOUR_MS) * HOUR_MS;
  expect(toTheHour).toBe(atMs);
});

it('what was under way when a process was killed counts as spent, and what had ended counts once', async () => {
  const setting = planOf({ requestsPerMonth: 1_000 });
  const store = new MemoryLimiterStore();
  const start = () => {
    const cell = new LocalCell(store, { setting, warnings: new QuotaWarnings(logLines().log) });
    return new RateLimiter(cell, { longestWaitMs: 300_000 });
  };
  const left = (limiter: RateLimiter) => limiter.view().windows.find(({ per }) => per === 'month')?.remaining;
  const killed = start();
  await killed.acquire('members');
  expect([left(killed), left(start())]).toEqual([1_000, 999]);
  await ask(killed);
  await killed.acquire('members');
  expect([left(killed), left(start())]).toEqual([999, 997]);
  const stopped = start();
  await ask(stopped);
  expect([left(stopped), left(start())]).toEqual([996, 996]);
});

it('what was under way when a process was killed takes its places in the minute that was learned', async () => {
  const setting: PlanSetting = { plan: 'free' };
  const store = new MemoryLimiterStore();
  const learned = { ...NOTHING_LEARNED, window: 3, refill: 'atOnce', inFlight: 9 } as const;
  store.save({
    ...INITIAL_LIMITER_STATE,
    learned: { ...learned, pace: paceKey(plannedPace(INITIAL_LIMITER_STATE, setting)) },
  });
  const start = () => {
    const cell = new LocalCell(store, { setting, warnings: new QuotaWarnings(logLines().log) });
    return new RateLimiter(cell, { longestWaitMs: 300_000 });
  };
  const killed = start();
  await killed.acquire('members');
  await killed.acquire('members');
  const next = start();
  expect((await next.acquire('members')).kind).toBe('permit');
  expect(await next.acquire('members')).toMatchObject({
    kind: 'wait',
    untilMs: expect.closeTo(Date.now() + 60_000, -3),
  });
});

it('over Redis such places are free again a minute later, although nobody writes', () => {
  const learned = { ...NOTHING_LEARNED, window: 2, refill: 'atOnce' } as const;
  const asRead = { era: 'one', probeOf: '', underWayElsewhere: 0, lost: 2, lostAtMs: NOW_MS };
  const store = { state: { ...INITIAL_LIMITER_STATE, learned }, asRead } as Partial<SharedLimiterStore>;
  const copy = new SharedCopy({
    store,
    setting: { plan: 'free' },
    processesAlive: { id: 'self' },
  } as SharedCellOptions);
  const freeAt = (nowMs: number) => {
    vi.setSystemTime(nowMs);
    return windowSlotsMs(copy.stored?.learned ?? NOTHING_LEARNED, 0, nowMs).filter((atMs) => atMs <= nowMs).length;
  };
  vi.useFakeTimers({ now: NOW_MS, toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  expect([freeAt(NOW_MS + 59_000), freeAt(NOW_MS + 60_250)]).toEqual([0, 2]);
});

it('a window that our count says is spent lets nothing leave before it ends, a report neither, though no answer has told', () => {
  const setting = planOf({ requestsPerMonth: 1_000 });
  const view = viewOf(spent(1_000, setting), setting);
  const blocked = { kind: 'blocked', reason: 'month', untilMs: NEXT_MONTH_MS };
  expect((['members', 'renewals', 'report'] as const).map((lane) => view.decide(lane))).toEqual([
    blocked,
    blocked,
    blocked,
  ]);
  expect(view.breaker).toMatchObject({ state: 'open', reason: 'month', untilMs: NEXT_MONTH_MS });
  const breaker = { ...INITIAL_LIMITER_STATE.breaker, state: 'open', reason: 'pause', untilMs: NOW_MS } as const;
  expect(viewOf({ ...spent(1_000, setting), breaker }, setting).decide('members')).toEqual(blocked);
  expect(viewOf(spent(999, setting), setting).decide('members')).toMatchObject({ kind: 'blocked', reason: 'day' });
  expect(viewOf(spent(1_000, setting), planOf({ requestsPerMonth: 9_000 })).decide('members').kind).toBe('token');
});

it('what is known of windows outlasts a restart', () => {
  const setting = planOf({ requestsPerHour: 100, requestsPerMonth: 1_000 });
  const state = { ...spent(3, setting), windows: withReading({}, 'month', reading(1_000, 600), setting) };
  expect(LimiterState.parse(JSON.parse(JSON.stringify(state)))).toEqual(state);
  expect(shifted(state, 500).own?.hour).toEqual({ requests: 3, endsAtMs: NOW_MS + HOUR_MS + 500 });
});

function viewOf(state: LimiterState, setting: PlanSetting): StateView {
  const facts = { underWay: 0, isUnconfirmed: false, longestWaitMs: 300_000, answersTakeMs: 0 };
  return new StateView({ ...facts, state, setting }, NOW_MS);
}
