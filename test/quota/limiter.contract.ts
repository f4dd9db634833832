import { describe, expect, it, vi } from 'vitest';
import type { RequestOutcome } from '../../src/model/errors.ts';
import type { Plan, PlanSetting } from '../../src/model/plan.ts';
import type { QuotaReading } from '../../src/model/quota.ts';
import type { Limiter, Permit, PermitLane } from '../../src/quota/limiter.ts';
import { QuotaWarnings } from '../../src/quota/quota-warnings.ts';
import { logLines } from '../support/log-lines.ts';

/** Opens limiters over the same state, as a restart does, or a second process. */
export type OpenLimiter = (setting?: PlanSetting, warnings?: QuotaWarnings) => Promise<Limiter>;

export const BURST = 20;
/** The plan's burst less one. */
export const TOKENS = BURST - 1;
export const PER_MINUTE = 6;
/** A token in each 10 s: a burst can be counted before the next one comes, however busy the machine. */
export const SLOW: PlanSetting = { plan: 'free', requestsPerMinute: PER_MINUTE, burst: BURST };
/** A token in each 50 ms. */
export const QUICK: PlanSetting = { plan: 'free', requestsPerMinute: 1_200, burst: BURST };
export const ANSWERED: RequestOutcome = { kind: 'answered' };
export const DOWN: RequestOutcome = { kind: 'serviceDown' };
export const LONG = { timeout: 15_000, interval: 20 };
const HOUR_MS = 3_600_000;

export function limited(statedMs?: number): RequestOutcome {
  return { kind: 'rateLimited', statedMs };
}

export function reading(remaining: number | undefined, resetInMs?: number, limit = 1_000): QuotaReading {
  return { limit, remaining, resetInMs, sentAtMs: Date.now(), receivedAtMs: Date.now() };
}

/** A permit, or `undefined` when there is none now. */
export async function permitOf(limiter: Limiter, lane: PermitLane = 'members'): Promise<Permit | undefined> {
  const got = await limiter.acquire(lane);
  return got.kind === 'permit' ? got.permit : undefined;
}

/** A permit that must be available now. */
async function permitNow(limiter: Limiter, lane?: PermitLane): Promise<Permit> {
  const permit = await permitOf(limiter, lane);
  if (!permit) throw new Error('there is no permit now');
  return permit;
}

/** The next permit, asked for at the times that the limiter states. */
export async function nextPermit(limiter: Limiter, lane: PermitLane = 'members'): Promise<Permit> {
  for (;;) {
    const got = await limiter.acquire(lane);
    if (got.kind === 'permit') return got.permit;
    await new Promise((resolve) => setTimeout(resolve, Math.max(1, got.untilMs - Date.now())));
  }
}

/** One request, from its permit to its outcome. */
export async function ask(limiter: Limiter, outcome = ANSWERED): Promise<Permit> {
  const permit = await nextPermit(limiter);
  await limiter.release(permit, outcome);
  return permit;
}

/** Prompt answers, until so many requests may be under way at once; a limiter that knows nothing yet allows two. */
export async function allowUnderWay(limiter: Limiter, requests: number): Promise<void> {
  const permits: Permit[] = [];
  while (permits.length < requests) {
    const permit = await permitOf(limiter);
    if (permit) permits.push(permit);
    else await limiter.release(permits.pop() as Permit, ANSWERED);
  }
  for (const permit of permits) await limiter.release(permit, ANSWERED);
}

/** How many permits are available at once. */
export async function drain(limiter: Limiter, lane: PermitLane = 'members'): Promise<number> {
  for (let permits = 0; ; permits++) {
    const permit = await permitOf(limiter, lane);
    if (!permit) return permits;
    await limiter.release(permit, ANSWERED);
  }
}

