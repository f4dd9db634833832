import { INITIAL_LIMITER_STATE, type LimiterState } from '../../src/quota/limiter-state.ts';
import type { Taken } from '../../src/quota/permit.ts';
import type { LimiterWrite, SharedLimiterStore } from '../../src/quota/shared-limiter-store.ts';

/** What processes share; the test is those besides this one. */
export class SharedState implements SharedLimiterStore {
  state: LimiterState | undefined = INITIAL_LIMITER_STATE;
  asRead = { era: '1', version: 1, probeOf: '', underWayElsewhere: 0, lost: 0, lostAtMs: 0 };
  /** Whether Redis gives no answer. */
  isAway = false;
  writes = 0;
  read = async (): Promise<true | undefined> => (this.isAway ? undefined : true);
  take = async (_: number): Promise<Taken | undefined> => (this.isAway ? undefined : { kind: 'taken', wasFull: false });
  write = async (_: number, { state }: LimiterWrite): Promise<boolean | undefined> => {
    this.writes++;
    if (this.isAway) return undefined;
    this.state = state;
    return true;
  };
}
