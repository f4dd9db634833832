import { type IdentifySlots, LocalIdentifySlots, SLOT_MS } from '../../discord/gateway/identify.ts';
import type { CardLock } from '../../lookup/lookup-requests.ts';
import type { ProcessesAlive } from './processes-alive.ts';
import type { RedisLink } from './redis-link.ts';
import { unlessUnavailable } from './redis-unavailable.ts';

/**
 * Gives ARGV[1] the lock for ARGV[2] ms if it is free or, with ARGV[3], if its owner has been silent for so many ms.
 * Returns 0, or in how many ms the lock of another ends.
 */
const ACQUIRE = `
  local owner = redis.call('GET', KEYS[1])
  local isFree = not owner
  if owner and owner ~= ARGV[1] and ARGV[3] then
    local time, heartbeat = redis.call('TIME'), redis.call('HGET', KEYS[2], owner)
    local nowMs = time[1] * 1000 + math.floor(time[2] / 1000)
    isFree = not heartbeat or nowMs - tonumber(string.match(heartbeat, '^%d+')) >= tonumber(ARGV[3])
  end
  if not isFree then return math.max(redis.call('PTTL', KEYS[1]), 1) end
  redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
  return 0
`;
const RELEASE = `if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end`;

/** Locks that one process owns at a time, and that it alone releases. Each ends by itself. No method rejects. */
export class RedisLocks {
  readonly #link: RedisLink;
  readonly #processesAlive: ProcessesAlive;
  readonly #prefix: string;

  constructor(link: RedisLink, processesAlive: ProcessesAlive, prefix: string) {
    this.#link = link;
    this.#processesAlive = processesAlive;
    this.#prefix = `${prefix}:lock`;
  }

  /**
   * @param endsWithOwner whether a lock whose owner is dead is free
   * @returns 0 for the new owner; otherwise milliseconds until it ends; `undefined` while Redis is unavailable
   */
  async acquire(name: string, ttlMs: number, { endsWithOwner = false } = {}): Promise<number | undefined> {
    const { hasSeenAll, deadAfterMs } = this.#processesAlive;
    const deadAfter = endsWithOwner && hasSeenAll ? [String(deadAfterMs)] : [];
    const waitMs = await this.#run(ACQUIRE, name, [String(ttlMs), ...deadAfter]);
    return waitMs === undefined ? undefined : Number(waitMs);
  }

  async release(name: string): Promise<void> {
    await this.#run(RELEASE, name, []); // without Redis it ends by itself
  }

  #run(script: string, name: string, args: string[]): Promise<unknown> {
    const keys = [`${this.#prefix}:${name}`, this.#processesAlive.key];
    const options = { keys, arguments: [this.#processesAlive.id, ...args] };
    return unlessUnavailable(this.#link.run((client) => client.eval(script, options)));
  }
}

/** While Redis is unavailable every process gets the lock. */
export class RedisCardLock implements CardLock {
  readonly isShared = true;
  readonly #locks: RedisLocks;
  readonly #account: string;
  readonly #ttlMs: number;

  /** @param ttlMs longer than a request takes: a lock is not renewed */
  constructor(locks: RedisLocks, account: string, ttlMs: number) {
    this.#locks = locks;
    this.#account = account;
    this.#ttlMs = ttlMs;
  }

  async acquire(cardId: string): Promise<boolean> {
    return !(await this.#locks.acquire(this.#name(cardId), this.#ttlMs, { endsWithOwner: true }));
  }

  release(cardId: string): Promise<void> {
    return this.#locks.release(this.#name(cardId));
  }

  #name(cardId: string): string {
    return `card:${this.#account}:${cardId}`;
  }
}

/** Slots that all processes of the bot share; while Redis is unavailable they are local. */
export class RedisIdentifySlots implements IdentifySlots {
  readonly #locks: RedisLocks;
  readonly #local = new LocalIdentifySlots();

  constructor(locks: RedisLocks) {
    this.#locks = locks;
  }

  async acquire(key: number): Promise<number> {
    return (await this.#locks.acquire(`identify:${key}`, SLOT_MS)) ?? this.#local.acquire(key);
  }
}
