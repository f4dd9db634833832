import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import type { Pace } from '../../quota/pace.ts';
import type { RedisLink } from './redis-link.ts';

/**
 * The bucket of quota/pace.ts, as a custom script of rate-limiter-flexible: its own fixed windows would either let two
 * windows touch (twice the burst) or leave half of the plan unused. It stores when the bucket is full, by Redis's clock,
 * and returns how long until then.
 *
 * Arguments: points; 1 + a time in ms, see below; capacity; seconds in which it fills.
 */
const script = (decision: string) => `
  local points, givenMs, capacity = tonumber(ARGV[1]), ARGV[2] - 1, tonumber(ARGV[3])
  local intervalMs = ARGV[4] * 1000 / capacity
  local time = redis.call('TIME')
  local nowMs = time[1] * 1000 + time[2] / 1000
  local emptyMs = nowMs + capacity * intervalMs
  local fullAtMs = math.min(math.max(tonumber(redis.call('GET', KEYS[1]) or '0'), nowMs), emptyMs)
  ${decision}
  fullAtMs = math.min(fullAtMs + points * intervalMs, emptyMs)
  redis.call('SET', KEYS[1], string.format('%.3f', fullAtMs), 'PX', math.ceil(fullAtMs - nowMs) + 1000)
  return {1, math.ceil(fullAtMs - nowMs)}
`;
/** `givenMs`: how long a token must have been in the bucket. */
const TAKE = script(`
  if fullAtMs - (capacity - 1) * intervalMs + givenMs > nowMs then
    return {capacity + 1, math.ceil(fullAtMs - nowMs)}
  end
`);
/** `givenMs`: what is charged besides whole points. */
const CHARGE = script('fullAtMs = fullAtMs + givenMs');

/** The one token bucket of all processes that share a quota. Methods throw RedisUnavailable. */
export class RedisBucket {
  readonly #link: RedisLink;
  readonly #prefix: string;
  readonly #account: string;

  constructor(link: RedisLink, prefix: string, account: string) {
    this.#link = link;
    this.#prefix = `${prefix}:bucket`;
    this.#account = account;
  }

  /** Of the time at which it is full, by Redis's clock; absent while it is full. */
  get key(): string {
    return `${this.#prefix}:${this.#account}`;
  }

  /** Takes a token if one has been in the bucket for `heldBackMs`. `fullAtMs` is by this process's clock. */
  async take(pace: Pace, heldBackMs: number): Promise<{ taken: boolean; fullAtMs: number }> {
    try {
      const { msBeforeNext } = await this.#consume(TAKE, pace, 1, heldBackMs);
      return { taken: true, fullAtMs: Date.now() + msBeforeNext };
    } catch (refused) {
      if (!(refused instanceof RateLimiterRes)) throw refused;
      return { taken: false, fullAtMs: Date.now() + refused.msBeforeNext };
    }
  }

  /** For requests that were sent without a token. */
  async charge(pace: Pace, requests: number): Promise<void> {
    await this.#consume(CHARGE, pace, requests);
  }

  /** For the time in which this bucket refilled and the service's did not. */
  async delay(pace: Pace, lagMs: number): Promise<void> {
    await this.#consume(CHARGE, pace, 0, lagMs);
  }

  /** Removes every token. */
  async empty(pace: Pace): Promise<void> {
    await this.charge(pace, pace.capacity);
  }

  #consume(script: string, { capacity, intervalMs }: Pace, points: number, givenMs = 0): Promise<RateLimiterRes> {
    const limiter = new RateLimiterRedis({
      storeClient: this.#link.client,
      useRedisPackage: true,
      keyPrefix: this.#prefix,
      points: capacity,
      duration: (capacity * intervalMs) / 1000,
      customIncrTtlLuaScript: script,
    });
    return this.#link.run(() => limiter.consume(this.#account, points, { customDuration: 1 + Math.round(givenMs) }));
  }
}
