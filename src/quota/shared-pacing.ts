import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Logger } from '../log.ts';
import { RedisAway } from '../redis/redis-errors.ts';
import type { RedisLink } from '../redis/redis-link.ts';
import { shifted } from './clock-jump.ts';
import { type PacingState, withProbing } from './pacing.ts';
import { plausible } from './plausible.ts';
import { RedisClock } from './redis-clock.ts';
import { StoredPacing } from './stored-pacing.ts';

/**
 * Replaces the state if it is still the one that was read. Gives back whether it did (two may write the same), and either
 * way Redis's clock, what stands there, and the bucket.
 */
const REPLACE = `
  local there, replaced = redis.call('GET', KEYS[1]) or '', 0
  if ARGV[2] ~= '' and there == ARGV[1] then
    there, replaced = ARGV[2], 1
    redis.call('SET', KEYS[1], there, 'PX', ARGV[3])
  end
  local time = redis.call('TIME')
  local nowMs = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000))
  return {replaced, nowMs, there, redis.call('GET', KEYS[2]) or '0'}
`;
const Said = z.tuple([z.number(), z.coerce.number(), z.string(), z.coerce.number()]);
/** Longer than a quota window, so that nothing that still counts is forgotten. */
const KEPT_MS = 35 * 24 * 3600 * 1000;
/** Changes are few, and each time one of those who try succeeds. */
const MAX_TRIES = 50;

/** A probe belongs to a process, and ends with it. An era begins with the first state, or when Redis has lost the last. */
const SharedState = z.object({ state: StoredPacing, probeOf: z.string().optional(), era: z.string().default('') });

type SharedState = z.infer<typeof SharedState>;

/** What a change found and what it left, both by this process's clock; `undefined` as `read` has it. */
export interface Change {
  before: PacingState | undefined;
  after: PacingState | undefined;
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
  /** Whether this process has a probe under way. One that it claimed without hearing of it is nobody's. */
  holdsProbe = false;
  readonly #options: SharedPacingOptions;
  readonly #key: string;
  /** As it last stood there, by Redis's clock. */
  #text = '';
  #there: SharedState | undefined;
  /** The one that this process has joined. */
  #era: string | undefined;
  #fullAtMs = 0;
  readonly #clock = new RedisClock();

  constructor(options: SharedPacingOptions) {
    this.#options = options;
    this.#key = `${options.prefix}:pacing:${options.account}`;
  }

  /** `undefined`: nothing stands there, or nonsense, or nothing that this process has joined: Redis has lost that. */
  async read(): Promise<PacingState | undefined> {
    await this.#swap('');
    return this.#shown(this.#era);
  }

  /** @param change is given what `read` gives, maybe several times; changes nothing by giving that back, or nothing */
  update(change: (there: PacingState | undefined) => PacingState | undefined): Promise<Change> {
    return this.#replace(change, this.#era);
  }

  /** Like `update`, but whatever stands there counts, from here on. */
  async join(change: (there: PacingState | undefined) => PacingState): Promise<PacingState> {
    const { after } = await this.#replace(change, undefined);
    this.#era = this.#there?.era;
    return after;
  }

  async #replace<T extends PacingState | undefined>(
    change: (there: PacingState | undefined) => T,
    era: string | undefined,
  ): Promise<{ before: PacingState | undefined; after: T }> {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const seen = this.#text;
      const before = this.#shown(era);
      const after = change(before);
      if (after === undefined || before === after) {
        await this.#swap('');
        if (this.#text === seen) return { before, after }; // what the decision rests on still stands there
      } else if (await this.#swap(this.#written(after, before))) {
        return { before, after };
      }
    }
    throw new RedisAway('the shared pacing state never stands still');
  }

  #written(after: PacingState, before: PacingState | undefined): string {
    const probeOf = before?.gate.probing ? this.#there?.probeOf : this.#options.fleet.id;
    return JSON.stringify({
      state: shifted(after, this.#clock.aheadMs),
      era: this.#there?.era ?? randomUUID(),
      ...(after.gate.probing && { probeOf }),
    });
  }

  /** @returns whether `text` was written */
  async #swap(text: string): Promise<boolean> {
    const sentAtMs = Date.now();
    const said = await this.#options.link.run((client) =>
      client.eval(REPLACE, {
        keys: [this.#key, this.#options.bucketKey],
        arguments: [this.#text, text, String(KEPT_MS)],
      }),
    );
    const [replaced, redisMs, there, fullAtMs] = Said.parse(said);
    this.#clock.heard(redisMs, sentAtMs, Date.now());
    this.#fullAtMs = fullAtMs;
    if (there !== this.#text) {
      this.#text = there;
      this.#there = this.#parse(there);
    }
    return replaced === 1;
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

  #shown(era: string | undefined): PacingState | undefined {
    if (this.#there === undefined || (era !== undefined && era !== this.#there.era)) return undefined;
    const { state, probeOf } = this.#there;
    const shown = { ...withProbing(state, state.gate.probing && this.#isUnderWay(probeOf)), fullAtMs: this.#fullAtMs };
    return plausible(shifted(shown, -this.#clock.aheadMs), Date.now());
  }

  #isUnderWay(probeOf: string | undefined): boolean {
    const { fleet } = this.#options;
    if (probeOf === fleet.id) return this.holdsProbe;
    return probeOf !== undefined && !fleet.isGone(probeOf);
  }
}
