import { expect, it, onTestFinished, vi } from 'vitest';
import type { RequestOutcome } from '../../src/model/errors.ts';
import { Events, type EventsByName } from '../../src/model/events.ts';
import { NOTHING_LEARNED } from '../../src/quota/learned.ts';
import type { Change } from '../../src/quota/limiter-cell.ts';
import type { Permit } from '../../src/quota/limiter-port.ts';
import { INITIAL_LIMITER_STATE, type LimiterState } from '../../src/quota/limiter-state.ts';
import type { PermitDecision, Taken, WantedToken } from '../../src/quota/permit.ts';
import { QuotaWarnings } from '../../src/quota/quota-warnings.ts';
import { SharedCell } from '../../src/quota/shared-cell.ts';
import type { LimiterWrite, SharedCellOptions, SharedLimiterStore } from '../../src/quota/shared-limiter-store.ts';
import { logLines } from '../support/log-lines.ts';

/** What processes share; the test is those besides this one. */
class SharedState implements SharedLimiterStore {
  state: LimiterState | undefined = INITIAL_LIMITER_STATE;
  asRead = { era: '1', probeOf: '', underWayElsewhere: 0, lost: 0, lostAtMs: 0 };
  /** Whether Redis gives no answer. */
  isAway = false;
  writes = 0;
  read = async (): Promise<true | undefined> => (this.isAway ? undefined : true);
  take = async (_: number): Promise<Taken | undefined> => (this.isAway ? undefined : { kind: 'taken', wasFull: false });
  write = async (_: number, { state }: LimiterWrite): Promise<boolean | undefined> => {
    this.writes++;
    if (this.isAway) return undefined;
    this.state = state;
    return true;
  };
}

