import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Logger } from '../../log.ts';
import { shifted } from '../../quota/clock-jump.ts';
import { type LimiterState, withProbe } from '../../quota/limiter-state.ts';
import { plausible } from '../../quota/plausible.ts';
import { StoredLimiterState } from '../../quota/stored-limiter-state.ts';
import type { RedisLink } from './redis-link.ts';
import { RedisUnavailable } from './redis-unavailable.ts';
import { SharedText } from './shared-text.ts';

/** Changes are few, and each time one of those who try succeeds. */
const MAX_TRIES = 50;

/** A probe belongs to a process, and ends with it. An era begins with the first state, or when Redis has lost the last. */
const SharedState = z.object({
  state: StoredLimiterState,
  probeOf: z.string().optional(),
  era: z.string().default(''),
});

type SharedState = z.infer<typeof SharedState>;

/** What a change found and what it left, both by this process's clock; `undefined` as `read` has it. */
export interface Change {
  before: LimiterState | undefined;
  after: LimiterState | undefined;
}

export interface SharedLimiterStateOptions {
  link: RedisLink;
  prefix: string;
  account: string;
  log: Logger;
  /** Where RedisBucket keeps its time. */
  bucketKey: string;
  /** This process, and whether another is gone. */
  processesAlive: { id: string; isGone(id: string): boolean };
}

/**
 * The pacing state of all processes, in Redis and by Redis's clock, so that machines whose clocks differ agree. Changes
 * are compared and swapped: none is lost. The bucket is shown with it, but changed by RedisBucket alone. Its methods throw
 * RedisUnavailable.
 */
export class SharedLimiterState {
  /** Whether this process has a probe under way. One that it claimed without hearing of it is nobody's. */
  holdsProbe = false;
  readonly #options: SharedLimiterStateOptions;
  readonly #text: SharedText;
  /** What the text says, by Redis's clock. */
  #there: { text: string; said: SharedState | undefined } = { text: '', said: undefined };
  /** The one that this process has joined. */
  #era: string | undefined;

  constructor(options: SharedLimiterStateOptions) {
    this.#options = options;
    this.#text = new SharedText(options.link, `${options.prefix}:pacing:${options.account}`, options.bucketKey);
  }

  /** `undefined`: nothing stands there, or nonsense, or nothing that this process has joined: Redis has lost that. */
  async read(): Promise<LimiterState | undefined> {
    await this.#text.read();
    return this.#shown(this.#era);
  }

  /** @param change is given what `read` gives, maybe several times; changes nothing by giving that back, or nothing */
  update(change: (there: LimiterState | undefined) => LimiterState | undefined): Promise<Change> {
    return this.#replace(change, this.#era);
  }

  /** Like `update`, but whatever stands there counts, from here on. */
  async join(change: (there: LimiterState | undefined) => LimiterState): Promise<LimiterState> {
    const { after } = await this.#replace(change, undefined);
    this.#era = this.#said?.era;
    return after;
  }

  async #replace<T extends LimiterState | undefined>(
    change: (there: LimiterState | undefined) => T,
    era: string | undefined,
  ): Promise<{ before: LimiterState | undefined; after: T }> {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const seen = this.#text.text;
      const before = this.#shown(era);
      const after = change(before);
      if (after === undefined || before === after) {
        await this.#text.read();
        if (this.#text.text === seen) return { before, after }; // what the decision rests on still stands there
      } else if (await this.#text.replace(this.#written(after, before))) {
        return { before, after };
      }
    }
    throw new RedisUnavailable('the shared pacing state never stands still');
  }

  #written(after: LimiterState, before: LimiterState | undefined): string {
    const probeOf = before?.breaker.state === 'halfOpen' ? this.#said?.probeOf : this.#options.processesAlive.id;
    return JSON.stringify({
      state: shifted(after, this.#text.aheadMs),
      era: this.#said?.era ?? randomUUID(),
      ...(after.breaker.state === 'halfOpen' && { probeOf }),
    });
  }

  /** Read once, however often it is asked for. */
  get #said(): SharedState | undefined {
    const { text } = this.#text;
    if (this.#there.text !== text) this.#there = { text, said: this.#parse(text) };
    return this.#there.said;
  }

  #parse(text: string): SharedState | undefined {
    if (text === '') return undefined;
    try {
      return SharedState.parse(JSON.parse(text));
    } catch (err) {
      this.#options.log.warn({ err }, 'shared pacing state does not fit: it is written anew');
      return undefined;
    }
  }

  #shown(era: string | undefined): LimiterState | undefined {
    if (this.#said === undefined || (era !== undefined && era !== this.#said.era)) return undefined;
    const { state, probeOf } = this.#said;
    const isProbing = state.breaker.state === 'halfOpen' && this.#isUnderWay(probeOf);
    const shown = { ...withProbe(state, isProbing), fullAtMs: this.#text.besides };
    return plausible(shifted(shown, -this.#text.aheadMs), Date.now());
  }

  #isUnderWay(probeOf: string | undefined): boolean {
    const { processesAlive } = this.#options;
    if (probeOf === processesAlive.id) return this.holdsProbe;
    return probeOf !== undefined && !processesAlive.isGone(probeOf);
  }
}
