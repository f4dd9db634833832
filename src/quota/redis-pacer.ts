import type { Plan } from '../plans.ts';
import type { QuotaReading, QuotaState } from '../quota-state.ts';
import { RedisAway } from '../redis/redis-errors.ts';
import type { RedisHealth } from '../redis/redis-link.ts';
import type { RequestOutcome } from './gate.ts';
import { KnownPacing } from './known-pacing.ts';
import { outlookOf } from './outlook.ts';
import type { PlanSetting } from './pace.ts';
import type { Outlook, Pacer, Turn, TurnLane, TurnOrWait } from './pacer.ts';
import {
  fullAtMsAfter,
  hearReading,
  hearReportedPlan,
  type PacingChange,
  type PacingState,
  settleTurn,
  unknownLimit,
} from './pacing.ts';
import { currentQuota } from './quota.ts';
import { runsOutAtMs } from './rate-samples.ts';
import type { RedisBucket } from './redis-bucket.ts';
import { RefillLag } from './refill-lag.ts';
import type { SharedPacing } from './shared-pacing.ts';
import { SharedTurns } from './shared-turns.ts';
import { isSameWarning } from './warnings.ts';

export interface RedisPacerOptions {
  setting: PlanSetting;
  /** What anybody waits for at most. */
  longestWaitMs: number;
  shared: SharedPacing;
  bucket: RedisBucket;
  link: { health: RedisHealth; onHealth(listener: (health: RedisHealth) => void): void };
  /** Processes last seen alive; told about once a second that Redis answers. */
  fleet: { size: number; onBeat(listener: () => void): void };
  /** Called once in each window for each share of the day that is spent, in one of the processes. */
  warn: (share: number, quota: QuotaState) => void;
  /** Called with a daily limit that fits no plan, each time that it is heard. */
  warnOfLimit: (limit: number) => void;
  random?: () => number;
}

/**
 * The pacer of a process that shares its quota with others: one state and one bucket for all, in Redis. While Redis is
 * away it goes on by what it last knew, under an insurance limit: the plan divided by the processes last seen alive.
 */
