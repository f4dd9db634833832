import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { RequestOutcome } from '../../src/model/errors.ts';
import { Events } from '../../src/model/events.ts';
import type { Pace, PlanSetting } from '../../src/model/plan.ts';
import { NOTHING_LEARNED } from '../../src/quota/learned.ts';
import { LocalCell } from '../../src/quota/limiter-cell.ts';
import type { Lane, Permit } from '../../src/quota/limiter-port.ts';
import { INITIAL_LIMITER_STATE } from '../../src/quota/limiter-state.ts';
import { QuotaWarnings } from '../../src/quota/quota-warnings.ts';
import { RateLimiter } from '../../src/quota/rate-limiter.ts';
import { INFO, logLines } from '../support/log-lines.ts';
import { LONGEST_WAIT_MS } from '../support/lookup-queue.ts';
import { MemoryLimiterStore } from '../support/memory-limiter-store.ts';
import { ANSWERED, drain, limited, permitOf, reading, TOKENS } from './limiter.contract.ts';

const START_MS = Date.UTC(2026, 10, 20, 12);
const FREE_INTERVAL_MS = 6_000;
const MINUTE_MS = 60_000;

beforeEach(() => {
  vi.useFakeTimers({ now: START_MS, toFake: ['Date'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** A limiter whose process can be restarted. */
class Process {
  readonly #setting: PlanSetting;
  readonly store = new MemoryLimiterStore();
  readonly #logged = logLines();
  readonly lines = this.#logged.lines;
  limiter: RateLimiter;

  constructor(setting: PlanSetting = { plan: 'free' }) {
    this.#setting = setting;
    this.limiter = this.#start();
  }

  restart(): void {
    this.limiter = this.#start();
  }

  /** A restart at which answers have shown the service to take so many requests at once, under that pace. */
  restartWith(inFlight: number, pace: Pace): void {
    const learned = { ...NOTHING_LEARNED, inFlight, pace: `${pace.intervalMs} ${pace.capacity}` };
    this.store.save({ ...(this.store.saved ?? INITIAL_LIMITER_STATE), learned });
    this.restart();
  }

  /** A permit, or `undefined` when there is none now. */
  acquire(lane?: Lane): Promise<Permit | undefined> {
    return permitOf(this.limiter, lane);
  }

  /** One request, from its permit to its outcome. */
  async ask(outcome: RequestOutcome = ANSWERED): Promise<void> {
    const permit = await this.acquire();
    expect(permit).toBeDefined();
    if (permit) await this.limiter.release(permit, outcome);
  }

  #start(): RateLimiter {
    const warnings = new QuotaWarnings(this.#logged.log);
    const options = { setting: this.#setting, longestWaitMs: LONGEST_WAIT_MS, warnings };
    return new RateLimiter(new LocalCell(this.store, options), { ...options, random: () => 0 });
  }
}

function pass(ms: number): void {
  vi.setSystemTime(Date.now() + ms);
}

it('refuses nothing before it has read what other processes have changed', async () => {
  const one = new Process();
  await one.ask(limited(7_000));
  const options = { setting: { plan: 'free' }, longestWaitMs: 0, warnings: new QuotaWarnings(logLines().log) } as const;
  const cell = new LocalCell(one.store, options);
  vi.spyOn(cell, 'refresh').mockImplementationOnce(() => {
    cell.change({ apply: () => INITIAL_LIMITER_STATE });
    return true;
  });
  expect(await permitOf(new RateLimiter(cell, options))).toBeDefined();
});

it('expects places under way to become free at the pace of the first answer, until there are more', async () => {
  const { limiter } = new Process({ plan: 'business' });
  const first = await permitOf(limiter);
  pass(4_000);
  if (first) await limiter.release(first, ANSWERED);
  for (let permit = first; permit; permit = await permitOf(limiter)) {}
  expect(limiter.view().forecast('members', 2) - Date.now()).toBe(4_000);
});

it('expects places to become free no sooner when the only request under way takes longer than any before', async () => {
  const now = vi.spyOn(performance, 'now').mockReturnValue(0);
  onTestFinished(() => now.mockRestore());
  const { limiter } = new Process();
  await permitOf(limiter);
  now.mockReturnValue(10_000);
  pass(10_000);
  expect(limiter.view().forecast('members', 2) - Date.now()).toBeGreaterThan(5_000);
});

describe('pace', () => {
  it('is that of a window once a 429 has shown one, and the log says so, and when it is given up', async () => {
    const process = new Process();
    for (let i = 0; i < 10; i++) await process.ask();
    await process.ask(limited(1_000));
    pass(2_000);
    expect(await drain(process.limiter)).toBe(0);
    pass(MINUTE_MS);
    await process.ask();
    expect(await drain(process.limiter)).toBe(9);
    for (let quiet = 0; quiet < 3; quiet++) {
      pass(17 * MINUTE_MS);
      await process.ask();
    }
    expect(process.lines.filter(({ reason }) => reason === undefined)).toMatchObject([
      { level: INFO, window: 10, msg: expect.stringContaining('takes 10 requests in any minute') },
      { level: INFO, burst: 10, msg: expect.stringContaining('fewer requests at a time') },
      { level: INFO, msg: expect.stringContaining('again') },
    ]);
  });

  it('is understood from a 429 when those that left before it are answered, and logged then', async () => {
    const process = new Process();
    process.restartWith(100, { intervalMs: FREE_INTERVAL_MS, capacity: TOKENS });
    const permits: Permit[] = [];
    for (let permit = await process.acquire(); permit; permit = await process.acquire()) permits.push(permit);
    const refused = permits.splice(0, TOKENS - 10);
    for (const permit of refused) await process.limiter.release(permit, limited(1_000));
    for (const permit of permits) await process.limiter.release(permit, ANSWERED);
    expect(process.lines.filter(({ reason }) => reason === undefined)).toEqual([]);
    pass(62_000);
    await process.ask();
    expect(process.lines.filter(({ reason }) => reason === undefined)).toMatchObject([{ window: 10 }]);
  });

  it("of auto sends no more than Free's burst at once after a restart, until an answer confirms the plan", async () => {
    const process = new Process({ plan: 'auto' });
    process.limiter.observe(reading(49_000, 12 * 3_600_000, 50_000));
    process.limiter.observePlan('pro');
    process.restartWith(100, { intervalMs: 600, capacity: 199 });

    const permits: Permit[] = [];
    for (let permit = await process.acquire(); permit; permit = await process.acquire()) permits.push(permit);
    expect(permits).toHaveLength(TOKENS);
    const later = (ms: number) => ({ sentAtMs: Date.now() + ms, receivedAtMs: Date.now() + ms });
    process.limiter.observe({ ...reading(981, 12 * 3_600_000, 1_000), ...later(1) });
    for (const permit of permits) await process.limiter.release(permit, ANSWERED);
    expect(await process.limiter.acquire('members')).toMatchObject({ kind: 'wait' });

    process.limiter.observe({ ...reading(49_000, 12 * 3_600_000, 50_000), ...later(2) });
    pass(120_000);
    expect(await drain(process.limiter)).toBe(199);
  });

  it("of auto is Free's with a daily limit of no plan, and a warning says once what to set", async () => {
    const { limiter, lines } = new Process({ plan: 'auto' });
    for (const limit of [50_000, 30_000, 30_000, 40_000]) limiter.observe(reading(25_000, 12 * 3_600_000, limit));
    expect(limiter.view().forecast('members', 2_001) - limiter.view().forecast('members', 2_000)).toBe(
      FREE_INTERVAL_MS,
    );
    expect(lines).toHaveLength(2);
    expect(lines[0]).toMatchObject({ level: INFO, plan: 'pro', requestsPerMinute: 100 });
    expect(lines[1]).toMatchObject({ limit: 30_000, msg: expect.stringContaining('CARD_SERVICE_REQUESTS_PER_MINUTE') });
  });
});

describe('a 429', () => {
  it('that ends gives the next permit one interval after its probe has arrived, where the burst has no spare token', async () => {
    const it = new Process({ plan: 'free', burst: 1 });
    await it.ask(limited(7_000));
    pass(7_000);
    const probe = await it.acquire();
    pass(100); // on its way
    if (probe) await it.limiter.release(probe, ANSWERED);
    expect(await it.limiter.acquire('members')).toEqual({ kind: 'wait', untilMs: Date.now() + FREE_INTERVAL_MS });
  });

  it('is told to metrics, to alerts, and to the new log when the next run begins', async () => {
    const it = new Process();
    await it.ask(limited(7_000));
    const events = new Events();
    const told: unknown[] = [];
    events.subscribe('limiter', ({ breaker }) => void told.push(breaker.reason));
    const { log, lines } = logLines();
    new LocalCell(it.store, { setting: { plan: 'free' }, warnings: new QuotaWarnings(log), events });
    expect([told, lines]).toMatchObject([['pause'], [{ reason: 'pause' }]]);
  });

  it('is probed again when the process ended during the probe, but only with a token', async () => {
    const it = new Process();
    await it.ask(limited(7_000));
    pass(7_000);
    expect(await it.acquire()).toMatchObject({ probe: true });
    for (let restarts = 0; restarts < 3; restarts++) {
      it.restart();
      expect(await it.limiter.acquire('members')).toEqual({ kind: 'wait', untilMs: Date.now() + FREE_INTERVAL_MS });
    }
    pass(FREE_INTERVAL_MS);
    expect(await it.acquire()).toMatchObject({ probe: true });
  });
});

describe('a clock that is set back', () => {
  it('gives no new burst, and the next token after one interval', async () => {
    const it = new Process();
    await drain(it.limiter);
    pass(-86_400_000);
    expect(await drain(it.limiter)).toBe(0);
    pass(FREE_INTERVAL_MS);
    expect(await drain(it.limiter)).toBe(1);
  });

  it('lengthens no pause', async () => {
    const it = new Process();
    await it.ask(limited(7_000));
    vi.setSystemTime(START_MS - 86_400_000);
    it.restart();
    expect(await it.acquire()).toBeUndefined();
    pass(7_000);
    expect(await it.acquire()).toMatchObject({ probe: true });
  });

  it('lengthens no window, although no headers tell of the day', async () => {
    const it = new Process();
    for (let served = 0; served < 10; served++) await it.ask();
    const known = it.store.saved ?? INITIAL_LIMITER_STATE;
    it.store.save({ ...known, learned: { ...known.learned, window: 10 } });
    it.restart();
    expect(await it.acquire()).toBeUndefined();
    vi.setSystemTime(START_MS - 86_400_000);
    expect(await it.acquire()).toBeUndefined();
    pass(61_000);
    expect(await drain(it.limiter)).toBe(10);
  });

  it('lengthens no spent day', async () => {
    const it = new Process();
    const permit = await it.acquire();
    it.limiter.observe(reading(0, 3_600_000));
    if (permit) await it.limiter.release(permit, ANSWERED);
    vi.setSystemTime(START_MS - 86_400_000);
    expect(it.limiter.view().refusalFor('members')).toEqual({
      reason: 'day',
      untilMs: START_MS - 86_400_000 + 3_600_000,
    });
    expect(it.limiter.quota()?.resetsAtMs).toBe(START_MS - 86_400_000 + 3_600_000);
  });
});
