import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Logger } from '../../log.ts';
import { type LimiterState, plausible, StoredLimiterState, shifted, withProbe } from '../../quota/limiter-state.ts';
import type { RedisLink } from './redis-link.ts';
import { RedisUnavailable } from './redis-unavailable.ts';
import { SharedText } from './shared-text.ts';

/** Changes are few, and in each round one of the processes that try succeeds. */
const MAX_TRIES = 50;

/**
 * `probeOf`: the process that holds the probe, which ends with it. An era begins when no state is stored.
 * A state that an earlier version wrote is read. Processes of both versions at once would replace each other's.
 */
const SharedState = z.object({
  state: StoredLimiterState,
  probeOf: z.string().optional(),
  era: z.string().default(''),
});

type SharedState = z.infer<typeof SharedState>;

/** The state before and after a change, both by this process's clock; `undefined` as in `read`. */
export interface Change {
  before: LimiterState | undefined;
  after: LimiterState | undefined;
}

export interface SharedLimiterStateOptions {
  link: RedisLink;
  prefix: string;
  account: string;
  log: Logger;
  /** `RedisBucket.key` */
  bucketKey: string;
  /** This process, and whether another is gone. */
  processesAlive: { id: string; isGone(id: string): boolean };
}

/**
 * The limiter state of all processes, in Redis and by Redis's clock, so that machines whose clocks differ agree. Changes
 * compare and swap: none is lost. The state includes when the bucket is full, which only RedisBucket changes. Methods
 * throw RedisUnavailable.
 */
export class SharedLimiterState {
  /** Whether this process has a probe under way. One that it claimed without receiving the answer counts as ended. */
  holdsProbe = false;
  readonly #options: SharedLimiterStateOptions;
  readonly #text: SharedText;
  /** The parsed text, by Redis's clock. */
  #parsed: { text: string; value: SharedState | undefined } = { text: '', value: undefined };
  /** The era that this process has joined. */
  #era: string | undefined;

  constructor(options: SharedLimiterStateOptions) {
    this.#options = options;
    this.#text = new SharedText(options.link, `${options.prefix}:pacing:${options.account}`, options.bucketKey);
  }

  /** @returns `undefined` when no state is stored, an invalid one, or one of another era: Redis has lost the one joined */
  async read(): Promise<LimiterState | undefined> {
    await this.#text.read();
    return this.#inEra(this.#era);
  }

  /** @param change gets what `read` returns, maybe several times; returns the same, or `undefined`, to change nothing */
  update(change: (current: LimiterState | undefined) => LimiterState | undefined): Promise<Change> {
    return this.#replace(change, this.#era);
  }

  /** Like `update`, with a state of any era, which this process joins. */
  async join(change: (current: LimiterState | undefined) => LimiterState): Promise<LimiterState> {
    const { after } = await this.#replace(change, undefined);
    this.#era = this.#stored?.era;
    return after;
  }

  async #replace<T extends LimiterState | undefined>(
    change: (current: LimiterState | undefined) => T,
    era: string | undefined,
  ): Promise<{ before: LimiterState | undefined; after: T }> {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const read = this.#text.text;
      const before = this.#inEra(era);
      const after = change(before);
      if (after === undefined || before === after) {
        await this.#text.read();
        if (this.#text.text === read) return { before, after }; // the state that was decided on is still stored
      } else if (await this.#text.replace(this.#serialized(after, before))) {
        return { before, after };
      }
    }
    throw new RedisUnavailable('the shared limiter state changes too often');
  }

  #serialized(after: LimiterState, before: LimiterState | undefined): string {
    const probeOf = before?.breaker.state === 'halfOpen' ? this.#stored?.probeOf : this.#options.processesAlive.id;
    return JSON.stringify({
      state: shifted(after, this.#text.aheadMs),
      era: this.#stored?.era ?? randomUUID(),
      ...(after.breaker.state === 'halfOpen' && { probeOf }),
    });
  }

  /** Parsed once per text. */
  get #stored(): SharedState | undefined {
    const { text } = this.#text;
    if (this.#parsed.text !== text) this.#parsed = { text, value: this.#parse(text) };
    return this.#parsed.value;
  }

  #parse(text: string): SharedState | undefined {
    if (text === '') return undefined;
    try {
      return SharedState.parse(JSON.parse(text));
    } catch (err) {
      this.#options.log.warn({ err }, 'invalid shared limiter state: it is replaced');
      return undefined;
    }
  }

  #inEra(era: string | undefined): LimiterState | undefined {
    if (this.#stored === undefined || (era !== undefined && era !== this.#stored.era)) return undefined;
    const { state, probeOf } = this.#stored;
    const isProbing = state.breaker.state === 'halfOpen' && this.#isUnderWay(probeOf);
    const known = { ...withProbe(state, isProbing), fullAtMs: this.#text.number };
    return plausible(shifted(known, -this.#text.aheadMs), Date.now());
  }

  #isUnderWay(probeOf: string | undefined): boolean {
    const { processesAlive } = this.#options;
    if (probeOf === processesAlive.id) return this.holdsProbe;
    return probeOf !== undefined && !processesAlive.isGone(probeOf);
  }
}
