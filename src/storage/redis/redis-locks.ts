import { type IdentifySlots, LocalIdentifySlots, SLOT_MS } from '../../discord/gateway/identify.ts';
import type { CardLock } from '../../lookup/card-lock.ts';
import type { ProcessesAlive } from './processes-alive.ts';
import { unlessUnavailable } from './redis-unavailable.ts';

/**
 * Gives this process the lock for ARGV[3] ms if it is free or, if ARGV[4] is 1, its owner is dead. Returns 0, or in how many
 * ms the lock of another ends.
 */
const ACQUIRE = `
  local owner = redis.call('GET', KEYS[1])
  local isFree = not owner or (ARGV[4] == '1' and owner ~= self and isDead(owner))
  if not isFree then return math.max(redis.call('PTTL', KEYS[1]), 1) end
  redis.call('SET', KEYS[1], self, 'PX', ARGV[3])
  return 0
`;
const RELEASE = `if redis.call('GET', KEYS[1]) == self then redis.call('DEL', KEYS[1]) end`;

/** Locks that one process owns at a time, and that it alone releases. Each ends by itself. No method rejects. */
export class RedisLocks {
  readonly #processesAlive: ProcessesAlive;
  readonly #prefix: string;

  constructor(processesAlive: ProcessesAlive, prefix: string) {
    this.#processesAlive = processesAlive;
    this.#prefix = `${prefix}:lock`;
  }

  /**
   * @param endsWithOwner whether a lock whose owner is dead is free
   * @returns 0 for the new owner; otherwise milliseconds until it ends; `undefined` while Redis is unavailable
   */
  async acquire(name: string, ttlMs: number, { endsWithOwner = false } = {}): Promise<number | undefined> {
    const waitMs = await this.#run(ACQUIRE, name, [String(ttlMs), endsWithOwner ? '1' : '0']);
    return waitMs === undefined ? undefined : Number(waitMs);
  }

  async release(name: string): Promise<void> {
    await this.#run(RELEASE, name, []); // without Redis it ends by itself
  }

  #run(script: string, name: string, args: string[]): Promise<unknown> {
    return unlessUnavailable(this.#processesAlive.run(script, `${this.#prefix}:${name}`, args));
  }
}

/**
 * While Redis is unavailable every process gets the lock.
 *
 * @param ttlMs longer than a request takes: a lock is not renewed
 */
export function redisCardLock(locks: RedisLocks, account: string, ttlMs: number): CardLock {
  const name = (cardId: string) => `card:${account}:${cardId}`;
  return {
    isShared: true,
    acquire: async (cardId) => !(await locks.acquire(name(cardId), ttlMs, { endsWithOwner: true })),
    release: (cardId) => locks.release(name(cardId)),
  };
}

/** Slots that all processes of the bot share; while Redis is unavailable they are local. */
export function redisIdentifySlots(locks: RedisLocks): IdentifySlots {
  const local = new LocalIdentifySlots();
  return { acquire: async (key) => (await locks.acquire(`identify:${key}`, SLOT_MS)) ?? local.acquire(key) };
}
