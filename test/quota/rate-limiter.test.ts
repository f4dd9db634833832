import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { RequestOutcome } from '../../src/model/errors.ts';
import { Events } from '../../src/model/events.ts';
import type { PlanSetting } from '../../src/model/plan.ts';
import type { QuotaReading } from '../../src/model/quota.ts';
import { NOTHING_LEARNED } from '../../src/quota/learned.ts';
import { LocalCell } from '../../src/quota/limiter-cell.ts';
import type { Lane, Permit } from '../../src/quota/limiter-port.ts';
import { INITIAL_LIMITER_STATE } from '../../src/quota/limiter-state.ts';
import type { Pace } from '../../src/quota/pace.ts';
import { QuotaWarnings } from '../../src/quota/quota-warnings.ts';
import { RateLimiter } from '../../src/quota/rate-limiter.ts';
import { logLines } from '../support/log-lines.ts';
import { LONGEST_WAIT_MS } from '../support/lookup-queue.ts';
import { MemoryLimiterStore } from '../support/memory-limiter-store.ts';

const START_MS = Date.UTC(2026, 10, 20, 12);
const ANSWERED: RequestOutcome = { kind: 'answered' };
const DOWN: RequestOutcome = { kind: 'serviceDown' };
/** Free's burst of 20, less one. */
const FREE_TOKENS = 19;
const FREE_INTERVAL_MS = 6_000;
const MINUTE_MS = 60_000;
const INFO = 30;

