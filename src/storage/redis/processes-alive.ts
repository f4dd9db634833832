import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { OtherQueues } from '../../lookup/fair-order.ts';
import type { RedisHealth, RedisLink } from './link.ts';
import { unlessUnavailable } from './unavailable.ts';

/**
 * In front of every script: Redis's clock, and whether a process is dead. KEYS[1]: what the script is about; KEYS[2]: the
 * heartbeats; ARGV[1]: this process; ARGV[2]: how long a dead process is silent, empty while none may be declared dead.
 */
const PRELUDE = `
  local self, deadAfterMs, time = ARGV[1], tonumber(ARGV[2]), redis.call('TIME')
  local nowMs = time[1] * 1000 + math.floor(time[2] / 1000)
  local function silentMs(heartbeat) return nowMs - tonumber(string.match(heartbeat, '^%d+') or 0) end
  local function isDead(process)
    if not deadAfterMs then return false end
    local heartbeat = redis.call('HGET', KEYS[2], process)
    return not heartbeat or silentMs(heartbeat) >= deadAfterMs
  end
`;
/** Writes a heartbeat with the length of the queue, and drops those of long ago; returns the lengths of all alive. */
const HEARTBEAT = `
  redis.call('HSET', KEYS[2], self, string.format('%.0f', nowMs) .. ' ' .. ARGV[3])
  redis.call('PEXPIRE', KEYS[2], 60000)
  local heartbeats, alive = redis.call('HGETALL', KEYS[2]), {}
  for i = 1, #heartbeats, 2 do
    if silentMs(heartbeats[i + 1]) < tonumber(ARGV[4]) then
      alive[#alive + 1] = {heartbeats[i], string.match(heartbeats[i + 1], '%d+$') or '0'}
    elseif silentMs(heartbeats[i + 1]) > 60000 then
      redis.call('HDEL', KEYS[2], heartbeats[i])
    end
  end
  return alive
`;
const Alive = z.array(z.tuple([z.string(), z.coerce.number()]));

/** `deadAfterMs`: a process that is only busy, or collecting garbage, is never silent that long. */
const TIMES = { everyMs: 1_000, deadAfterMs: 4_000 };

/** The processes that share one quota: which are alive, and how long their queues are. */
export class ProcessesAlive implements OtherQueues {
  /** Names this run of the process; a restart has another id. */
  readonly id = randomUUID();
  /** A hash: process id to its last heartbeat by Redis's clock, and the length of its queue. */
  readonly #key: string;
  readonly deadAfterMs: number;
  readonly #link: RedisLink;
  readonly #timer: NodeJS.Timeout;
  readonly #onHeartbeat: (() => void)[] = [];
  #queueLength = 0;
  /** The queue lengths of the processes that were alive when Redis last answered. */
  #alive = new Map<string, number>();
  #aliveSinceMs = Number.NaN;
  #lastBeatMs = Number.NEGATIVE_INFINITY;
  /** Processes to assume until all have been seen. */
  #expectedSize: number;
  #hasLeft = false;

  /** @param expectedSize processes to assume before any heartbeat was read */
  constructor(link: RedisLink, expectedSize = 1, times = TIMES) {
    this.#link = link;
    this.#expectedSize = expectedSize;
    this.#key = `${link.prefix}:processes`;
    this.deadAfterMs = times.deadAfterMs;
    this.#timer = setInterval(() => void this.#beat(), times.everyMs).unref();
    link.onHealth((health) => this.#reset(health));
    this.#reset(link.health);
  }

  /** Processes that were alive when Redis last answered, this one included. */
  get size(): number {
    return this.hasSeenAll ? this.#alive.size : Math.max(this.#alive.size, this.#expectedSize);
  }

  /** Whether this process may declare others dead: not when it has just reached Redis, which they may be about to do. */
  get hasSeenAll(): boolean {
    return performance.now() - this.aliveSinceMs > this.deadAfterMs;
  }

  /**
   * Since when the others have certainly counted this process as alive, by its monotonic clock; NaN, which equals nothing,
   * when they may have declared it dead.
   */
  get aliveSinceMs(): number {
    return this.#isWithinLease(performance.now()) ? this.#aliveSinceMs : Number.NaN;
  }

  tell(length: number): void {
    this.#queueLength = length;
  }

  lengths(): readonly number[] {
    if (this.#link.health === 'unavailable') return [];
    return [...this.#alive].flatMap(([id, length]) => (id === this.id ? [] : [length]));
  }

  /** Called after every answered heartbeat: about once a second. */
  onHeartbeat(listener: () => void): void {
    this.#onHeartbeat.push(listener);
  }

  /** Runs a script after `PRELUDE`; `name` is its key after the prefix, `args` are ARGV[3] and what follows. @throws RedisUnavailable */
  run(script: string, name: string, args: readonly string[]): Promise<unknown> {
    const keys = [`${this.#link.prefix}:${name}`, this.#key];
    const process = [this.id, this.hasSeenAll ? String(this.deadAfterMs) : ''];
    return this.#link.run((client) => client.eval(PRELUDE + script, { keys, arguments: [...process, ...args] }));
  }

  /** Drops what a script cannot read. */
  async drop(name: string): Promise<void> {
    const key = `${this.#link.prefix}:${name}`;
    this.#link.unreadable(key);
    await unlessUnavailable(this.#link.run((client) => client.del(key)));
  }

  /** Tells the others that this process ends, so that they need not wait until it counts as dead. Never rejects. */
  async leave(): Promise<void> {
    this.#hasLeft = true;
    clearInterval(this.#timer);
    await unlessUnavailable(this.#link.run((client) => client.hDel(this.#key, this.id)));
  }

  /** With a margin, since heartbeats take different times to arrive. */
  #isWithinLease(nowMs: number): boolean {
    return nowMs - this.#lastBeatMs < this.deadAfterMs * 0.75;
  }

  #reset(health: RedisHealth): void {
    this.#expectedSize = this.size;
    this.#lastBeatMs = Number.NEGATIVE_INFINITY;
    if (health === 'usable') void this.#beat(); // before other commands name this process to the others
  }

  async #beat(): Promise<void> {
    if (this.#hasLeft) return;
    const sentMs = performance.now();
    const args = [String(this.#queueLength), String(this.deadAfterMs)];
    const alive = await unlessUnavailable(this.run(HEARTBEAT, 'processes', args));
    if (alive === undefined) return;
    this.#alive = new Map(Alive.parse(alive));
    if (!this.#isWithinLease(sentMs)) this.#aliveSinceMs = sentMs;
    this.#lastBeatMs = sentMs;
    for (const listener of this.#onHeartbeat) listener();
  }
}
