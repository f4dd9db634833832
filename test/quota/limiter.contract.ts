import { describe, expect, it, vi } from 'vitest';
import type { RequestOutcome } from '../../src/model/errors.ts';
import type { PlanSetting } from '../../src/model/plan.ts';
import type { QuotaReading } from '../../src/model/quota.ts';
import type { Limiter, Permit, PermitLane } from '../../src/quota/limiter-port.ts';
import { QuotaWarnings } from '../../src/quota/quota-warnings.ts';
import { logLines } from '../support/log-lines.ts';

/** Opens limiters over the same state, as a restart does, or a second process. */
export type OpenLimiter = (setting?: PlanSetting, warnings?: QuotaWarnings) => Promise<Limiter>;

const BURST = 20;
/** The plan's burst less one. */
export const TOKENS = BURST - 1;
export const PER_MINUTE = 6;
/** A token in each 10 s: a burst can be counted before the next one comes, however busy the machine. */
export const SLOW: PlanSetting = { plan: 'free', requestsPerMinute: PER_MINUTE, burst: BURST };
/** A token in each 50 ms. */
export const QUICK: PlanSetting = { plan: 'free', requestsPerMinute: 1_200, burst: BURST };
export const ANSWERED: RequestOutcome = { kind: 'answered' };
export const DOWN: RequestOutcome = { kind: 'serviceDown' };
const ABANDONED: RequestOutcome = { kind: 'abandoned' };
export const HOUR_MS = 3_600_000;
/** Ends without having been given. */
export const NOT_HELD: Permit = { probe: false, leftAtMs: Date.now() };

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
    await new Promise((resolve) => setTimeout(resolve, Math.min(100, Math.max(1, got.untilMs - Date.now()))));
  }
}

/** One request, from its permit to its outcome. */
export async function ask(limiter: Limiter, outcome = ANSWERED): Promise<Permit> {
  const permit = await nextPermit(limiter);
  await limiter.release(permit, outcome);
  return permit;
}

/** Prompt answers, until so many requests may be under way at once; a limiter that knows nothing yet allows two. */
async function allowUnderWay(limiter: Limiter, requests: number): Promise<void> {
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

    it('gives no permit to one who asked a moment before a probe had ended in a 429, nor after', async () => {
      const limiter = await newState()(QUICK);
      await ask(limiter, limited(300));
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

    it('keeps half the burst for members', async () => {
      const limiter = await newState()(SLOW);
      expect(await drain(limiter, 'renewals')).toBe(10);
      expect(await limiter.acquire('renewals')).toMatchObject({ kind: 'wait' });
      expect(await drain(limiter)).toBe(9);
    });

    it('pauses once a 429 is released', async () => {
      const limiter = await newState()(SLOW);
      const released = limiter.release(await nextPermit(limiter), limited(60_000));
      const asked = await Promise.all([limiter.acquire('members'), limiter.acquire('renewals')]);
      expect(asked.map(({ kind }) => kind)).toEqual(['wait', 'wait']);
      await released;
      expect(limiter.view().paused).toBe(true);
      expect(limiter.view().refusalFor('members')).toBeUndefined();
    });

    it('allows one probe after a pause, and everything once it is answered, without a burst', async () => {
      const limiter = await newState()(SLOW);
      await ask(limiter, limited(300));
      const probe = await nextPermit(limiter);
      expect(probe).toMatchObject({ probe: true });
      for (let tries = 0; tries < 5; tries++) expect(await permitOf(limiter)).toBeUndefined();
      await limiter.release(probe, ANSWERED);
      expect(limiter.view().paused).toBe(false);
      expect(await drain(limiter)).toBe(0);
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
      expect(await endOne(2, ABANDONED)).toBe('permit');
      expect((await limiter.acquire('members')).kind).toBe('wait');
    });

    it('takes the plan from the daily limit, or from a usage report', async () => {
      const open = newState();
      const limiter = await open({ plan: 'auto' });
      limiter.observe(reading(40_000, HOUR_MS, 50_000));
      await permitOf(limiter);
      await expect.poll(() => Math.round(intervalOf(limiter))).toBe(600);
      limiter.observePlan('business');
      await expect.poll(() => Math.round(intervalOf(limiter))).toBe(120);
      const restarted = await open({ plan: 'auto' });
      await expect.poll(() => Math.round(intervalOf(restarted))).toBe(120);
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
      await expect.poll(() => other.view().learned).toEqual({ window: undefined, capacity: 9 });
      const learned = lines.filter(({ reason }) => reason === undefined);
      expect(learned).toMatchObject([{ burst: 9, msg: expect.stringContaining('fewer requests') }]);
    });

    it('gives a restart no new burst', async () => {
      const open = newState();
      expect(await drain(await open())).toBe(TOKENS);
      for (let restarts = 0; restarts < 3; restarts++) expect(await drain(await open())).toBe(0);
    });

    it('remembers a spent day over a restart, and probes it when it is started with another plan, once', async () => {
      const open = newState();
      const spent = await open();
      spent.observe(reading(0, 2 * HOUR_MS));
      await ask(spent);
      expect(await (await open()).acquire('members')).toMatchObject({ kind: 'blocked', reason: 'day' });

      const larger: PlanSetting = { ...SLOW, plan: 'pro' };
      const refused = await open(larger);
      expect(refused.view().refusalFor('members')).toBeUndefined();
      const probe = await permitNow(refused);
      expect(probe).toMatchObject({ probe: true });
      refused.observe(reading(0, 2 * HOUR_MS));
      await refused.release(probe, limited());
      expect(await refused.acquire('members')).toMatchObject({ kind: 'blocked', reason: 'day' });
      expect(await permitNow(await open(larger))).toMatchObject({ probe: true });
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
  const view = limiter.view();
  return view.forecast('members', 2_001) - view.forecast('members', 2_000);
}
