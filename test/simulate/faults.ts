import { type Owner, pause, simulatedMs } from './fake-time.ts';

export const FAULTS = ['kill', 'late', 'lost', 'doubled', 'odd', 'clock'] as const;
export type Fault = (typeof FAULTS)[number];
/** Of a call that may not kill its process, nor set a clock. */
const LOST = ['lost', 'odd'] as const;
/** Before the call does anything, or between what it does and its answer. */
export type When = 'before' | 'after';

/** One call that was hit. */
export interface Hit {
  atMs: number;
  call: string;
  fault: Fault;
  when: When;
}

interface PortOptions {
  random: () => number;
  /** The share of calls that a fault hits now. */
  share: () => number;
  /** No clock is set: what depends on that can be checked. */
  isSteady: boolean;
  kill: (owner: Owner) => void;
  /** Told of a fault when it strikes, and whom. */
  trace: (line: string) => void;
}

const never = () => new Promise<never>(() => {});
/** What a clock that is set shows too much: never forward by the quarter of an hour after which a reply is given up. */
const SETTABLE_MS = [-300_000, -60_000, -2_000, 2_000, 60_000, 300_000];

/** What leaves a process and what comes back, with faults. */
export class Port {
  readonly hits: Hit[] = [];
  readonly #options: PortOptions;
  /** Messages below replies are few: some of them or of their answers are lost even when nothing else is hit. */
  hitCalls: 'all' | 'notices' | 'none' = 'all';
  /** When the last call began. */
  calledAtMs = 0;

  constructor(options: PortOptions) {
    this.#options = options;
  }

  get trace(): PortOptions['trace'] {
    return this.#options.trace;
  }

  /**
   * @param effect what the other side does; called twice when a call is doubled
   * @param odd an answer that nobody expects, before the effect or although it has taken place
   */
  async call<T>(
    owner: Owner,
    name: string,
    effect: () => T,
    odd: (when: When) => T,
    signal?: AbortSignal | null,
  ): Promise<T> {
    if (!owner.isAlive) return never();
    // What is given up has left all the same.
    const answered = this.#answered(owner, name, effect, odd);
    answered.catch(() => {});
    return Promise.race([answered, aborted(signal)]);
  }

  async #answered<T>(owner: Owner, name: string, effect: () => T, odd: (when: When) => T): Promise<T> {
    const { random } = this.#options;
    const way = async (ms: number) => {
      await pause(ms);
      if (!owner.isAlive) await never();
    };
    this.calledAtMs = simulatedMs();
    const hit = this.draw(name);
    const [thereMs, backMs] = [1 + random() * 80, 1 + random() * 80];
    const lost = () => {
      // discord.js asks again after one of them.
      const [code, message] =
        random() < 0.5 ? ['ECONNRESET', 'read ECONNRESET'] : ['UND_ERR_SOCKET', 'other side closed'];
      throw Object.assign(new Error(message), { code });
    };
    const fail = async (when: When): Promise<void> => {
      if (hit?.when !== when) return;
      if (hit.fault === 'doubled' || (hit.fault === 'odd' && when === 'before')) return;
      await this.strike(hit, owner, lost, way);
      if (!owner.isAlive) await never();
    };
    await way(thereMs);
    await fail('before');
    if (hit?.fault === 'odd' && hit.when === 'before') {
      this.#strikes(hit);
      await way(backMs);
      return odd('before');
    }
    const answer = effect();
    if (hit?.fault === 'doubled') {
      this.#strikes(hit);
      await way(backMs);
      effect();
    }
    await fail('after');
    await way(backMs);
    return hit?.fault === 'odd' ? odd('after') : answer;
  }

  /** @param weight of the share of calls that is hit */
  draw(call: string, weight = 1, faults: readonly Fault[] = FAULTS): Hit | undefined {
    const { random, share, isSteady } = this.#options;
    const [isHit, which, moment] = [random() < weight * share(), random(), random()];
    const isAll = this.hitCalls === 'all';
    if (!isHit || !(isAll || (this.hitCalls === 'notices' && call === 'notice'))) return undefined;
    const possible = isAll ? faults : LOST;
    const drawn = possible[Math.floor(which * possible.length)] ?? 'late';
    const fault = drawn === 'clock' && isSteady ? 'late' : drawn;
    return { atMs: simulatedMs(), call, fault, when: moment < 0.5 ? 'before' : 'after' };
  }

  /** @param lost what becomes of the connection then */
  async strike(hit: Hit, owner: Owner, lost: () => void, way = pause): Promise<void> {
    const { random, kill } = this.#options;
    const lateMs = 200 + random() ** 3 * 12_000;
    this.#strikes(hit);
    if (hit.fault === 'kill') kill(owner);
    else if (hit.fault === 'clock') owner.clock.skewMs = SETTABLE_MS[Math.floor(random() * SETTABLE_MS.length)] ?? 0;
    else if (hit.fault !== 'odd') {
      await way(lateMs);
      if (hit.fault === 'lost') lost();
    }
  }

  /** Counted now: the process of a call that is on its way may have been killed before. */
  #strikes(hit: Hit): void {
    this.hits.push(hit);
    this.#options.trace(`${simulatedMs()} ${hit.call} ${hit.fault} ${hit.when}`);
  }
}

function aborted(signal: AbortSignal | null | undefined): Promise<never> {
  return new Promise((_, reject) => {
    if (signal?.aborted) reject(signal.reason);
    signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

/** What becomes of Redis as a whole, or of the way of one process to it. */
export const DISRUPTIONS = ['restart', 'forget', 'hang', 'part', 'fail over'] as const;
export type Disruption = (typeof DISRUPTIONS)[number];

export interface Outage {
  kind: Disruption;
  fromMs: number;
  untilMs: number;
}
