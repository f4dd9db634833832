import { expect, it, onTestFinished, vi } from 'vitest';
import { Events, type EventsByName } from '../../src/model/events.ts';
import { NOTHING_LEARNED } from '../../src/quota/learned.ts';
import type { Change } from '../../src/quota/limiter-cell.ts';
import type { Permit } from '../../src/quota/limiter-port.ts';
import { INITIAL_LIMITER_STATE, type LimiterState } from '../../src/quota/limiter-state.ts';
import type { PermitDecision, WantedToken } from '../../src/quota/permit.ts';
import { QuotaWarnings } from '../../src/quota/quota-warnings.ts';
import { SharedCell } from '../../src/quota/shared-cell.ts';
import type { SharedCellOptions } from '../../src/quota/shared-limiter-store.ts';
import { logLines } from '../support/log-lines.ts';
import { SharedState } from '../support/shared-state.ts';

/** A process over what is shared, with its next heartbeat, and what it tells. */
function opened(more: Partial<SharedCellOptions> = {}) {
  const onHealth = vi.fn<(listener: (health: string) => void) => void>();
  const store = new SharedState();
  const onHeartbeat = vi.fn<(listener: () => void) => void>();
  const { log, lines } = logLines();
  const events = new Events();
  const known: EventsByName['limiter'][] = [];
  events.subscribe('limiter', (event) => void known.push(event));
  const cell = new SharedCell({
    setting: { plan: 'free' },
    store,
    link: { health: 'usable', onHealth },
    processesAlive: { id: 'this', onHeartbeat },
    warnings: new QuotaWarnings(log),
    events,
    ...more,
  });
  const heartbeat = async () => {
    for (const [listener] of onHeartbeat.mock.calls) listener();
    await new Promise(setImmediate);
  };
  const becomes = (health: 'usable' | 'away') => {
    for (const [listener] of onHealth.mock.calls) listener(health);
  };
  const told = vi.fn();
  cell.onChange(told);
  return { cell, store, heartbeat, becomes, told, lines, known };
}

/** A process that has joined. */
async function joined(more?: Partial<SharedCellOptions>) {
  const process = opened(more);
  await process.heartbeat();
  process.told.mockClear();
  return process;
}

const PERMIT: Permit = { probe: false, leftAtMs: 0 };
const TOKEN: WantedToken = {
  ...{ kind: 'token', permit: PERMIT, lane: 'members', pace: { intervalMs: 6_000, capacity: 19 } },
  ...{ heldBackMs: 0, mostUnderWay: 2 },
};

const EMPTY_MS = 19 * 6_000;
const SPENT = { state: 'open', reason: 'day', sinceMs: 0, untilMs: Date.now() + 3_600_000, failures: 1 } as const;

function timeStandsStill(): number {
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  return Date.now();
}

it('a process is away until it has joined, and from when Redis is; whoever waits is told both times', async () => {
  const { cell, becomes, heartbeat, told } = opened();
  expect(cell.awaySinceMs).toEqual(expect.any(Number));
  expect([await cell.refresh(), cell.awaySinceMs, told.mock.calls.length]).toEqual([true, undefined, 1]);
  becomes('away');
  becomes('away');
  expect([cell.awaySinceMs, await cell.refresh(), told.mock.calls.length]).toEqual([expect.any(Number), false, 2]);
  becomes('usable');
  await heartbeat();
  expect([cell.awaySinceMs, told.mock.calls.length]).toEqual([undefined, 3]);
});

it('the first process leaves the bucket as the embedded one was', async () => {
  const nowMs = timeStandsStill();
  const { cell, store } = opened({ initial: { ...INITIAL_LIMITER_STATE, fullAtMs: nowMs + 15_000 } });
  Object.assign(store, { state: undefined, asRead: { ...store.asRead, era: '' } });
  await new Promise(setImmediate);
  expect([cell.awaySinceMs, store.state?.fullAtMs]).toEqual([undefined, nowMs + 15_000]);
});

it.each([
  ['another state', { ...INITIAL_LIMITER_STATE, breaker: SPENT }, '2'],
  ['nothing', undefined, ''],
])('when Redis has lost the state and has %s, no tokens are left', async (_, state, era) => {
  const nowMs = timeStandsStill();
  const { cell, store, heartbeat, told, lines } = await joined();
  store.read = async () => {
    store.asRead = { ...store.asRead, era };
    return true;
  };
  store.state = state;
  await heartbeat();
  expect([cell.awaySinceMs, store.state?.fullAtMs]).toEqual([undefined, nowMs + EMPTY_MS]);
  expect(told).toHaveBeenCalled();
  expect(lines).toEqual([]);
});

