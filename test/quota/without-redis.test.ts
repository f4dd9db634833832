import { describe, expect, it } from 'vitest';
import type { PlanSetting } from '../../src/model/plan.ts';
import type { OpenBreaker } from '../../src/model/quota.ts';
import { INITIAL_LIMITER_STATE, type LimiterState } from '../../src/quota/limiter-state.ts';
import { afterToken, tokenAtMs } from '../../src/quota/pace.ts';
import { countedOwn } from '../../src/quota/windows.ts';
import { isolatedFullAtMs, joinedState } from '../../src/quota/without-redis.ts';

const NOW_MS = 1_000_000_000;
const SETTING: PlanSetting = { plan: 'free', requestsPerMinute: 60, burst: 20 };

function opened(
  untilMs: number,
  state: OpenBreaker['state'] = 'open',
  reason: OpenBreaker['reason'] = 'pause',
): LimiterState {
  const breaker = { state, reason, sinceMs: 0, untilMs, failures: 1 };
  return { ...INITIAL_LIMITER_STATE, breaker, openedUnder: `until ${untilMs}` };
}

describe('a process that cannot reach Redis', () => {
  it.each([
    ['full', 2, 0, 9],
    ['full', 4, 0, 4],
    ['five short', 2, 5, 7],
    ['five and a half short', 2, 5.5, 6],
    ['almost empty', 4, 16, 0],
    ['empty', 2, 19, 0],
    ['emptier than empty', 2, 100, 0],
    ['full', 1, 0, 19],
    ['full', 40, 0, 0],
  ])(
    'has its share of a bucket that was %s, as one of %i, rounded down (%d short: %i)',
    (_, processes, short, tokens) => {
      const state = { ...INITIAL_LIMITER_STATE, fullAtMs: NOW_MS + short * 1_000 };
      expect(tokensOf(isolatedFullAtMs(state, { ...SETTING, processes }, true, NOW_MS), processes)).toBe(tokens);
    },
  );

  it('has one token when it never read the shared state', () => {
    const fullAtMs = isolatedFullAtMs(INITIAL_LIMITER_STATE, { ...SETTING, processes: 4 }, false, NOW_MS);
    expect(tokensOf(fullAtMs, 4)).toBe(1);
  });

  function tokensOf(fullAtMs: number, processes: number): number {
    const share = { intervalMs: 1_000 * processes, capacity: Math.max(1, Math.floor(19 / processes)) };
    if (tokenAtMs(fullAtMs, NOW_MS, share) > NOW_MS) return 0;
    return 1 + tokensOf(afterToken(fullAtMs, NOW_MS, share), processes);
  }
});

describe('the state that a process joins', () => {
  const CLOSED = INITIAL_LIMITER_STATE;
  const joining = {
    setting: SETTING,
    spent: 0,
    ended: { cards: 0, counted: 0 },
    firstFullAtMs: undefined,
    isLost: false,
    nowMs: NOW_MS,
  };
  const left = ({ fullAtMs }: LimiterState) => 19 - (fullAtMs - NOW_MS) / 1_000;

  it.each<[string, LimiterState | undefined, object, number]>([
    ['is charged what it spent alone', { ...CLOSED, fullAtMs: NOW_MS + 4_000 }, { spent: 3 }, 12],
    ['has no tokens when Redis has lost it', undefined, { isLost: true }, 0],
    ['has none either when a newcomer was first', { ...CLOSED, fullAtMs: NOW_MS }, { isLost: true }, 0],
    ['has none when it is invalid', undefined, {}, 0],
    ['is full at the very first start', undefined, { firstFullAtMs: 0 }, 19],
    ['has what an embedded process left', undefined, { firstFullAtMs: NOW_MS + 15_000 }, 4],
    ['is charged at a first start, too', undefined, { firstFullAtMs: 0, spent: 1 }, 18],
    ['keeps the bucket of others', { ...CLOSED, fullAtMs: NOW_MS + 9_000 }, { firstFullAtMs: 0 }, 10],
  ])('%s', (_, shared, more, tokens) => {
    const local = { ...CLOSED, fullAtMs: NOW_MS + 18_000 };
    expect(left(joinedState(shared, { ...joining, local: local, ...more }))).toBe(tokens);
  });

  it.each<[string, LimiterState, LimiterState, 'of its own' | 'of the others']>([
    ['that is open for longer', opened(NOW_MS + 1), opened(NOW_MS + 2), 'of its own'],
    ['that the others do not know', CLOSED, opened(NOW_MS + 2), 'of its own'],
    ['that others know to be open for longer', opened(NOW_MS + 2), opened(NOW_MS + 1), 'of the others'],
    ['that it does not know', opened(NOW_MS + 1), CLOSED, 'of the others'],
    [
      'that is closed, though its times are by another clock',
      { ...CLOSED, breaker: { ...CLOSED.breaker, untilMs: -1 }, openedUnder: 'another' },
      CLOSED,
      'of the others',
    ],
    ['whose probe it has under way', opened(NOW_MS - 1), opened(NOW_MS - 1, 'halfOpen'), 'of its own'],
    ['of a longer pause, with a probe', opened(NOW_MS + 1), opened(NOW_MS - 1, 'halfOpen'), 'of the others'],
    ['whose probe another one has', opened(NOW_MS - 1, 'halfOpen'), opened(NOW_MS - 1), 'of the others'],
  ])('has the breaker %s', (_, shared, local, whose) => {
    const { breaker, openedUnder } = whose === 'of its own' ? local : shared;
    expect(joinedState(shared, { ...joining, local: local })).toMatchObject({ breaker, openedUnder });
  });

  it('has the newer figures of the day, and nothing else that the process learned alone', () => {
    const knowing = (receivedAtMs: number, plan: 'pro' | 'business'): LimiterState => {
      const quota = { limit: 1_000, remaining: receivedAtMs, resetsAtMs: undefined, receivedAtMs };
      return { ...CLOSED, quota, plan };
    };
    const [older, newer] = [knowing(1, 'pro'), knowing(2, 'business')];
    expect(joinedState(older, { ...joining, local: newer })).toMatchObject({ quota: newer.quota, plan: 'pro' });
    expect(joinedState(newer, { ...joining, local: older })).toMatchObject({ quota: newer.quota, plan: 'business' });
  });

  it('has counted what the service has counted, and not the cards of lists', () => {
    const setting = { ...SETTING, requestsPerMonth: 1_000 };
    const alone = { setting, ended: { cards: 40, counted: 1 } };
    const shared = { ...CLOSED, own: countedOwn(undefined, 10, setting, NOW_MS) };
    expect(joinedState(shared, { ...joining, ...alone, local: shared }).own?.month?.requests).toBe(11);
  });

  it('has its probe due at a start under another setting, and not at a return', () => {
    const shared = opened(NOW_MS + 5_000, 'open', 'day');
    const untilMs = (more: object) => joinedState(shared, { ...joining, local: CLOSED, ...more }).breaker.untilMs;
    expect([untilMs({ firstFullAtMs: 0 }), untilMs({})]).toEqual([0, NOW_MS + 5_000]);
  });
});
