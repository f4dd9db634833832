import { z } from 'zod';
import { DAY_MS } from '../../time/utc-day.ts';
import { RedisClock } from './redis-clock.ts';
import type { RedisLink } from './redis-link.ts';

/**
 * Replaces the text if it is still the one that was read. Gives back whether it did (two may write the same), and either
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
const KEPT_MS = 35 * DAY_MS;

/** One text that processes share in Redis, with Redis's clock, and what stands under a second key. */
export class SharedText {
  readonly #link: RedisLink;
  readonly #keys: string[];
  readonly #clock = new RedisClock();
  #text = '';
  #besides = 0;

  /** @param besideKey of a number that is shown with it */
  constructor(link: RedisLink, key: string, besideKey: string) {
    this.#link = link;
    this.#keys = [key, besideKey];
  }

  /** As it last stood there; empty when nothing did. */
  get text(): string {
    return this.#text;
  }

  /** The number under the second key; 0 when there is none. */
  get besides(): number {
    return this.#besides;
  }

  /** Redis's clock less ours. */
  get aheadMs(): number {
    return this.#clock.aheadMs;
  }

  /** Asks what stands there. Costs one command. @throws RedisUnavailable */
  async read(): Promise<void> {
    await this.replace('');
  }

  /**
   * Writes `text` if what stands there is still what was last seen, and sees what stands there now. Costs one command.
   *
   * @returns whether it was written
   * @throws RedisUnavailable
   */
  async replace(text: string): Promise<boolean> {
    const sentAtMs = Date.now();
    const said = await this.#link.run((client) =>
      client.eval(REPLACE, { keys: this.#keys, arguments: [this.#text, text, String(KEPT_MS)] }),
    );
    const [replaced, redisMs, there, besides] = Said.parse(said);
    this.#clock.heard(redisMs, sentAtMs, Date.now());
    this.#text = there;
    this.#besides = besides;
    return replaced === 1;
  }
}