it.each([
  ['gives no answer', undefined],
  ['is given up meanwhile', { kind: 'taken', wasFull: false } as const],
])('a permit for which Redis %s is decided again, and not under way', async (_, answer) => {
  const { cell, store, becomes } = await joined();
  store.take = async () => {
    if (answer) becomes('away');
    return answer;
  };
  const away = () => (cell.awaySinceMs === undefined ? TOKEN : ({ kind: 'wait', untilMs: 0 } as const));
  expect([await cell.take(TOKEN, away), cell.underWay]).toEqual([{ kind: 'changed' }, 0]);
  expect(cell.awaySinceMs).toBeDefined();
});

it.each([
  ['shared', false],
  ['of a probe', true],
])('a token that is still to come is waited for, without a place under way: %s', async (_, probe) => {
  const nowMs = timeStandsStill();
  const { cell, store } = await joined();
  store.state = { ...INITIAL_LIMITER_STATE, fullAtMs: nowMs + EMPTY_MS };
  await cell.refresh();
  const wait = { kind: 'wait', untilMs: nowMs + 6_000 } as const;
  store.take = async () => wait;
  expect(await cell.take({ ...TOKEN, permit: { ...PERMIT, probe } }, () => TOKEN)).toEqual(wait);
  expect([cell.underWay, store.writes]).toEqual([0, 1]);
});

it('requests that are asked for at the same time count one another', async () => {
  const { cell, store } = await joined();
  const underWay: number[] = [];
  const { take } = store;
  store.take = (besides) => {
    underWay.push(besides);
    return take(besides);
  };
  await Promise.all([1, 2].map((leftAtMs) => cell.take({ ...TOKEN, permit: { ...PERMIT, leftAtMs } }, () => TOKEN)));
  expect(underWay).toEqual([0, 1]);
});

it('others learn that the probe is taken', async () => {
  const { cell, store } = await joined();
  const sinceMs = Date.now() - 1_000;
  const breaker = { state: 'open', reason: 'pause', sinceMs, untilMs: sinceMs, failures: 1 } as const;
  store.state = { ...INITIAL_LIMITER_STATE, breaker };
  await cell.refresh();
  const token = { ...TOKEN, permit: { ...PERMIT, probe: true } };
  await cell.take(token, () => token);
  expect(store.state?.breaker.state).toBe('halfOpen');
});

it('a probe that could not be noted is not noted later', async () => {
  const { cell, store, becomes, heartbeat } = await joined();
  const sinceMs = Date.now() - 1_000;
  const breaker = { state: 'open', reason: 'pause', sinceMs, untilMs: sinceMs, failures: 1 } as const;
  store.state = { ...INITIAL_LIMITER_STATE, breaker };
  await cell.refresh();
  store.isAway = true;
  const token = { ...TOKEN, permit: { ...PERMIT, probe: true } };
  expect([await cell.take(token, () => token), cell.underWay]).toEqual([{ kind: 'changed' }, 0]);
  store.isAway = false;
  becomes('usable');
  await heartbeat();
  expect(store.state?.breaker.state).toBe('open');
});

it('what has ended while Redis was away is written once it is back, once', async () => {
  const { cell, store, becomes, heartbeat } = await joined();
  const count = (state: LimiterState) => ({ ...state, planAtLimit: 1 + (state.planAtLimit ?? 0) });
  store.isAway = true;
  await cell.change({ apply: count });
  await cell.change({ apply: count });
  expect([cell.state.planAtLimit, store.state?.planAtLimit]).toEqual([2, undefined]);
  store.isAway = false;
  becomes('usable');
  await heartbeat();
  await heartbeat();
  expect([cell.state.planAtLimit, store.state?.planAtLimit]).toEqual([2, 2]);
});

it('what Redis has lost of what was known before is written again when it is back, and there are no tokens', async () => {
  const { cell, store, becomes, heartbeat } = await joined();
  await cell.change({ apply: (state) => ({ ...state, breaker: SPENT }) });
  becomes('away');
  store.state = INITIAL_LIMITER_STATE; // of a replica that has not heard of it
  store.asRead = { ...store.asRead, version: 0 };
  becomes('usable');
  await heartbeat();
  expect(store.state?.breaker).toEqual(SPENT);
  expect(cell.state.fullAtMs).toBeGreaterThan(Date.now() + EMPTY_MS - 60_000);
});

it('a breaker that others have closed meanwhile stays closed when a process is back that only knew it open', async () => {
  const { store, heartbeat, becomes } = await joined();
  store.state = { ...INITIAL_LIMITER_STATE, breaker: SPENT };
  await heartbeat();
  becomes('away');
  store.state = INITIAL_LIMITER_STATE;
  becomes('usable');
  await heartbeat();
  expect(store.state?.breaker.state).toBe('closed');
});

it('a reading is written with what ends the request that it is of, and at once when none is under way', async () => {
  const { cell, store } = await joined();
  const writesFor = async (change: Change) => {
    const before = store.writes;
    await cell.change(change);
    return store.writes - before;
  };
  const planned = (plan: string) => ({ apply: (state: LimiterState) => ({ ...state, plan }) });
  expect(await writesFor({ ...planned('pro'), isReading: true })).toBe(1);
  await cell.take(TOKEN, () => TOKEN);
  expect(await writesFor({ ...planned('business'), isReading: true })).toBe(0);
  expect(store.state?.plan).toBe('pro');
  expect(await writesFor(planned('free'))).toBe(1);
  await cell.change({ ...planned('pro'), isReading: true });
  expect(await writesFor({ apply: (state) => state, ended: PERMIT })).toBe(1);
  expect([store.state?.plan, cell.underWay]).toEqual(['pro', 0]);
});

