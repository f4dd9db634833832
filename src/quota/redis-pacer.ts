import type { Plan } from '../plans.ts';
import type { QuotaReading, QuotaState } from '../quota-state.ts';
import type { RequestOutcome } from './gate.ts';
import { JointPacing, type JointPacingOptions } from './joint-pacing.ts';
import { outlookOf } from './outlook.ts';
import type { Outlook, Pacer, Turn, TurnLane, TurnOrWait } from './pacer.ts';
import { fullAtMsAfter, hearReading, hearReportedPlan, type PacingChange, settleTurn, unknownLimit } from './pacing.ts';
import { currentQuota } from './quota.ts';
import { runsOutAtMs } from './rate-samples.ts';
import { RefillLag } from './refill-lag.ts';

export interface RedisPacerOptions extends JointPacingOptions {
  /** What anybody waits for at most. */
  longestWaitMs: number;
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
  readonly #joint: JointPacing;
  readonly #listeners: (() => void)[] = [];
  readonly #lag = new RefillLag();
  /** Of this process; those of the others are not known. */
  readonly #underWay = new Set<Turn>();
  #hasHeard = false;

  constructor(options: RedisPacerOptions) {
    this.#options = options;
    this.#joint = new JointPacing(options, () => this.#tell());
  }

  take(lane: TurnLane, politeMs = 0): Promise<TurnOrWait> {
    return this.#joint.inTurn(async () => {
      const crowd = { politeMs, underWay: this.#underWay.size, isUnheard: !this.#hasHeard };
      const { got, fromFull } = await this.#joint.take(lane, crowd);
      if (got.kind !== 'turn') return got;
      if (fromFull || got.turn.probe) this.#lag.tookFromFull(Date.now());
      if (got.turn.probe) this.#joint.holdsProbe = true;
      this.#underWay.add(got.turn);
      return got;
    });
  }

  async settle(turn: Turn, outcome: RequestOutcome): Promise<void> {
    const { longestWaitMs, random = Math.random } = this.#options;
    const now = { longestWaitMs, nowMs: Date.now(), random: random() };
    this.#underWay.delete(turn);
    const lagMs = this.#lag.arrived(now.nowMs);
    this.#joint.change((state) => settleTurn(state, turn, outcome, this.#joint.setting, now));
    // The probe is held until all know what became of it; else another could leave meanwhile.
    await this.#joint.inTurn(async () => {
      await this.#joint.share();
      if (turn.probe) this.#joint.holdsProbe = false;
      await this.#joint.delay(lagMs);
    });
    this.#tell();
  }

  hear(reading: QuotaReading): void {
    const nowMs = Date.now();
    const { state: before, setting } = this.#joint;
    void this.#change((state) => hearReading(state, reading, nowMs));
    this.#hasHeard = true;
    const { state } = this.#joint;
    const owedMs = fullAtMsAfter(before, state, setting, nowMs) - before.fullAtMs;
    void this.#joint.inTurn(() => this.#joint.delay(owedMs));
    const limit = unknownLimit(state, this.#options.setting);
    if (limit !== undefined) this.#options.warnOfLimit(limit);
  }

  hearPlan(plan: Plan): void {
    void this.#change((state) => hearReportedPlan(state, plan)).then(() => this.#tell());
  }

  outlook(): Outlook {
    return outlookOf(this.#joint.state, this.#joint.setting, this.#options.longestWaitMs, Date.now());
  }

  quota(): QuotaState | undefined {
    return currentQuota(this.#joint.state.quota, Date.now());
  }

  runsOutAtMs(): number | undefined {
    return runsOutAtMs(this.#joint.state.samples, this.quota(), Date.now());
  }

  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** Changes what is known here at once, and then what all know. */
  #change(change: PacingChange): Promise<void> {
    this.#joint.change(change);
    return this.#joint.inTurn(() => this.#joint.share());
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}