/** The rules of every limiter, wherever its state is stored. */
export function describeLimiter(over: string, newState: () => OpenLimiter): void {
  describe(`a limiter over ${over}`, () => {
    it("gives the plan's burst less one at once, and then states when the next permit is due", async () => {
      const limiter = await newState()(SLOW);
      expect(await drain(limiter)).toBe(TOKENS);
      const got = await limiter.acquire('members');
      expect(got).toMatchObject({ kind: 'wait', untilMs: expect.any(Number) });
    });

    it('gives no permit once a 429 is released, also not to one who asked a moment before its probe had ended', async () => {
      const limiter = await newState()(QUICK);
      const first = await nextPermit(limiter);
      const released = limiter.release(first, limited(300));
      expect(
        (await Promise.all([limiter.acquire('members'), limiter.acquire('renewals')])).map(({ kind }) => kind),
      ).toEqual(['wait', 'wait']);
      await released;

      const probe = await nextPermit(limiter);
      expect(probe.probe).toBe(true);
      const before = limiter.acquire('members');
      const ended = limiter.release(probe, limited(60_000));
      const after = limiter.acquire('members');
      expect([(await before).kind, (await after).kind]).toEqual(['wait', 'wait']);
      await ended;
    });

    it('refills from when the first request of a full bucket has arrived', async () => {
      const limiter = await newState()(SLOW);
      const tookAtMs = Date.now();
      const permit = await nextPermit(limiter);
      await new Promise((resolve) => setTimeout(resolve, 100)); // on its way
      await limiter.release(permit, ANSWERED);
      expect(await drain(limiter)).toBe(TOKENS - 1);
      const got = await limiter.acquire('members');
      if (got.kind === 'permit') throw new Error('the bucket is not empty');
      expect(got.untilMs).toBeGreaterThanOrEqual(tookAtMs + 10_000 + 90);
    });

    it('gives a permit at the time that it stated', async () => {
      const limiter = await newState()({ ...QUICK, burst: 2 });
      await ask(limiter);
      for (let waits = 0; waits < 5; ) {
        const got = await limiter.acquire('members');
        if (got.kind !== 'wait') continue;
        waits++;
        await new Promise((resolve) => setTimeout(resolve, got.untilMs - Date.now() + 1));
        const permit = await permitNow(limiter);
        expect(permit.probe).toBe(false);
        await limiter.release(permit, ANSWERED);
      }
    });

    it('keeps half the burst for members', async () => {
      const limiter = await newState()(SLOW);
      expect(await drain(limiter, 'renewals')).toBe(10);
      expect(await limiter.acquire('renewals')).toMatchObject({ kind: 'wait' });
      expect(await drain(limiter)).toBe(9);
    });

    it('pauses at a 429, allows one probe, and everything once it is answered, without a burst', async () => {
      const limiter = await newState()(SLOW);
      await ask(limiter, limited(300));
      expect(limiter.schedule()).toMatchObject({ paused: true, blocked: undefined });
      expect((await limiter.acquire('members')).kind).toBe('wait');

      const probe = await nextPermit(limiter);
      expect(probe).toMatchObject({ probe: true });
      for (let tries = 0; tries < 5; tries++) expect(await permitOf(limiter)).toBeUndefined();
      await limiter.release(probe, ANSWERED);
      expect(limiter.schedule().paused).toBe(false);
      expect(await drain(limiter)).toBe(0);
    });

    it('halves the burst at a 429 to a burst, once', async () => {
      const limiter = await newState()(QUICK);
      await allowUnderWay(limiter, 3);
      const permits = [await permitNow(limiter), await permitNow(limiter), await permitNow(limiter)];
      for (const permit of permits) await limiter.release(permit, limited(300));
      await ask(limiter);
      const halfFullMs = 10 * 50; // nine tokens, and the moment in which they are counted
      await new Promise((resolve) => setTimeout(resolve, halfFullMs));
      expect(Math.round(limiter.schedule().permitAtMs(9) - Date.now())).toBeLessThanOrEqual(0);
      expect(limiter.schedule().permitAtMs(12)).toBeGreaterThan(Date.now());
    });

    it('backs off longer at the 429 of a probe', async () => {
      const limiter = await newState()(QUICK);
      await ask(limiter, limited(250));
      const first = limiter.schedule().permitAtMs(1) - Date.now();
      await ask(limiter, limited(250));
      expect(limiter.schedule().permitAtMs(1) - Date.now()).toBeGreaterThan(Math.max(first, 1_000));
    });

    it('gives the probe to the next request when the first is abandoned', async () => {
      const limiter = await newState()(QUICK);
      await ask(limiter, limited(250));
      await ask(limiter, { kind: 'abandoned' });
      expect(await nextPermit(limiter)).toMatchObject({ probe: true });
    });

    it('blocks until the reset at the 429 of a spent day', async () => {
      const limiter = await newState()();
      const permit = await permitNow(limiter);
      const headers = reading(0, HOUR_MS);
      limiter.observe(headers);
      await limiter.release(permit, limited());
      const got = await limiter.acquire('members');
      if (got.kind !== 'blocked') throw new Error('not blocked');
      expect(got.reason).toBe('day');
      expect(Math.abs(got.untilMs - headers.receivedAtMs - HOUR_MS)).toBeLessThan(5_000);
      expect(limiter.schedule().blocked).toMatchObject({ reason: 'day' });
    });

    it('blocks after three failures in a row, and not after two', async () => {
      const limiter = await newState()();
      for (const outcome of [DOWN, DOWN, ANSWERED, DOWN, DOWN]) await ask(limiter, outcome);
      expect(limiter.schedule().blocked).toBeUndefined();
      await ask(limiter, DOWN);
      expect(await limiter.acquire('members')).toMatchObject({ kind: 'blocked', reason: 'outage' });
    });

    it('blocks card lookups at a refused key, and not the report', async () => {
      const limiter = await newState()();
      await ask(limiter, { kind: 'keyRefused' });
      expect(await limiter.acquire('members')).toMatchObject({ kind: 'blocked', reason: 'key' });
      expect(await permitOf(limiter, 'report')).toMatchObject({ probe: false });
    });

    it('has no more requests under way than are known to remain, however many the service has counted', async () => {
      const limiter = await newState()();
      await allowUnderWay(limiter, 4);
      const sentAtMs = Date.now() - 1_000;
      limiter.observe({ ...reading(3, HOUR_MS), sentAtMs });
      const permits = [await permitNow(limiter), await permitNow(limiter, 'report'), await permitNow(limiter)];
      expect(permits.map(({ probe }) => probe)).toEqual([false, false, false]);
      for (const lane of ['members', 'report'] as const) expect((await limiter.acquire(lane)).kind).toBe('wait');

      const endOne = async (remaining: number, outcome: RequestOutcome) => {
        limiter.observe({ ...reading(remaining, HOUR_MS), sentAtMs });
        await limiter.release(permits.pop() as Permit, outcome);
        return (await limiter.acquire('members')).kind;
      };
      expect(await endOne(2, ANSWERED)).toBe('wait');
      expect(await endOne(2, ANSWERED)).toBe('permit');
      expect(await endOne(2, DOWN)).toBe('permit');
      expect((await limiter.acquire('members')).kind).toBe('wait');
    });

    it('always allows one request, whatever remains: its answer tells', async () => {
      const limiter = await newState()();
      limiter.observe(reading(0, HOUR_MS));
      const only = await permitNow(limiter);
      expect((await limiter.acquire('members')).kind).toBe('wait');
      await limiter.release(only, { kind: 'abandoned' });
      expect(await permitOf(limiter)).toBeDefined();
    });

    it('keeps the last requests of the day for members', async () => {
      const limiter = await newState()();
      limiter.observe(reading(10, HOUR_MS));
      expect(await limiter.acquire('renewals')).toMatchObject({ kind: 'blocked', reason: 'reserve' });
      expect(await permitOf(limiter)).toMatchObject({ probe: false });
      expect(limiter.schedule().reservedUntilMs).toBeDefined();
    });

    it('believes the lower of two readings under way together, and the later of two in a row', async () => {
      const limiter = await newState()();
      const sentAtMs = Date.now() - 1_000;
      limiter.observe({ ...reading(700, HOUR_MS), sentAtMs });
      limiter.observe({ ...reading(900, HOUR_MS), sentAtMs });
      await expect.poll(() => limiter.quota()?.remaining, LONG).toBe(700);
      await permitOf(limiter);
      const afterwards = Date.now() + 10;
      limiter.observe({ ...reading(950, HOUR_MS), sentAtMs: afterwards, receivedAtMs: afterwards });
      await permitOf(limiter);
      expect(limiter.quota()).toMatchObject({ limit: 1_000, remaining: 950 });
    });

    it('takes the plan from the daily limit, or from a usage report', async () => {
      const open = newState();
      const limiter = await open({ plan: 'auto' });
      limiter.observe(reading(40_000, HOUR_MS, 50_000));
      await permitOf(limiter);
      await expect.poll(() => Math.round(intervalOf(limiter)), LONG).toBe(600);
      limiter.observePlan('business');
      await expect.poll(() => Math.round(intervalOf(limiter)), LONG).toBe(120);
      const restarted = await open({ plan: 'auto' });
      await expect.poll(() => Math.round(intervalOf(restarted)), LONG).toBe(120);
    });

    it.each<[string, Plan, number, number, number]>([
      ['faster', 'free', 1_000, 50_000, 600],
      ['slower', 'pro', 50_000, 1_000, 6_000],
    ])(
      'follows the headers once they state another daily limit than with the report, over restarts too: %s',
      async (_, plan, before, after, intervalMs) => {
        const open = newState();
        const first = await open({ plan: 'auto' });
        first.observe(reading(40, HOUR_MS, before));
        first.observePlan(plan);
        await permitOf(first);
        const limiter = await open({ plan: 'auto' });
        const later = Date.now() + 10;
        limiter.observe({ ...reading(400, HOUR_MS, after), sentAtMs: later, receivedAtMs: later });
        await permitOf(limiter);
        await expect.poll(() => Math.round(intervalOf(limiter)), LONG).toBe(intervalMs);
        const restarted = await open({ plan: 'auto' });
        await expect.poll(() => Math.round(intervalOf(restarted)), LONG).toBe(intervalMs);
      },
    );

    it('warns once of each share of the day, over restarts too', async () => {
      const open = newState();
      const { log, lines } = logLines();
      for (const remaining of [300, 190, 180, 40, 30, 0, 0]) {
        const limiter = await open(undefined, new QuotaWarnings(log));
        limiter.observe(reading(remaining, HOUR_MS));
        await limiter.acquire('members');
      }
      expect(lines.map(({ share }) => share)).toEqual([0.8, 0.95, 1]);
    });

    it('keeps to a window that a 429 has shown, over restarts too', async () => {
      const open = newState();
      const limiter = await open();
      for (let served = 0; served < PER_MINUTE; served++) await ask(limiter);
      await ask(limiter, limited(100));
      const restarted = await open();
      const learned = { window: PER_MINUTE, capacity: undefined };
      await expect.poll(() => restarted.schedule().learned, LONG).toEqual(learned);
      await new Promise((resolve) => setTimeout(resolve, 1_500)); // the pause
      expect(await restarted.acquire('members')).toMatchObject({ kind: 'wait', untilMs: expect.any(Number) });
    });

    it('says once in the log that a burst is smaller than planned, however many processes know it', async () => {
      const open = newState();
      const { log, lines } = logLines();
      const plan = { ...QUICK, requestsPerMinute: 120 }; // at 1,200 a busy machine makes the requests look evenly spaced
      const limiter = await open(plan, new QuotaWarnings(log));
      for (let served = 0; served < 4; served++) await ask(limiter);
      await ask(limiter, limited(100));
      await ask(limiter);
      const other = await open(plan, new QuotaWarnings(log));
      await ask(other);
      await expect.poll(() => other.schedule().learned, LONG).toEqual({ window: undefined, capacity: 9 });
      const learned = lines.filter(({ reason }) => reason === undefined);
      expect(learned).toMatchObject([{ burst: 9, msg: expect.stringContaining('fewer requests') }]);
    });

    it('gives a restart no new burst', async () => {
      const open = newState();
      expect(await drain(await open())).toBe(TOKENS);
      for (let restarts = 0; restarts < 3; restarts++) expect(await drain(await open())).toBe(0);
    });

    it('remembers over a restart that it is blocked', async () => {
      const open = newState();
      const limiter = await open();
      limiter.observe(reading(0, HOUR_MS));
      await ask(limiter);
      expect(await (await open()).acquire('members')).toMatchObject({ kind: 'blocked', reason: 'day' });
    });

    it.each<[string, PlanSetting]>([
      ['plan', { ...SLOW, plan: 'pro' }],
      ['rate', { ...SLOW, requestsPerMinute: 60 }],
      ['burst', { ...SLOW, burst: 200 }],
    ])(
      'probes a spent day when it is started with another %s, once, and allows requests if something remains',
      async (_, larger) => {
        const open = newState();
        const spent = await open();
        spent.observe(reading(0, 2 * HOUR_MS));
        await ask(spent);
        expect(await (await open()).acquire('members')).toMatchObject({ kind: 'blocked', reason: 'day' });

        const refused = await open(larger);
        expect(refused.schedule().blocked).toBeUndefined();
        const probe = await permitNow(refused);
        expect(probe).toMatchObject({ probe: true });
        refused.observe(reading(0, 2 * HOUR_MS));
        await refused.release(probe, limited());
        expect(await refused.acquire('members')).toMatchObject({ kind: 'blocked', reason: 'day' });

        const opened = await open(larger);
        const next = await nextPermit(opened);
        opened.observe(reading(49_000, 2 * HOUR_MS, 50_000));
        await opened.release(next, ANSWERED);
        expect(next.probe).toBe(true);
        expect(opened.schedule().blocked).toBeUndefined();
        expect(await permitOf(opened)).toMatchObject({ probe: false });
      },
    );

    it('lets a report probe a spent day at any time, and allows requests if something remains', async () => {
      const limiter = await newState()();
      limiter.observe(reading(0, 2 * HOUR_MS));
      await ask(limiter);
      const first = await permitNow(limiter, 'report');
      expect(first).toMatchObject({ probe: true });
      expect((await limiter.acquire('report')).kind).not.toBe('permit');
      expect(await limiter.acquire('members')).toMatchObject({ kind: 'blocked', reason: 'day' });
      await limiter.release(first, DOWN);
      expect(await limiter.acquire('members')).toMatchObject({ kind: 'blocked', reason: 'day' });

      const second = await permitNow(limiter, 'report');
      limiter.observe(reading(49_000, 2 * HOUR_MS, 50_000));
      await limiter.release(second, ANSWERED);
      expect(second).toMatchObject({ probe: true });
      expect(await permitOf(limiter)).toMatchObject({ probe: false });
    });

    it('calls its listeners at every outcome', async () => {
      const limiter = await newState()();
      const listener = vi.fn();
      limiter.onChange(listener);
      await ask(limiter, limited(300));
      expect(listener).toHaveBeenCalled();
    });
  });
}

function intervalOf(limiter: Limiter): number {
  const { permitAtMs } = limiter.schedule();
  return permitAtMs(2_001) - permitAtMs(2_000);
}
