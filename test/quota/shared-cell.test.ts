import { expect, it, onTestFinished, vi } from 'vitest';
import type { Permit } from '../../src/quota/limiter-port.ts';
import { INITIAL_LIMITER_STATE, type LimiterState } from '../../src/quota/limiter-state.ts';
import type { PermitDecision, WantedToken } from '../../src/quota/permit.ts';
import { QuotaWarnings } from '../../src/quota/quota-warnings.ts';
import { SharedCell } from '../../src/quota/shared-cell.ts';
import type { LimiterWrite, SharedLimiterStore } from '../../src/quota/shared-limiter-store.ts';
import { logLines } from '../support/log-lines.ts';

/** What processes share; the test is those besides this one. */
class SharedState implements SharedLimiterStore {
  state: LimiterState = INITIAL_LIMITER_STATE;
  asRead = { era: '1', probeOf: '', underWayElsewhere: 0, lost: 0, lostAtMs: 0 };
  read = async () => true as const;
  take = async () => ({ kind: 'taken' as const, wasFull: false });
  write = async (_: number, { state }: LimiterWrite) => {
    this.state = state;
    return true;
  };
}

/** A process that has joined, with its next heartbeat. */
async function joined() {
  const onHealth = vi.fn<(listener: (health: string) => void) => void>();
  const store = new SharedState();
  const onHeartbeat = vi.fn<(listener: () => void) => void>();
  const cell = new SharedCell({
    setting: { plan: 'free' },
    store,
    link: { health: 'usable', onHealth },
    processesAlive: { id: 'this', size: 2, onHeartbeat },
    warnings: new QuotaWarnings(logLines().log),
  });
  const heartbeat = async () => {
    for (const [listener] of onHeartbeat.mock.calls) listener();
    await new Promise(setImmediate);
  };
  const becomes = (health: 'usable' | 'away') => {
    for (const [listener] of onHealth.mock.calls) listener(health);
  };
  await heartbeat();
  return { cell, store, heartbeat, becomes };
}

const PERMIT: Permit = { probe: false, leftAtMs: 0 };
const TOKEN: WantedToken = {
  ...{ kind: 'token', permit: PERMIT, lane: 'members', pace: { intervalMs: 6_000, capacity: 19 } },
  ...{ heldBackMs: 0, mostUnderWay: 2 },
};

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
  const { cell, store, heartbeat } = await joined();
  const told = vi.fn();
  cell.onChange(told);
  const isTold = async () => {
    told.mockClear();
    await heartbeat();
    return told.mock.calls.length;
  };
  expect(await isTold()).toBe(0);
  store.state = { ...store.state, learned: { ...store.state.learned, window: 10 } };
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
