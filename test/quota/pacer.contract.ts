import { describe, expect, it, vi } from 'vitest';
import type { Plan } from '../../src/plans.ts';
import type { RequestOutcome } from '../../src/quota/gate.ts';
import type { PlanSetting } from '../../src/quota/pace.ts';
import type { Pacer, Turn, TurnLane } from '../../src/quota/pacer.ts';
import type { QuotaReading } from '../../src/quota-state.ts';

/** Opens pacers over the same state, as a restart does, or a second process. `warned` is told of every warning. */
export type OpenPacer = (setting?: PlanSetting, warned?: (share: number) => void) => Promise<Pacer>;

export const BURST = 20;
/** The plan's burst less one. */
export const TOKENS = BURST - 1;
/** A token in each 10 s: a burst can be counted before the next one comes, however busy the machine. */
export const SLOW: PlanSetting = { plan: 'free', requestsPerMinute: 6, burst: BURST };
/** A token in each 50 ms. */
export const QUICK: PlanSetting = { plan: 'free', requestsPerMinute: 1_200, burst: BURST };
export const ANSWERED: RequestOutcome = { kind: 'answered' };
export const DOWN: RequestOutcome = { kind: 'down' };
export const LONG = { timeout: 15_000, interval: 20 };
const HOUR_MS = 3_600_000;

export function limited(statedMs?: number): RequestOutcome {
  return { kind: 'rate limited', statedMs };
}

export function reading(remaining: number | undefined, resetInMs?: number, limit = 1_000): QuotaReading {
  return { limit, remaining, resetInMs, sentAtMs: Date.now(), receivedAtMs: Date.now() };
}

/** The turn, or `undefined` when there is none now. */
export async function turnOf(pacer: Pacer, lane: TurnLane = 'members'): Promise<Turn | undefined> {
  const got = await pacer.take(lane);
  return got.kind === 'turn' ? got.turn : undefined;
}

/** Where a turn must be had now. */
async function turnNow(pacer: Pacer, lane?: TurnLane): Promise<Turn> {
  const turn = await turnOf(pacer, lane);
  if (!turn) throw new Error('there is no turn now');
  return turn;
}

/** The next turn, asked for at the times that the pacer names. */
export async function nextTurn(pacer: Pacer, lane: TurnLane = 'members'): Promise<Turn> {
  for (;;) {
    const got = await pacer.take(lane);
    if (got.kind === 'turn') return got.turn;
    await new Promise((resolve) => setTimeout(resolve, Math.max(1, got.untilMs - Date.now())));
  }
}

/** One request from its turn to its outcome. */
export async function ask(pacer: Pacer, outcome = ANSWERED): Promise<Turn> {
  const turn = await nextTurn(pacer);
  await pacer.settle(turn, outcome);
  return turn;
}

/** How many turns are to be had at once. */
export async function drain(pacer: Pacer, lane: TurnLane = 'members'): Promise<number> {
  for (let turns = 0; ; turns++) {
    const turn = await turnOf(pacer, lane);
    if (!turn) return turns;
    await pacer.settle(turn, ANSWERED);
  }
}