/** A process over what is shared, with its next heartbeat, and what it tells. */
function opened(more: Partial<SharedCellOptions> = {}, size = 2) {
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
    processesAlive: { id: 'this', size, onHeartbeat },
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
async function joined(more?: Partial<SharedCellOptions>, size?: number) {
  const process = opened(more, size);
  await process.heartbeat();
  process.told.mockClear();
  return process;
}

const PERMIT: Permit = { probe: false, leftAtMs: 0 };
const TOKEN: WantedToken = {
  ...{ kind: 'token', permit: PERMIT, lane: 'members', pace: { intervalMs: 6_000, capacity: 19 } },
  ...{ heldBackMs: 0, mostUnderWay: 2 },
};

/** One of the free plan's half. */
const HALF: WantedToken = { ...TOKEN, pace: { intervalMs: 12_000, capacity: 9 } };
const EMPTY_MS = 19 * 6_000;
const SPENT = { state: 'open', reason: 'day', sinceMs: 0, untilMs: Date.now() + 3_600_000, failures: 1 } as const;

function timeStandsStill(): number {
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  return Date.now();
}

/** How many tokens it gets, and what comes then. */
async function drained({ cell }: { cell: SharedCell }, token = HALF): Promise<[tokens: number, then: Taken]> {
  const take = () => cell.take({ ...token, permit: { ...PERMIT } }, () => token);
  let then = await take();
  let tokens = 0;
  for (; then.kind === 'taken' && tokens < 99; tokens++) then = await take();
  return [tokens, then];
}

it('without Redis a process has its share of the plan, and is charged for it when Redis is back', async () => {
  const nowMs = timeStandsStill();
  const process = await joined();
  const { cell, store, becomes, heartbeat, told } = process;
  store.asRead = { ...store.asRead, underWayElsewhere: 3 };
  expect([cell.underWay, await cell.refresh()]).toEqual([3, true]);
  becomes('away');
  expect([told.mock.calls.length, cell.setting]).toEqual([1, { plan: 'free', processes: 2 }]);
  expect(await drained(process)).toEqual([9, { kind: 'wait', untilMs: nowMs + 12_000 }]);
  becomes('away');
  expect([told.mock.calls.length, cell.underWay, await cell.refresh()]).toEqual([1, 9, false]);
  becomes('usable');
  await heartbeat();
  expect([told.mock.calls.length, cell.setting, cell.underWay]).toEqual([2, { plan: 'free' }, 12]);
  expect(store.state?.fullAtMs).toBe(nowMs + 9 * 6_000);
});

it('a process that was alone has the whole plan without Redis', async () => {
  const { cell, becomes } = await joined({}, 1);
  becomes('away');
  expect(cell.setting).toEqual({ plan: 'free', processes: 1 });
});

it('until it has read what is shared, a process has one token; then it leaves the bucket as the embedded one was', async () => {
  const nowMs = timeStandsStill();
  const initial = { ...INITIAL_LIMITER_STATE, fullAtMs: nowMs + 15_000 };
  const link = { health: 'away', onHealth: vi.fn() };
  const process = opened({ initial, link });
  expect([process.cell.setting.processes, (await drained(process))[0]]).toEqual([2, 1]);

  const other = opened({ initial });
  Object.assign(other.store, { state: undefined, asRead: { ...other.store.asRead, era: '' } });
  await new Promise(setImmediate);
  expect([other.cell.setting.processes, other.store.state?.fullAtMs]).toEqual([undefined, nowMs + 15_000]);
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
  expect([cell.setting, store.state?.fullAtMs]).toEqual([{ plan: 'free' }, nowMs + EMPTY_MS]);
  expect(told).toHaveBeenCalled();
  expect(lines).toEqual([]);
});

it('a process that gets no answer for a permit decides again by itself', async () => {
  const process = await joined();
  process.store.isAway = true;
  expect([await process.cell.take(TOKEN, () => TOKEN), process.cell.underWay]).toEqual([{ kind: 'changed' }, 0]);
  expect((await drained(process))[0]).toBe(9);
});

it('a permit whose answer comes after Redis was given up leaves the share as it was', async () => {
  const nowMs = timeStandsStill();
  const { cell, store, becomes } = await joined();
  store.state = { ...INITIAL_LIMITER_STATE, fullAtMs: nowMs + 6_000 };
  await cell.refresh();
  store.take = async () => {
    becomes('away');
    return { kind: 'taken', wasFull: false };
  };
  expect(await cell.take(TOKEN, () => TOKEN)).toMatchObject({ kind: 'taken' });
  expect(cell.state.fullAtMs).toBe(nowMs);
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

it('who joins decides again when that is done, and by itself when Redis gives no answer', async () => {
  const process = await joined();
  const { cell, store, becomes, heartbeat } = process;
  becomes('away');
  const { promise, resolve } = Promise.withResolvers<true | undefined>();
  store.read = () => promise;
  becomes('usable');
  const isEnded = vi.fn();
  const taken = cell.take(HALF, () => HALF).finally(isEnded);
  const changed = cell.change({ apply: (state) => state, outcome: { kind: 'answered' } });
  await new Promise(setImmediate);
  expect(isEnded).not.toHaveBeenCalled();
  const { writes } = store;
  resolve(undefined);
  expect(await taken).toEqual({ kind: 'changed' });
  await changed;
  expect([store.writes - writes, (await drained(process))[0]]).toEqual([0, 9]);

  const { read } = new SharedState();
  store.read = read;
  becomes('usable');
  await heartbeat();
  expect(cell.setting.processes).toBeUndefined();
});

it('what has ended without Redis counts once it is back, and what was not written when it went', async () => {
  timeStandsStill();
  const { cell, store, becomes, heartbeat } = await joined({ setting: { plan: 'free', requestsPerMonth: 1_000 } });
  await cell.refresh();
  const end = (outcome: RequestOutcome) => cell.change({ apply: (state) => state, outcome });
  store.isAway = true;
  await end({ kind: 'answered' });
  await end({ kind: 'answered', cards: 20 });
  await end({ kind: 'abandoned' });
  await cell.change({ apply: (state) => state });
  store.isAway = false;
  becomes('usable');
  await heartbeat();
  expect(store.state).toMatchObject({ own: { month: { requests: 2 } } });
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

it.each([
  ['with Redis', false, false],
  ['when Redis gives no answer', true, false],
  ['without Redis', true, true],
])('%s operators are told once of what changes', async (_, isAway, isIsolated) => {
  const { cell, store, becomes, lines, known, told } = await joined();
  if (isIsolated) becomes('away');
  store.isAway = isAway;
  known.length = 0;
  told.mockClear();
  await cell.change({ apply: (state) => ({ ...state, breaker: SPENT }) });
  expect(lines).toMatchObject([{ reason: 'day' }]);
  expect(known[0]?.breaker).toEqual(SPENT);
  expect(told).toHaveBeenCalledTimes(isAway && !isIsolated ? 1 : 0);
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
  expect([store.state?.plan, told.mock.calls.length, cell.setting]).toEqual(['pro', 0, { plan: 'free' }]);
});

it.each([
  ['has written', true, 2],
  ['has to write again, for which it joins', false, undefined],
])(
  'a process that loses Redis while it %s is charged once for what ends meanwhile',
  async (_, isWritten, processes) => {
    const { cell, store, becomes, heartbeat } = await joined({ setting: { plan: 'free', requestsPerMonth: 1_000 } });
    const { write } = store;
    const apply = (state: LimiterState) => ({ ...state, planAtLimit: 1 + (state.planAtLimit ?? 0) });
    let changed: Promise<void> | undefined;
    store.write = async (...args) => {
      store.write = write;
      await undefined; // on its way
      becomes('away');
      changed = cell.change({ apply, outcome: { kind: 'answered' } });
      return isWritten && write(...args);
    };
    await cell.change({ apply: (state) => ({ ...state, plan: 'pro' }) });
    expect(cell.setting.processes).toBe(processes);
    await changed;
    await heartbeat();
    expect(store.state).toMatchObject({ own: { month: { requests: 1 } } });
    expect(store.state?.planAtLimit).toBeUndefined(); // what it learns meanwhile is its own
  },
);

it('without Redis a request counts as under way until it has ended', async () => {
  const { cell, becomes } = await joined();
  becomes('away');
  expect(await cell.take(TOKEN, () => TOKEN)).toMatchObject({ kind: 'taken' });
  expect(cell.underWay).toBe(1);
  await cell.change({ apply: (state) => ({ ...state, plan: 'pro' }), ended: PERMIT });
  expect([cell.underWay, cell.state.plan]).toEqual([0, 'pro']);
});

it('without Redis a clock that is set back lengthens no pause', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const { cell, becomes } = await joined();
  becomes('away');
  const sinceMs = Date.now();
  const breaker = { state: 'open', reason: 'pause', sinceMs, untilMs: sinceMs + 7_000, failures: 1 } as const;
  await cell.change({ apply: (state) => ({ ...state, breaker }) });
  vi.setSystemTime(sinceMs - 3_600_000);
  await cell.refresh();
  vi.setSystemTime(Date.now() + 5_000);
  expect(cell.state.breaker.untilMs - Date.now()).toBe(2_000);
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
