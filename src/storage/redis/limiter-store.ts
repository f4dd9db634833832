import { z } from 'zod';
import type { Logger } from '../../log.ts';
import { storedJson } from '../../model/stored-json.ts';
import { afterClockJump } from '../../quota/limiter-cell.ts';
import { LimiterState, shifted } from '../../quota/limiter-state.ts';
import type { Taken, WantedToken } from '../../quota/permit.ts';
import type { LimiterWrite, SharedLimiterStore } from '../../quota/shared-limiter-store.ts';
import { RemoteClock } from '../../time/remote-clock.ts';
import { LIMITER_SCRIPT, LimiterAnswer } from './limiter-script.ts';
import type { ProcessesAlive } from './processes-alive.ts';
import { unlessUnavailable } from './unavailable.ts';

/** Within it a process that was told when to come has come; short beside any plan's interval (120 ms). */
const TURN_GRACE_MS = 60;
/** What was noted so much later than now was noted before Redis's clock was set back. */
const CLOCKS_DIFFER_MS = 1_000;

/** When the bucket is full is a field of its own. */
const StoredState = storedJson(
  z
    .looseObject({})
    .transform((stored) => ({ ...stored, fullAtMs: 0 }))
    .pipe(LimiterState),
);

/** The limiter of all processes in one hash, which one script reads and changes. */
export class RedisLimiterStore implements SharedLimiterStore {
  readonly #processesAlive: ProcessesAlive;
  readonly #name: string;
  readonly #log: Logger;
  readonly #clock = new RemoteClock();
  #tripMs = 0;
  #state: LimiterState | undefined;
  asRead = { era: '', version: 0, fullAtMs: 0, probeOf: '', underWayElsewhere: 0, lost: 0, lostAtMs: 0 };

  constructor(processesAlive: ProcessesAlive, account: string, log: Logger) {
    this.#processesAlive = processesAlive;
    this.#name = `limiter:${account}`;
    this.#log = log;
  }

  get state(): LimiterState | undefined {
    return this.#state && shifted({ ...this.#state, fullAtMs: this.asRead.fullAtMs }, -this.#clock.aheadMs);
  }

  async read(underWay: number): Promise<true | undefined> {
    return (await this.#call('read', underWay)) && true;
  }

  async take(underWay: number, token: WantedToken): Promise<Taken | undefined> {
    const { lane, pace, heldBackMs = '', mostUnderWay } = token;
    const { intervalMs, capacity } = pace;
    const graceMs = lane === 'members' ? TURN_GRACE_MS + this.#tripMs : '';
    const answer = await this.#call('take', underWay, intervalMs, capacity, heldBackMs, graceMs, mostUnderWay);
    if (!answer) return undefined;
    const { result, nowMs, fullAtMs, untilMs } = answer;
    if (result === 'done') return { kind: 'taken', wasFull: fullAtMs - nowMs <= intervalMs + 1 };
    return result === 'wait'
      ? { kind: 'wait', untilMs: Math.ceil(untilMs - this.#clock.aheadMs) }
      : { kind: 'changed' };
  }

  async write(underWay: number, write: LimiterWrite): Promise<boolean | undefined> {
    const { state, isNews, chargedMs, fillsInMs, pausedUntilMs, remaining, prober } = write;
    const { aheadMs } = this.#clock;
    const json = JSON.stringify({ ...shifted(state, aheadMs), fullAtMs: undefined });
    const bucket = [chargedMs, fillsInMs, pausedUntilMs + aheadMs];
    const probeOf = { none: '', same: this.asRead.probeOf, writer: this.#processesAlive.id }[prober];
    const left = remaining ? [remaining.requests, remaining.untilMs + aheadMs] : ['', ''];
    const { lost } = this.asRead;
    const answer = await this.#call('write', underWay, json, isNews ? 1 : 0, ...bucket, probeOf, ...left, lost);
    return answer && answer.result === 'done';
  }

  /** Costs one command. @returns `undefined` while Redis is unavailable */
  async #call(operation: 'read' | 'take' | 'write', underWay: number, ...more: (string | number)[]) {
    const { era, version } = this.asRead;
    const sentAtMs = Date.now();
    const args = [operation, era, version, underWay, ...more].map(String);
    const answer = await this.#answer(args);
    if (!answer) return undefined;
    const receivedAtMs = Date.now();
    this.#tripMs = Math.max(0, receivedAtMs - sentAtMs);
    this.#clock.observe(answer.nowMs, sentAtMs, receivedAtMs);
    // Several answers under way may bring the same.
    if (answer.era !== this.asRead.era || answer.version !== this.asRead.version)
      this.#state = this.#parse(answer.state);
    this.#state &&= afterClockJump(this.#state, answer.nowMs + CLOCKS_DIFFER_MS);
    const { lost, lostAtMs } = this.asRead;
    this.asRead = { ...answer, lostAtMs: answer.lost > lost ? receivedAtMs : lostAtMs };
    return answer;
  }

  /** @returns `undefined` while Redis is unavailable, or when what it has is no limiter: every process knows what was in it */
  async #answer(args: readonly string[]) {
    const found = await unlessUnavailable(this.#processesAlive.run(LIMITER_SCRIPT, this.#name, args));
    if (found === undefined) return undefined;
    const { data } = LimiterAnswer.safeParse(found);
    if (!data) await this.#processesAlive.drop(this.#name);
    return data;
  }

  #parse(text: string): LimiterState | undefined {
    if (text === '') return undefined;
    const { data, error } = StoredState.safeParse(text);
    if (error) this.#log.warn({ err: error }, 'invalid shared limiter state: it is replaced');
    return data;
  }
}