/** What holds of every pacer, whoever keeps its state. */
export function describePacer(over: string, newState: () => OpenPacer): void {
  describe(`a pacer over ${over}`, () => {
    it("gives the plan's burst less one at once, and then names the time of the next turn", async () => {
      const pacer = await newState()(SLOW);
      expect(await drain(pacer)).toBe(TOKENS);
      const got = await pacer.take('members');
      expect(got).toMatchObject({ kind: 'wait', untilMs: expect.any(Number) });
    });

    it('lets nothing leave once a 429 is told, also what asked a moment before its probe had ended', async () => {
      const pacer = await newState()(QUICK);
      const first = await nextTurn(pacer);
      const told = pacer.settle(first, limited(300));
      expect((await Promise.all([pacer.take('members'), pacer.take('background')])).map(({ kind }) => kind)).toEqual([
        'wait',
        'wait',
      ]);
      await told;

      const probe = await nextTurn(pacer);
      expect(probe.probe).toBe(true);
      const before = pacer.take('members');
      const ended = pacer.settle(probe, limited(60_000));
      const after = pacer.take('members');
      expect([(await before).kind, (await after).kind]).toEqual(['wait', 'wait']);
      await ended;
    });

    it('refills from when the first request of a full bucket has arrived', async () => {
      const pacer = await newState()(SLOW);
      const tookAtMs = Date.now();
      const turn = await nextTurn(pacer);
      await new Promise((resolve) => setTimeout(resolve, 100)); // on its way
      await pacer.settle(turn, ANSWERED);
      expect(await drain(pacer)).toBe(TOKENS - 1);
      const got = await pacer.take('members');
      if (got.kind === 'turn') throw new Error('the bucket is not empty');
      expect(got.untilMs).toBeGreaterThanOrEqual(tookAtMs + 10_000 + 90);
    });

    it('gives a turn at the time that it named', async () => {
      const pacer = await newState()({ ...QUICK, burst: 2 });
      await ask(pacer);
      for (let waits = 0; waits < 5; ) {
        const got = await pacer.take('members');
        if (got.kind !== 'wait') continue;
        waits++;
        await new Promise((resolve) => setTimeout(resolve, got.untilMs - Date.now() + 1));
        expect(await turnOf(pacer)).toMatchObject({ probe: false });
      }
    });

    it('keeps half the burst free of the background', async () => {
      const pacer = await newState()(SLOW);
      expect(await drain(pacer, 'background')).toBe(10);
      expect(await pacer.take('background')).toMatchObject({ kind: 'wait' });
      expect(await drain(pacer)).toBe(9);
    });

    it('leaves a fresh token to others for as long as one is polite', async () => {
      const pacer = await newState()({ ...SLOW, requestsPerMinute: 60 });
      await drain(pacer);
      const [got, polite] = [await pacer.take('members'), await pacer.take('members', 400)];
      if (got.kind !== 'wait' || polite.kind !== 'wait') throw new Error('there is a token');
      expect(Math.round((polite.untilMs - got.untilMs) / 100)).toBe(4);
    });

    it('pauses at a 429, lets one probe through, and everybody once it is answered, without a burst', async () => {
      const pacer = await newState()(SLOW);
      await ask(pacer, limited(300));
      expect(pacer.outlook()).toMatchObject({ paused: true, closed: undefined });
      expect((await pacer.take('members')).kind).toBe('wait');

      const probe = await nextTurn(pacer);
      expect(probe).toMatchObject({ probe: true });
      for (let tries = 0; tries < 5; tries++) expect(await turnOf(pacer)).toBeUndefined();
      await pacer.settle(probe, ANSWERED);
      expect(pacer.outlook().paused).toBe(false);
      expect(await drain(pacer)).toBe(0);
    });

    it('halves the burst at an unforeseen 429, once', async () => {
      const pacer = await newState()(QUICK);
      const turns = [await turnNow(pacer), await turnNow(pacer), await turnNow(pacer)];
      for (const turn of turns) await pacer.settle(turn, limited(300));
      await ask(pacer);
      const halfFullMs = 10 * 50; // nine tokens, and the moment in which they are counted
      await new Promise((resolve) => setTimeout(resolve, halfFullMs));
      expect(Math.round(pacer.outlook().turnAtMs(9) - Date.now())).toBeLessThanOrEqual(0);
      expect(pacer.outlook().turnAtMs(12)).toBeGreaterThan(Date.now());
    });

    it('backs off longer at the 429 of a probe', async () => {
      const pacer = await newState()(QUICK);
      await ask(pacer, limited(250));
      const first = pacer.outlook().turnAtMs(1) - Date.now();
      await ask(pacer, limited(250));
      expect(pacer.outlook().turnAtMs(1) - Date.now()).toBeGreaterThan(Math.max(first, 1_000));
    });

    it('gives the probe to the next one when its question is given up', async () => {
      const pacer = await newState()(QUICK);
      await ask(pacer, limited(250));
      await ask(pacer, { kind: 'abandoned' });
      expect(await nextTurn(pacer)).toMatchObject({ probe: true });
    });

    it('closes until the reset at the 429 of a spent day', async () => {
      const pacer = await newState()();
      const turn = await turnNow(pacer);
      const heard = reading(0, HOUR_MS);
      pacer.hear(heard);
      await pacer.settle(turn, limited());
      const got = await pacer.take('members');
      if (got.kind !== 'closed') throw new Error('not closed');
      expect(got.why).toBe('day');
      expect(Math.abs(got.untilMs - heard.receivedAtMs - HOUR_MS)).toBeLessThan(5_000);
      expect(pacer.outlook().closed).toMatchObject({ why: 'day' });
    });

    it('closes after three failures in a row, and not after two', async () => {
      const pacer = await newState()();
      for (const outcome of [DOWN, DOWN, ANSWERED, DOWN, DOWN]) await ask(pacer, outcome);
      expect(pacer.outlook().closed).toBeUndefined();
      await ask(pacer, DOWN);
      expect(await pacer.take('members')).toMatchObject({ kind: 'closed', why: 'down' });
    });

    it('closes the cards at a refused key, and not the report', async () => {
      const pacer = await newState()();
      await ask(pacer, { kind: 'key refused' });
      expect(await pacer.take('members')).toMatchObject({ kind: 'closed', why: 'key' });
      expect(await turnOf(pacer, 'report')).toMatchObject({ probe: false });
    });

    it('has no more requests under way than are known to remain, whatever may be counted already', async () => {
      const pacer = await newState()();
      const sentAtMs = Date.now() - 1_000;
      pacer.hear({ ...reading(3, HOUR_MS), sentAtMs });
      const turns = [await turnNow(pacer), await turnNow(pacer, 'report'), await turnNow(pacer)];
      expect(turns.map(({ probe }) => probe)).toEqual([false, false, false]);
      for (const lane of ['members', 'report'] as const) expect((await pacer.take(lane)).kind).toBe('wait');

      const endOne = async (remaining: number, outcome: RequestOutcome) => {
        pacer.hear({ ...reading(remaining, HOUR_MS), sentAtMs });
        await pacer.settle(turns.pop() as Turn, outcome);
        return (await pacer.take('members')).kind;
      };
      expect(await endOne(2, ANSWERED)).toBe('wait');
      expect(await endOne(2, ANSWERED)).toBe('turn');
      expect(await endOne(2, DOWN)).toBe('turn');
      expect((await pacer.take('members')).kind).toBe('wait');
    });

    it('always lets one leave, whatever is said to remain: its answer tells', async () => {
      const pacer = await newState()();
      pacer.hear(reading(0, HOUR_MS));
      const only = await turnNow(pacer);
      expect((await pacer.take('members')).kind).toBe('wait');
      await pacer.settle(only, { kind: 'abandoned' });
      expect(await turnOf(pacer)).toBeDefined();
    });

    it('keeps the last requests of the day from the background', async () => {
      const pacer = await newState()();
      pacer.hear(reading(10, HOUR_MS));
      expect(await pacer.take('background')).toMatchObject({ kind: 'closed', why: 'reserve' });
      expect(await turnOf(pacer)).toMatchObject({ probe: false });
      expect(pacer.outlook().reservedUntilMs).toBeDefined();
    });

    it('believes the lower of two readings under way together, and the later of two in a row', async () => {
      const pacer = await newState()();
      const sentAtMs = Date.now() - 1_000;
      pacer.hear({ ...reading(700, HOUR_MS), sentAtMs });
      pacer.hear({ ...reading(900, HOUR_MS), sentAtMs });
      await expect.poll(() => pacer.quota()?.remaining, LONG).toBe(700);
      await turnOf(pacer);
      const afterwards = Date.now() + 10;
      pacer.hear({ ...reading(950, HOUR_MS), sentAtMs: afterwards, receivedAtMs: afterwards });
      await turnOf(pacer);
      expect(pacer.quota()).toMatchObject({ limit: 1_000, remaining: 950 });
    });

    it("takes the plan from the daily limit, and sooner from a report's words", async () => {
      const open = newState();
      const pacer = await open({ plan: 'auto' });
      pacer.hear(reading(40_000, HOUR_MS, 50_000));
      await turnOf(pacer);
      await expect.poll(() => Math.round(intervalOf(pacer)), LONG).toBe(600);
      pacer.hearPlan('business');
      await expect.poll(() => Math.round(intervalOf(pacer)), LONG).toBe(120);
      const restarted = await open({ plan: 'auto' });
      await expect.poll(() => Math.round(intervalOf(restarted)), LONG).toBe(120);
    });

    it.each<[string, Plan, number, number, number]>([
      ['faster', 'free', 1_000, 50_000, 600],
      ['slower', 'pro', 50_000, 1_000, 6_000],
    ])(
      'goes by the headers once they say another daily limit than with the report, over restarts too: %s',
      async (_, plan, before, after, intervalMs) => {
        const open = newState();
        const first = await open({ plan: 'auto' });
        first.hear(reading(40, HOUR_MS, before));
        first.hearPlan(plan);
        await turnOf(first);
        const pacer = await open({ plan: 'auto' });
        const later = Date.now() + 10;
        pacer.hear({ ...reading(400, HOUR_MS, after), sentAtMs: later, receivedAtMs: later });
        await turnOf(pacer);
        await expect.poll(() => Math.round(intervalOf(pacer)), LONG).toBe(intervalMs);
        const restarted = await open({ plan: 'auto' });
        await expect.poll(() => Math.round(intervalOf(restarted)), LONG).toBe(intervalMs);
      },
    );

    it('warns once of each share of the day, over restarts too', async () => {
      const open = newState();
      const shares: number[] = [];
      for (const remaining of [300, 190, 180, 40, 30, 0, 0]) {
        const pacer = await open(undefined, (share) => void shares.push(share));
        pacer.hear(reading(remaining, HOUR_MS));
        await pacer.take('members');
      }
      expect(shares).toEqual([0.8, 0.95, 1]);
    });

    it('gives a restart no new burst', async () => {
      const open = newState();
      expect(await drain(await open())).toBe(TOKENS);
      for (let restarts = 0; restarts < 3; restarts++) expect(await drain(await open())).toBe(0);
    });

    it('forgets no closing over a restart', async () => {
      const open = newState();
      const pacer = await open();
      pacer.hear(reading(0, HOUR_MS));
      await ask(pacer);
      expect(await (await open()).take('members')).toMatchObject({ kind: 'closed', why: 'day' });
    });

    it.each<[string, PlanSetting]>([
      ['plan', { ...SLOW, plan: 'pro' }],
      ['rate', { ...SLOW, requestsPerMinute: 60 }],
      ['burst', { ...SLOW, burst: 200 }],
    ])(
      'probes a spent day when it is started with another %s, once, and opens it if something remains',
      async (_, larger) => {
        const open = newState();
        const spent = await open();
        spent.hear(reading(0, 2 * HOUR_MS));
        await ask(spent);
        expect(await (await open()).take('members')).toMatchObject({ kind: 'closed', why: 'day' });

        const refused = await open(larger);
        expect(refused.outlook().closed).toBeUndefined();
        const probe = await turnNow(refused);
        expect(probe).toMatchObject({ probe: true });
        refused.hear(reading(0, 2 * HOUR_MS));
        await refused.settle(probe, limited());
        expect(await refused.take('members')).toMatchObject({ kind: 'closed', why: 'day' });

        const opened = await open(larger);
        const next = await nextTurn(opened);
        opened.hear(reading(49_000, 2 * HOUR_MS, 50_000));
        await opened.settle(next, ANSWERED);
        expect(next.probe).toBe(true);
        expect(opened.outlook().closed).toBeUndefined();
        expect(await turnOf(opened)).toMatchObject({ probe: false });
      },
    );

    it('lets a report probe a spent day at any time, and opens it if something remains', async () => {
      const pacer = await newState()();
      pacer.hear(reading(0, 2 * HOUR_MS));
      await ask(pacer);
      const first = await turnNow(pacer, 'report');
      expect(first).toMatchObject({ probe: true });
      expect((await pacer.take('report')).kind).not.toBe('turn');
      expect(await pacer.take('members')).toMatchObject({ kind: 'closed', why: 'day' });
      await pacer.settle(first, DOWN);
      expect(await pacer.take('members')).toMatchObject({ kind: 'closed', why: 'day' });

      const second = await turnNow(pacer, 'report');
      pacer.hear(reading(49_000, 2 * HOUR_MS, 50_000));
      await pacer.settle(second, ANSWERED);
      expect(second).toMatchObject({ probe: true });
      expect(await turnOf(pacer)).toMatchObject({ probe: false });
    });

    it('tells who waits of every outcome', async () => {
      const pacer = await newState()();
      const told = vi.fn();
      pacer.onChange(told);
      await ask(pacer, limited(300));
      expect(told).toHaveBeenCalled();
    });
  });
}

function intervalOf(pacer: Pacer): number {
  const { turnAtMs } = pacer.outlook();
  return turnAtMs(2_001) - turnAtMs(2_000);
}
