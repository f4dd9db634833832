import { z } from 'zod';
import type { Logger } from '../log.ts';
import type { RedisLink } from '../redis/redis-link.ts';
import { shifted } from './clock-jump.ts';
import { FIRST_PACING, type PacingState } from './pacing.ts';
import { StoredPacing } from './stored-pacing.ts';

/** Replaces the state if it is still the one that was read. Either way: Redis's clock, what stands there, the bucket. */
const REPLACE = `
  local there = redis.call('GET', KEYS[1]) or ''
  if ARGV[2] ~= '' and there == ARGV[1] then
    there = ARGV[2]
    redis.call('SET', KEYS[1], there, 'PX', ARGV[3])
  end
  local time = redis.call('TIME')
  return {string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000)), there, redis.call('GET', KEYS[2]) or '0'}
`;
/** Longer than a quota window, so that nothing that still counts is forgotten. */
const KEPT_MS = 35 * 24 * 3600 * 1000;
/** Changes are few, a request each; so many in a row that come between are a bug. */
const MAX_TRIES = 20;

/** A probe belongs to a process, and ends with it. */
const SharedState = z.object({ state: StoredPacing, probeOf: z.string().optional() });

/** What a change found and what it left, both by this process's clock. `undefined`: nobody had written anything. */
export interface Change {
  before: PacingState | undefined;
  after: PacingState;
}

export interface SharedPacingOptions {
  link: RedisLink;
  prefix: string;
  account: string;
  log: Logger;
  /** Where RedisBucket keeps its time. */
  bucketKey: string;
  /** This process, and whether another is gone. */
  fleet: { id: string; isGone(id: string): boolean };
}

/**
 * The pacing state of all processes, in Redis and by Redis's clock, so that machines whose clocks differ agree. Changes
 * are compared and swapped: none is lost. The bucket is shown with it, but changed by RedisBucket alone. Its methods throw
 * RedisAway.
 */
export class SharedPacing {
  readonly #options: SharedPacingOptions;
  readonly #key: string;
  /** As it last stood there. */
  #text = '';
  #fullAtMs = 0;
  /** Redis's clock less ours. */
  #aheadMs = 0;
  #tripMs = Number.POSITIVE_INFINITY;

  constructor(options: SharedPacingOptions) {
    this.#options = options;
    this.#key = `${options.prefix}:pacing:${options.account}`;
  }

  /** `undefined`: nobody has written anything yet, or Redis has lost it. */
  async read(): Promise<PacingState | undefined> {
    await this.#swap('');
    return this.#parse()?.state;
  }

  async update(change: (state: PacingState | undefined) => PacingState): Promise<Change> {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const held = this.#parse();
      const before = held?.state;
      const after = change(before);
      if (before === after) {
        // Only worth believing if it still stands there.
        const seen = this.#text;
        await this.#swap('');
        if (this.#text === seen) return { before, after };
        continue;
      }
      const probeOf = before?.gate.probing ? held?.probeOf : this.#options.fleet.id;
      const text = JSON.stringify({
        state: shifted(after, this.#aheadMs),
        ...(after.gate.probing && { probeOf }),
      });
      if (await this.#swap(text)) return { before, after };
    }
    throw new Error('the shared pacing state never stands still');
  }

  /** @returns whether `text` stands there now */
  async #swap(text: string): Promise<boolean> {
    const sentAtMs = Date.now();
    const said = await this.#options.link.run((client) =>
      client.eval(REPLACE, {
        keys: [this.#key, this.#options.bucketKey],
        arguments: [this.#text, text, String(KEPT_MS)],
      }),
    );
    const [redisMs, there, fullAtMs] = z.tuple([z.coerce.number(), z.string(), z.coerce.number()]).parse(said);
    this.#text = there;
    this.#fullAtMs = fullAtMs;
    this.#setClock(redisMs, sentAtMs, Date.now());
    return there === text;
  }

  /** Trips take time, and not the same each way: only a better measurement, or a jump of a clock, is believed. */
  #setClock(redisMs: number, sentAtMs: number, receivedAtMs: number): void {
    const tripMs = receivedAtMs - sentAtMs;
    const aheadMs = Math.round(redisMs - (sentAtMs + tripMs / 2));
    const jumped = Math.abs(aheadMs - this.#aheadMs) > tripMs / 2 + this.#tripMs / 2 + 1;
    if (tripMs < this.#tripMs || jumped) {
      this.#aheadMs = aheadMs;
      this.#tripMs = Math.max(0, tripMs);
    }
  }

  #parse(): { state: PacingState; probeOf: string | undefined } | undefined {
    if (this.#text === '') return undefined;
    const { fleet, log } = this.#options;
    try {
      const { state, probeOf } = SharedState.parse(JSON.parse(this.#text));
      const probing = state.gate.probing && probeOf !== undefined && !fleet.isGone(probeOf);
      const shown = { ...state, fullAtMs: this.#fullAtMs, gate: { ...state.gate, probing } };
      return { state: shifted(shown, -this.#aheadMs), probeOf };
    } catch (err) {
      log.warn({ err }, 'shared pacing state does not fit: starting without');
      return { state: FIRST_PACING, probeOf: undefined };
    }
  }
}
