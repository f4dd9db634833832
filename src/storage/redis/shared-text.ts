import { z } from 'zod';
import { DAY_MS } from '../../model/quota.ts';
import type { RedisLink } from './redis-link.ts';

/**
 * Replaces the text if it is still the one that was read. Returns whether it did (two may write the same), Redis's clock,
 * the text that is stored now, and the number under the second key.
 */
const REPLACE = `
  local stored, replaced = redis.call('GET', KEYS[1]) or '', 0
  if ARGV[2] ~= '' and stored == ARGV[1] then
    stored, replaced = ARGV[2], 1
    redis.call('SET', KEYS[1], stored, 'PX', ARGV[3])
  end
  local time = redis.call('TIME')
  local nowMs = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000))
  return {replaced, nowMs, stored, redis.call('GET', KEYS[2]) or '0'}
`;
const Answer = z.tuple([z.number(), z.coerce.number(), z.string(), z.coerce.number()]);
/** Longer than a quota window, so that nothing that still counts expires. */
const KEPT_MS = 35 * DAY_MS;

/** A text that processes share in Redis, read together with Redis's clock and the number under a second key. */
export class SharedText {
  readonly #link: RedisLink;
  readonly #keys: string[];
  readonly #clock = new RedisClock();
  #text = '';
  #number = 0;

  /** @param numberKey of the number that is read with it */
  constructor(link: RedisLink, key: string, numberKey: string) {
    this.#link = link;
    this.#keys = [key, numberKey];
  }

  /** As last read; empty when nothing was stored. */
  get text(): string {
    return this.#text;
  }

  /** The number under the second key; 0 when there is none. */
  get number(): number {
    return this.#number;
  }

  /** Redis's clock less this process's. */
  get aheadMs(): number {
    return this.#clock.aheadMs;
  }

  /** Costs one command. @throws RedisUnavailable */
  async read(): Promise<void> {
    await this.replace('');
  }

  /**
   * Writes `text` if the stored one is still the one that was last read, and reads what is stored now. Costs one command.
   *
   * @returns whether it was written
   * @throws RedisUnavailable
   */
  async replace(text: string): Promise<boolean> {
    const sentAtMs = Date.now();
    const answer = await this.#link.run((client) =>
      client.eval(REPLACE, { keys: this.#keys, arguments: [this.#text, text, String(KEPT_MS)] }),
    );
    const [replaced, redisMs, stored, number] = Answer.parse(answer);
    this.#clock.observe(redisMs, sentAtMs, Date.now());
    this.#text = stored;
    this.#number = number;
    return replaced === 1;
  }
}

/** How far Redis's clock is ahead of this process's, measured from its answers. */
export class RedisClock {
  #aheadMs = 0;
  #tripMs = Number.POSITIVE_INFINITY;

  get aheadMs(): number {
    return this.#aheadMs;
  }

  /** A round trip takes time, not the same each way: accepts only a better measurement, or the jump of a clock. */
  observe(redisMs: number, sentAtMs: number, receivedAtMs: number): void {
    const tripMs = Math.max(0, receivedAtMs - sentAtMs); // negative when this clock was set back meanwhile
    const aheadMs = Math.round(redisMs - (sentAtMs + receivedAtMs) / 2);
    const jumped = Math.abs(aheadMs - this.#aheadMs) > tripMs / 2 + this.#tripMs / 2 + 1;
    if (tripMs >= this.#tripMs && !jumped) return;
    this.#aheadMs = aheadMs;
    this.#tripMs = tripMs;
  }
}