it('operators are told once of what changes, though Redis is away', async () => {
  const { cell, store, becomes, heartbeat, lines, known } = await joined();
  store.isAway = true;
  known.length = 0;
  await cell.change({ apply: (state) => ({ ...state, breaker: SPENT }) });
  expect(known.map(({ breaker }) => breaker)).toEqual([SPENT]);
  store.isAway = false;
  becomes('usable');
  await heartbeat();
  expect(lines).toMatchObject([{ reason: 'day' }]);
});

it('operators are told of what other processes have changed', async () => {
  const { store, heartbeat, known } = await joined();
  store.state = { ...INITIAL_LIMITER_STATE, breaker: SPENT };
  await heartbeat();
  expect(known.at(-1)?.breaker).toEqual(SPENT);
});

it('a change that another process was before is written a moment later, and nobody is told that Redis is away', async () => {
  const { cell, store, told } = await joined();
  vi.spyOn(Math, 'random').mockReturnValue(0.9);
  onTestFinished(() => void vi.restoreAllMocks());
  const { write } = store;
  const atMs: number[] = [];
  store.write = async (...args) => {
    atMs.push(performance.now());
    return atMs.length > 1 && write(...args);
  };
  await cell.change({ apply: (state) => ({ ...state, plan: 'pro' }) });
  const [first = 0, second = 0] = atMs;
  expect(second - first).toBeGreaterThan(40);
  expect([store.state?.plan, told.mock.calls.length]).toEqual(['pro', 0]);
});

it.each([
  ['writes', true],
  ['has to write again', false],
])('what ends while a process that loses Redis %s is written once', async (_, isWritten) => {
  const { cell, store, becomes, heartbeat } = await joined();
  const { write } = store;
  const apply = (state: LimiterState) => ({ ...state, planAtLimit: 1 + (state.planAtLimit ?? 0) });
  let changed: Promise<void> | undefined;
  store.write = async (...args) => {
    store.write = write;
    await undefined; // on its way
    becomes('away');
    changed = cell.change({ apply });
    return isWritten && write(...args);
  };
  await cell.change({ apply: (state) => ({ ...state, plan: 'pro' }) });
  await changed;
  becomes('usable');
  await heartbeat();
  expect(store.state).toMatchObject({ plan: 'pro', planAtLimit: 1 });
});

it('a clock that is set back while Redis is away lengthens no pause', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const { cell, store, becomes, heartbeat } = await joined();
  const sinceMs = Date.now();
  const breaker = { state: 'open', reason: 'pause', sinceMs, untilMs: sinceMs + 7_000, failures: 1 } as const;
  await cell.change({ apply: (state) => ({ ...state, breaker }) });
  becomes('away');
  store.state = undefined;
  vi.setSystemTime(sinceMs - 3_600_000);
  becomes('usable');
  await heartbeat();
  expect(cell.state.breaker.untilMs - Date.now()).toBe(7_000);
});

it.each<[string, boolean, PermitDecision]>([
  ['a probe that another process got first', true, TOKEN],
  ['a permit that a 429 has overtaken', false, { kind: 'wait', untilMs: 0 }],
])('%s is decided again, and not under way', async (_, probe, decision) => {
  const { cell, store } = await joined();
  const token = { ...TOKEN, permit: { ...PERMIT, probe } };
  store.asRead = { ...store.asRead, probeOf: 'another' };
  expect([await cell.take(token, () => decision), cell.underWay]).toEqual([{ kind: 'changed' }, 0]);
  store.asRead = { ...store.asRead, probeOf: 'this' };
  expect([await cell.take(token, () => TOKEN), cell.underWay]).toMatchObject([{ kind: 'taken' }, 1]);
});

it('whoever waits looks again when others change when requests leave or need a place no more, not at each heartbeat', async () => {
  const { store, heartbeat, told } = await joined();
  const isTold = async () => {
    told.mockClear();
    await heartbeat();
    return told.mock.calls.length;
  };
  expect(await isTold()).toBe(0);
  store.state = { ...INITIAL_LIMITER_STATE, learned: { ...NOTHING_LEARNED, window: 10 } };
  expect([await isTold(), await isTold()]).toEqual([1, 0]);
  for (const [underWayElsewhere, times] of [
    [2, 0],
    [1, 1],
    [1, 0],
  ] as const) {
    store.read = async () => {
      store.asRead = { ...store.asRead, underWayElsewhere };
      return true;
    };
    expect(await isTold(), `${underWayElsewhere} under way`).toBe(times);
  }
});