export class RedisPacer implements Pacer {
  readonly #options: RedisPacerOptions;
  readonly #known: KnownPacing;
  readonly #turns: SharedTurns;
  readonly #listeners: (() => void)[] = [];
  readonly #lag = new RefillLag();
  /** Of this process; those of the others are not known. */
  readonly #underWay = new Set<Turn>();
  #hasHeard = false;
  /** One thing at a time is asked of Redis, so that nothing comes between a question and its answer. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: RedisPacerOptions) {
    this.#options = options;
    this.#known = new KnownPacing(options.setting, options.fleet.size);
    this.#turns = new SharedTurns(options);
    options.link.onHealth((health) => (health === 'usable' ? this.#look() : this.#part()));
    options.fleet.onBeat(() => this.#look());
    if (options.link.health === 'usable') this.#look();
  }

  take(lane: TurnLane, politeMs = 0): Promise<TurnOrWait> {
    return this.#inTurn(async () => {
      const crowd = { politeMs, underWay: this.#underWay.size, isUnheard: !this.#hasHeard };
      const shared = await this.#unlessAway(() => this.#turns.take(this.#known.own, lane, crowd));
      const got = shared ? shared.got : this.#known.takeAlone(lane, { ...crowd, politeMs: 0 });
      if (shared) this.#hear(shared.state);
      if (got.kind === 'turn' && (shared?.fromFull || got.turn.probe)) this.#lag.tookFromFull(Date.now());
      if (got.kind === 'turn') this.#underWay.add(got.turn);
      if (got.kind === 'turn' && got.turn.probe) this.#setProbe(true);
      return got;
    });
  }

  async settle(turn: Turn, outcome: RequestOutcome): Promise<void> {
    const { longestWaitMs, random = Math.random } = this.#options;
    const now = { longestWaitMs, nowMs: Date.now(), random: random() };
    this.#underWay.delete(turn);
    const lagMs = this.#lag.arrived(now.nowMs);
    this.#known.change((state) => settleTurn(state, turn, outcome, this.#known.setting, now));
    // The probe is held until all know what became of it; else another could leave meanwhile.
    await this.#inTurn(async () => {
      await this.#share();
      if (turn.probe) this.#setProbe(false);
      await this.#delay(lagMs);
    });
    this.#tell();
  }

  hear(reading: QuotaReading): void {
    const nowMs = Date.now();
    const { state: before, setting } = this.#known;
    void this.#change((state) => hearReading(state, reading, nowMs));
    this.#hasHeard = true;
    const { state } = this.#known;
    const owedMs = fullAtMsAfter(before, state, setting, nowMs) - before.fullAtMs;
    void this.#inTurn(() => this.#delay(owedMs));
    const limit = unknownLimit(state, this.#options.setting);
    if (limit !== undefined) this.#options.warnOfLimit(limit);
  }

  hearPlan(plan: Plan): void {
    void this.#change((state) => hearReportedPlan(state, plan)).then(() => this.#tell());
  }

  outlook(): Outlook {
    return outlookOf(this.#known.state, this.#known.setting, this.#options.longestWaitMs, Date.now());
  }

  quota(): QuotaState | undefined {
    return currentQuota(this.#known.state.quota, Date.now());
  }

  runsOutAtMs(): number | undefined {
    return runsOutAtMs(this.#known.state.samples, this.quota(), Date.now());
  }

  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  #setProbe(isUnderWay: boolean): void {
    this.#known.holdsProbe = isUnderWay;
    this.#options.shared.holdsProbe = isUnderWay;
  }

  /** The bucket is full so much later. */
  async #delay(lagMs: number): Promise<void> {
    if (lagMs <= 0) return;
    if (this.#known.isAlone) this.#known.delayAlone(lagMs);
    else await this.#unlessAway(() => this.#turns.delay(this.#known.own, lagMs));
  }

  /** Changes what is known here at once, and then what all know. */
  #change(change: PacingChange): Promise<void> {
    this.#known.change(change);
    return this.#inTurn(() => this.#share());
  }

  async #share(): Promise<void> {
    const unshared = this.#known.takeUnshared();
    if (!unshared) return; // told together with an earlier one
    const { before, change } = unshared;
    const shared = await this.#unlessAway(() => this.#turns.change(this.#known.own, change));
    this.#warn(shared?.before ?? before, shared?.after ?? change(before));
    if (shared) this.#hear(shared.after);
  }

  #warn(before: PacingState, { warned, quota }: PacingState): void {
    if (warned && quota && !isSameWarning(warned, before.warned)) this.#options.warn(warned.share, quota);
  }

  #hear(state: PacingState): void {
    if (this.#known.hear(state)) this.#tell();
  }

  /** Redis answers: what others did is heard; after a time alone, what was learnt and spent here is everybody's. */
  #look(): void {
    void this.#inTurn(async () => {
      if (this.#known.isAlone) return this.#join();
      const state = await this.#unlessAway(() => this.#turns.hear(this.#known.own));
      if (state) this.#hear(state);
    });
  }

  async #join(): Promise<void> {
    const known = this.#known;
    await this.#share(); // it is known here already, and joins with that
    try {
      if (known.spentAlone > 0) await this.#turns.charge(known.own, known.spentAlone);
      known.charged(); // whatever comes after
      known.join(await this.#turns.join(known.own, { isStart: !known.everJoined }));
      this.#tell();
    } catch (error) {
      if (!(error instanceof RedisAway)) throw error;
    }
  }

  #part(): void {
    if (this.#known.isAlone) return;
    this.#known.part(this.#options.fleet.size);
    this.#tell();
  }

  /** `undefined` without Redis. */
  async #unlessAway<T>(work: () => Promise<T>): Promise<T | undefined> {
    if (this.#known.isAlone) return undefined;
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof RedisAway)) throw error;
      this.#part();
      return undefined;
    }
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => {});
    return done;
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}
