import type { PlanSetting } from '../model/plan.ts';
import type { Acquired, PermitLane } from './limiter.ts';
import { LimiterReplica } from './limiter-replica.ts';
import type { LimiterState } from './limiter-state.ts';
import { acquirePermit, decidePermit, type PermitDecision } from './permit.ts';
import type { SharedLimiterStore } from './shared-limiter-store.ts';
import { type Change, type LimiterOptions, StatefulLimiter } from './stateful-limiter.ts';

export interface SharedLimiterOptions extends LimiterOptions {
  store: SharedLimiterStore;
  /** Whether the store can be reached: `usable` or not. */
  link: { health: string; onHealth(listener: (health: string) => void): void };
  /** `size`: processes last seen alive. `onHeartbeat`: called about once a second while the store answers. */
  processesAlive: { id: string; size: number; onHeartbeat(listener: () => void): void };
  /** What is known of the account before anything is read from the store. */
  initial?: LimiterState | undefined;
}

type Token = Extract<PermitDecision, { kind: 'token' }>;

/**
 * The limiter of processes that share a quota. It decides on the shared state as last read, with the changes made here
 * since; the store takes a token only if nothing has changed that matters. While isolated it continues with what it last
 * knew, at the plan divided by the processes last seen alive.
 */
export class SharedLimiter extends StatefulLimiter {
  readonly #replica: LimiterReplica;

  constructor(options: SharedLimiterOptions) {
    super(options);
    this.#replica = new LimiterReplica(options, () => this.notify());
  }

  async acquire(lane: PermitLane): Promise<Acquired> {
    const replica = this.#replica;
    for (let isFresh = false; ; isFresh = true) {
      await replica.joined();
      if (replica.isIsolated) return this.#acquireAlone(lane);
      const decision = this.#decide(lane);
      if (decision.kind === 'token') {
        const acquired = await (decision.permit.probe ? this.#probe(decision, lane) : this.#take(decision, lane));
        if (acquired) return acquired;
      } else {
        if (isFresh) return decision;
        await replica.refresh(); // another process may have ended what refuses it
      }
    }
  }

  protected get state(): LimiterState {
    return this.#replica.state;
  }

  protected get setting(): PlanSetting {
    return this.#replica.setting;
  }

  protected get isIsolated(): boolean {
    return this.#replica.isIsolated;
  }

  protected get underWay(): number {
    return this.#replica.underWay + this.#replica.underWayElsewhere;
  }

  protected change(change: Change): Promise<void> {
    return this.#replica.change(change);
  }

  #decide(lane: PermitLane): PermitDecision {
    return decidePermit(this.state, lane, this.setting, Date.now(), this.contention);
  }

  #acquireAlone(lane: PermitLane): Acquired {
    const before = this.state;
    const { state, acquired } = acquirePermit(before, lane, this.setting, Date.now(), this.contention);
    this.#replica.spend(state, acquired);
    if (acquired.kind === 'permit' && (acquired.permit.probe || before.fullAtMs <= Date.now())) {
      this.lag.tookFromFull(Date.now());
    }
    return acquired;
  }

  /** @returns `undefined` when the decision is to be made anew */
  async #take({ permit, ...wanted }: Token, lane: PermitLane): Promise<Acquired | undefined> {
    const { permits, underWay } = this.#replica;
    permits.add(permit);
    const taken = await this.#replica.call((store) => store.take(underWay, wanted, lane === 'members'));
    permits.delete(permit);
    if (taken?.kind === 'wait') return { kind: 'wait', untilMs: taken.untilMs };
    if (taken?.kind !== 'done') return undefined;
    const decision = this.#decide(lane); // a 429 may have come here meanwhile
    if (decision.kind !== 'token' || decision.permit.probe) return undefined;
    permits.add(permit);
    if (taken.wasFull) this.lag.tookFromFull(Date.now());
    return { kind: 'permit', permit };
  }

  /** One process of all gets it. @returns as `#take` */
  async #probe({ permit }: Token, lane: PermitLane): Promise<Acquired | undefined> {
    const { permits } = this.#replica;
    const { contention } = this;
    const probed = (state: LimiterState) => acquirePermit(state, lane, this.setting, Date.now(), contention);
    const { acquired } = probed(this.state);
    if (acquired.kind !== 'permit') return acquired; // others take tokens, and add none
    permits.add(permit);
    const apply = (state: LimiterState) => {
      const after = probed(state);
      return after.acquired.kind === 'permit' && after.acquired.permit.probe ? after.state : state;
    };
    await this.change({ apply });
    if (this.#replica.isProber) {
      this.lag.tookFromFull(Date.now());
      return { kind: 'permit', permit };
    }
    permits.delete(permit);
    return undefined;
  }
}