beforeEach(() => {
  vi.useFakeTimers({ now: START_MS, toFake: ['Date'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** A limiter whose process can be restarted. */
class Process {
  readonly #setting: PlanSetting;
  readonly #longestWaitMs: number;
  readonly store = new MemoryLimiterStore();
  readonly #logged = logLines();
  readonly lines = this.#logged.lines;
  limiter: RateLimiter;

  constructor(setting: PlanSetting = { plan: 'free' }, longestWaitMs = LONGEST_WAIT_MS) {
    this.#setting = setting;
    this.#longestWaitMs = longestWaitMs;
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
  async acquire(lane: Lane = 'members'): Promise<Permit | undefined> {
    const got = await this.limiter.acquire(lane);
    return got.kind === 'permit' ? got.permit : undefined;
  }

  /** One request, from its permit to its outcome. */
  async ask(outcome: RequestOutcome = ANSWERED): Promise<void> {
    const permit = await this.acquire();
    expect(permit).toBeDefined();
    if (permit) await this.limiter.release(permit, outcome);
  }

  /** How many permits are available at once. */
  async drain(lane: Lane = 'members'): Promise<number> {
    let permits = 0;
    for (; permits < 10_000; permits++) {
      const permit = await this.acquire(lane);
      if (!permit) break;
      await this.limiter.release(permit, ANSWERED);
    }
    return permits;
  }

  #start(): RateLimiter {
    const warnings = new QuotaWarnings(this.#logged.log);
    const options = { setting: this.#setting, longestWaitMs: this.#longestWaitMs, warnings };
    return new RateLimiter(new LocalCell(this.store, options), { ...options, random: () => 0 });
  }
}

function pass(ms: number): void {
  vi.setSystemTime(Date.now() + ms);
}

function limited(statedMs?: number): RequestOutcome {
  return { kind: 'rateLimited', statedMs };
}

function reading(remaining: number | undefined, resetInMs: number | undefined, limit = 1_000): QuotaReading {
  return { limit, remaining, resetInMs, sentAtMs: Date.now(), receivedAtMs: Date.now() };
}

describe('pace', () => {
  it("is the plan's burst less one, then one request in each interval", async () => {
    const it = new Process();
    expect(await it.drain()).toBe(FREE_TOKENS);
    expect(await it.limiter.acquire('members')).toEqual({ kind: 'wait', untilMs: START_MS + FREE_INTERVAL_MS });
    pass(FREE_INTERVAL_MS - 1);
    expect(await it.drain()).toBe(0);
    pass(1);
    expect(await it.drain()).toBe(1);
    pass(86_400_000);
    expect(await it.drain()).toBe(FREE_TOKENS);
  });

  it('is that of a window once a 429 has shown one, and the log says so, and when it is given up', async () => {
    const process = new Process();
    for (let i = 0; i < 10; i++) await process.ask();
    await process.ask(limited(1_000));
    pass(2_000);
    expect(await process.drain()).toBe(0);
    pass(MINUTE_MS);
    await process.ask();
    expect(await process.drain()).toBe(9);
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
    process.restartWith(100, { intervalMs: FREE_INTERVAL_MS, capacity: FREE_TOKENS });
    const permits: Permit[] = [];
    for (let permit = await process.acquire(); permit; permit = await process.acquire()) permits.push(permit);
    const refused = permits.splice(0, FREE_TOKENS - 10);
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
    expect(permits).toHaveLength(FREE_TOKENS);
    const later = (ms: number) => ({ sentAtMs: Date.now() + ms, receivedAtMs: Date.now() + ms });
    process.limiter.observe({ ...reading(981, 12 * 3_600_000, 1_000), ...later(1) });
    for (const permit of permits) await process.limiter.release(permit, ANSWERED);
    expect(await process.limiter.acquire('members')).toMatchObject({ kind: 'wait' });

    process.limiter.observe({ ...reading(49_000, 12 * 3_600_000, 50_000), ...later(2) });
    pass(120_000);
    expect(await process.drain()).toBe(199);
  });

  it("of auto is Free's with a daily limit of no plan, and a warning says once what to set", async () => {
    const { limiter, lines } = new Process({ plan: 'auto' });
    for (const limit of [50_000, 30_000, 30_000, 40_000]) limiter.observe(reading(25_000, 12 * 3_600_000, limit));
    expect(limiter.schedule().permitAtMs(2_001) - limiter.schedule().permitAtMs(2_000)).toBe(FREE_INTERVAL_MS);
    expect(lines).toHaveLength(2);
    expect(lines[0]).toMatchObject({ level: INFO, plan: 'pro', requestsPerMinute: 100 });
    expect(lines[1]).toMatchObject({ limit: 30_000, msg: expect.stringContaining('CARD_SERVICE_REQUESTS_PER_MINUTE') });
  });

  it('gives no new burst when a clock is set back, and continues at once', async () => {
    const it = new Process();
    await it.drain();
    pass(-86_400_000);
    expect(await it.drain()).toBe(0);
    pass(FREE_INTERVAL_MS);
    expect(await it.drain()).toBe(1);
  });

  it('takes a token at once for a request that is still under way', async () => {
    const it = new Process();
    it.restartWith(100, { intervalMs: FREE_INTERVAL_MS, capacity: FREE_TOKENS });
    for (let permits = 0; permits < FREE_TOKENS; permits++) expect(await it.acquire()).toMatchObject({ probe: false });
    expect(await it.acquire()).toBeUndefined();
  });
});

describe('a 429', () => {
  it('allows no request before the stated time, not even after a restart', async () => {
    const it = new Process();
    await it.ask(limited(7_000));
    pass(6_999);
    it.restart();
    expect(await it.limiter.acquire('members')).toEqual({ kind: 'wait', untilMs: START_MS + 7_000 });
    pass(1);
    expect(await it.acquire()).toMatchObject({ probe: true });
  });

  it('that ends gives the next permit one interval after its probe has arrived, where the burst has no spare token', async () => {
    const it = new Process({ plan: 'free', burst: 1 });
    await it.ask(limited(7_000));
    pass(7_000);
    const probe = await it.acquire();
    pass(100); // on its way
    if (probe) await it.limiter.release(probe, ANSWERED);
    expect(await it.limiter.acquire('members')).toEqual({ kind: 'wait', untilMs: Date.now() + FREE_INTERVAL_MS });
  });

  it('is told to metrics and alerts when the next run begins', async () => {
    const it = new Process();
    await it.ask(limited(7_000));
    const events = new Events();
    const told: unknown[] = [];
    events.subscribe('limiter', ({ breaker }) => void told.push(breaker.reason));
    new LocalCell(it.store, { setting: { plan: 'free' }, warnings: new QuotaWarnings(logLines().log), events });
    expect(told).toEqual(['pause']);
  });

  it('is probed again when the process ended during the probe', async () => {
    const it = new Process();
    await it.ask(limited(7_000));
    pass(7_000);
    expect(await it.acquire()).toMatchObject({ probe: true });
    it.restart();
    expect(await it.acquire()).toMatchObject({ probe: true });
  });
});

describe('a clock that is set back', () => {
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
    expect(await it.drain()).toBe(10);
  });

  it('lengthens no spent day', async () => {
    const it = new Process();
    const permit = await it.acquire();
    it.limiter.observe(reading(0, 3_600_000));
    if (permit) await it.limiter.release(permit, ANSWERED);
    vi.setSystemTime(START_MS - 86_400_000);
    expect(it.limiter.schedule().blocked).toEqual({ reason: 'day', untilMs: START_MS - 86_400_000 + 3_600_000 });
    expect(it.limiter.quota()?.resetsAtMs).toBe(START_MS - 86_400_000 + 3_600_000);
  });
});

describe('a pause that is longer than the longest wait', () => {
  it('depends on LONGEST_WAIT_SECONDS', async () => {
    const it = new Process({ plan: 'free' }, 30_000);
    await it.ask(limited(31_000));
    expect(it.limiter.schedule().blocked).toMatchObject({ reason: 'pause' });
  });
});

describe('a spent day', () => {
  const HOUR_MS = 3_600_000;

  it('is still spent after a restart, which the log says again', async () => {
    const it = new Process();
    it.limiter.observe(reading(0, HOUR_MS));
    await it.ask();
    const stops = () => it.lines.filter(({ reason }) => reason === 'day');
    expect(stops()).toHaveLength(1);
    it.restart();
    expect(stops()).toHaveLength(2);
    expect(await it.limiter.acquire('members')).toMatchObject({ kind: 'blocked', reason: 'day' });
    expect(it.limiter.quota()).toMatchObject({ remaining: 0, resetsAtMs: START_MS + HOUR_MS });
  });
});

describe('the circuit breaker', () => {
  it('counts requests that were under way together as one failure', async () => {
    const it = new Process();
    const failTogether = async (count: number) => {
      const permits = await Promise.all(Array.from({ length: count }, () => it.acquire()));
      for (const permit of permits) if (permit) await it.limiter.release(permit, DOWN);
      return it.store.saved?.breaker;
    };
    expect(await failTogether(5)).toMatchObject({ state: 'closed', failures: 1 });
    expect(await failTogether(4)).toMatchObject({ state: 'closed', failures: 2 });
    expect(await failTogether(3)).toMatchObject({ reason: 'outage', failures: 3 });
  });
});

describe('the schedule', () => {
  it('of a full bucket has the whole burst at once', () => {
    const { permitAtMs } = new Process().limiter.schedule();
    expect(permitAtMs(FREE_TOKENS)).toBeLessThanOrEqual(START_MS);
    expect(permitAtMs(FREE_TOKENS + 1)).toBe(START_MS + FREE_INTERVAL_MS);
  });
});

describe('any sequence of events', () => {
  /** The state of a run; `elapsedMs` counts only time that went forward. */
  interface Run {
    process: Process;
    underWay: Permit[];
    elapsedMs: number;
    through: number;
  }
  type Step = (run: Run) => Promise<void> | void;

  const passes =
    (ms: number): Step =>
    (run) => {
      pass(ms);
      run.elapsedMs += Math.max(0, ms);
    };
  const acquires =
    (lane: Lane): Step =>
    async (run) => {
      const permit = await run.process.acquire(lane);
      if (permit) run.underWay.push(permit);
    };
  const releases =
    (index: number, statedMs: number | undefined): Step =>
    async (run) => {
      const [permit] = run.underWay.splice(index % Math.max(1, run.underWay.length), 1);
      if (!permit) return;
      await run.process.limiter.release(permit, statedMs === undefined ? ANSWERED : limited(statedMs));
      if (statedMs === undefined) run.through++;
    };
  const restarts: Step = (run) => {
    run.underWay.length = 0;
    run.process.restart();
  };

  const step = fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom<Lane>('members', 'members', 'renewals').map(acquires) },
    { weight: 4, arbitrary: fc.nat(30_000).map(passes) },
    { weight: 1, arbitrary: fc.integer({ min: -1e10, max: 0 }).map(passes) },
    {
      weight: 6,
      arbitrary: fc
        .tuple(fc.nat(), fc.option(fc.nat(60_000), { nil: undefined, freq: 6 }))
        .map((it) => releases(...it)),
    },
    { weight: 1, arbitrary: fc.constant(restarts) },
  );

  it('lets no more requests through than the burst less one and what the rate adds', async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(1, 2, 5, 20), fc.array(step, { maxLength: 150 }), async (burst, steps) => {
        vi.setSystemTime(START_MS);
        const run: Run = { process: new Process({ plan: 'free', burst }), underWay: [], elapsedMs: 0, through: 0 };
        for (const step of steps) {
          await step(run);
          const allowed = Math.max(1, burst - 1) + run.elapsedMs / FREE_INTERVAL_MS;
          expect(run.through).toBeLessThanOrEqual(allowed + 1e-6);
        }
      }),
    );
  });
});
