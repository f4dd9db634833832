import { z } from 'zod';
import type { Change, Row, Rows, WriteOptions } from '../../model/store/rows.ts';
import { RemoteClock } from '../../time.ts';
import { type RedisLink, type RedisUnavailable, replyMeaning } from './connection.ts';

/**
 * KEYS: parts, each a hash. ARGV: how long they are kept, and by fours what is expected, then what is changed: a word,
 * the number of a part, a key and a text. Returns whether it was as expected, Redis's clock, and the parts that were no
 * hashes, which are gone.
 */
const WRITE = `
  local isAsExpected, mistyped, time = 1, {}, redis.call('TIME')
  for _, part in ipairs(KEYS) do
    if not string.find('hash none', redis.call('TYPE', part).ok) then
      redis.call('DEL', part)
      mistyped[#mistyped + 1] = part
    end
  end
  for at = 2, #ARGV, 4 do
    local word, part, key, text = ARGV[at], KEYS[tonumber(ARGV[at + 1])], ARGV[at + 2], ARGV[at + 3]
    if word == 'is' then
      if redis.call('HGET', part, key) ~= text then isAsExpected = 0 end
    elseif word == 'none' then
      if redis.call('HEXISTS', part, key) == 1 then isAsExpected = 0 end
    elseif word == 'fewer' then
      if redis.call('HLEN', part) >= tonumber(text) then isAsExpected = 0 end
    elseif isAsExpected == 1 and word == 'delete' then
      redis.call('HDEL', part, key)
    elseif isAsExpected == 1 then
      local sum = word == 'add' and redis.pcall('HINCRBY', part, key, text)
      if type(sum) ~= 'number' then redis.call('HSET', part, key, text) end
      if sum == 0 then redis.call('HDEL', part, key) end
      redis.call('PEXPIRE', part, ARGV[1])
    end
  end
  return {isAsExpected, time[1] * 1000 + math.floor(time[2] / 1000), mistyped}
`;
const Written = z.tuple([z.number(), z.number(), z.array(z.string())]);

/** Rows in Redis: a hash for each part. */
export class RedisRows implements Rows {
  readonly isShared = true;
  readonly #link: RedisLink;
  readonly #clock = new RemoteClock();

  constructor(link: RedisLink) {
    this.#link = link;
  }

  get isReachable(): boolean {
    return this.#link.health === 'usable';
  }

  get aheadMs(): number {
    return this.#clock.aheadMs;
  }

  async read(part: string, keys?: readonly string[]): Promise<ReadonlyMap<string, string> | undefined> {
    if (keys?.length === 0) return new Map();
    const name = this.#nameOf(part);
    try {
      if (!keys) return new Map(Object.entries(await this.#link.read((client) => client.hGetAll(name))));
      const texts = await this.#link.read((client) => client.hmGet(name, [...keys]));
      return new Map(keys.flatMap((key, at) => (texts[at] == null ? [] : [[key, texts[at]]])));
    } catch (error) {
      if (replyMeaning((error as RedisUnavailable).cause) !== 'mistyped') return undefined;
      this.#link.unreadable(name);
      return new Map();
    }
  }

  async write(
    changes: readonly Change[],
    { ifStill = [], ifFewer, keepMs }: WriteOptions,
  ): Promise<boolean | undefined> {
    const stepOf = ({ value, ...row }: Row, none: string, some: string) => {
      return { ...row, word: value === undefined ? none : some, text: value };
    };
    const steps = [
      ...ifStill.map((row) => stepOf(row, 'none', 'is')),
      ...(ifFewer ? [{ part: ifFewer.part, word: 'fewer', key: '', text: ifFewer.than }] : []),
      ...changes.map((each) =>
        'add' in each ? { ...each, word: 'add', text: each.add } : stepOf(each, 'delete', 'set'),
      ),
    ];
    const parts = [...new Set(steps.map(({ part }) => part))];
    const listed = steps.flatMap(({ word, part, key, text = '' }) => [word, parts.indexOf(part) + 1, key, text]);
    const given = { keys: parts.map((part) => this.#nameOf(part)), arguments: [keepMs, ...listed].map(String) };
    const sentAtMs = performance.now();
    const asked = this.#link.run((client) => client.eval(WRITE, given));
    const written = await asked.then((answer) => Written.parse(answer)).catch(() => undefined);
    if (!written) return undefined;
    const [isAsExpected, nowMs, mistyped] = written;
    this.#clock.observe(nowMs, sentAtMs, performance.now());
    for (const name of mistyped) this.#link.unreadable(name);
    return isAsExpected === 1;
  }

  drop(part: string, key: string): void {
    const name = this.#nameOf(part);
    this.#link.unreadable(`${name} ${key}`);
    this.#link.run((client) => client.hDel(name, key)).catch(() => {});
  }

  #nameOf(part: string): string {
    return `${this.#link.prefix}:${part}`;
  }
}
