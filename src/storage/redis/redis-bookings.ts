import { randomUUID } from 'node:crypto';
import { type Bookings, DAY_MS, nextUtcMidnightMs } from '../../model/quota.ts';
import { KEPT_DAYS, type MemberRequests } from '../../quota/ledger.ts';
import type { RedisLink } from './redis-link.ts';
import type { Batch, Scope } from './unwritten-bookings.ts';

/**
 * Adds a batch, once: the day's hash keeps the number of the last batch of each process, because after an outage it is
 * unknown whether the batch before was added.
 *
 * Keys: the day's hash, then rankings. Arguments: the process's field, the batch's number, when all of it expires, the
 * number of sums; for each sum its field and three counts; for each increase in a ranking its key, member and requests.
 */
const ADD = `
  if tonumber(redis.call('HGET', KEYS[1], ARGV[1]) or '0') >= tonumber(ARGV[2]) then return end
  redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
  local increases = 5 + 4 * tonumber(ARGV[4])
  for i = 5, increases - 1, 4 do
    local known = redis.call('HGET', KEYS[1], ARGV[i]) or '0 0 0'
    local requests, refused, saved = string.match(known, '(%S+) (%S+) (%S+)')
    redis.call('HSET', KEYS[1], ARGV[i],
      string.format('%d %d %d', requests + ARGV[i + 1], refused + ARGV[i + 2], saved + ARGV[i + 3]))
  end
  for i = increases, #ARGV, 3 do
    redis.call('ZINCRBY', KEYS[tonumber(ARGV[i])], -tonumber(ARGV[i + 2]), ARGV[i + 1])
  end
  for _, key in ipairs(KEYS) do redis.call('EXPIREAT', key, ARGV[3]) end
`;

/** A value that was read, and the last batch of this process that it includes. */
export interface Read<T> {
  value: T;
  batchNumber: number;
}

/**
 * The bookings of all processes that share a quota: for each UTC day one hash, and one ranking of members for each Discord
 * server. Each call is one round trip, and throws RedisUnavailable. A day takes about 95 bytes for each member with a
 * request in a server, 280 in direct messages (MEMORY USAGE of Redis 7.0, 10,000 members), until the ledger expires.
 */
export class RedisBookings {
  readonly #link: RedisLink;
  readonly #prefix: string;
  readonly #writer = `writer:${randomUUID()}`;

  constructor(link: RedisLink, prefix: string) {
    this.#link = link;
    this.#prefix = `${prefix}:ledger`;
  }

  /** Has no effect for a batch that was added before. */
  async add({ number, day, sums, members }: Batch): Promise<void> {
    const keys = [this.#sumsKey(day), ...[...members.keys()].map((guild) => this.#rankingKey(day, guild))];
    const counts = [...sums].flatMap(([scope, { requests, refused, saved }]) => [scope, requests, refused, saved]);
    const increases = [...members.values()].flatMap((ofGuild, index) =>
      [...ofGuild].flatMap(([memberId, requests]) => [index + 2, memberId, requests]),
    );
    const all = [this.#writer, number, expiresAtS(day), sums.size, ...counts, ...increases];
    await this.#link.run((client) => client.eval(ADD, { keys, arguments: all.map(String) }));
  }

  async sum(day: string, scope: Scope): Promise<Read<Bookings>> {
    const fields = [scope, this.#writer];
    const [written, batchNumber] = await this.#link.read((client) => client.hmGet(this.#sumsKey(day), fields));
    const [requests = 0, refused = 0, saved = 0] = written?.split(' ').map(Number) ?? [];
    return { value: { requests, refused, saved }, batchNumber: Number(batchNumber ?? 0) };
  }

  /** Most requests first, equal ones by member id: scores are negative, because Redis sorts both upwards. */
  async top(day: string, guild: string, count: number): Promise<Read<readonly MemberRequests[]>> {
    const atLeastOne = { BY: 'SCORE', LIMIT: { offset: 0, count } } as const;
    const [ranked, batchNumber] = await this.#link.read((client) =>
      client
        .multi()
        .zRangeWithScores(this.#rankingKey(day, guild), '-inf', '(0', atLeastOne)
        .hGet(this.#sumsKey(day), this.#writer)
        .execTyped(),
    );
    const value = ranked.map(({ value: memberId, score }) => ({ memberId, requests: -score }));
    return { value, batchNumber: Number(batchNumber ?? 0) };
  }

  #sumsKey(day: string): string {
    return `${this.#prefix}:${day}`;
  }

  #rankingKey(day: string, guild: string): string {
    return `${this.#prefix}:${day}:${guild}`;
  }
}

function expiresAtS(day: string): number {
  return nextUtcMidnightMs(Date.parse(day) + KEPT_DAYS * DAY_MS) / 1000;
}
