import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { QueueExchange, QueueSummary } from '../../lookup/fair-order.ts';
import { EMPTY_QUEUE, readQueueSummary } from './queue-summary-json.ts';
import type { RedisHealth, RedisLink } from './redis-link.ts';
import { unlessUnavailable } from './redis-unavailable.ts';

/**
 * Writes a heartbeat of this process, with its age in ms and its queue summary; returns Redis's clock and the heartbeats of
 * all processes.
 */
const HEARTBEAT = `
  local time = redis.call('TIME')
  local nowMs = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000))
  redis.call('HSET', KEYS[1], ARGV[1], string.format('%.0f', nowMs - ARGV[2]) .. ' ' .. ARGV[3])
  redis.call('PEXPIRE', KEYS[1], ARGV[4])
  return {nowMs, redis.call('HGETALL', KEYS[1])}
`;
const FORGOTTEN_AFTER_MS = 60_000;

/** The same for all processes over one Redis. */
export interface HeartbeatTimes {
  everyMs: number;
  deadAfterMs: number;
}

/** A process that is only busy, or collecting garbage, is never silent for 4 s. */
const TIMES: HeartbeatTimes = { everyMs: 1_000, deadAfterMs: 4_000 };

/** The last heartbeat of a process. */
interface Heartbeat {
  ageMs: number;
  queueSummary: string;
}

/** The processes that share one quota: which are alive, and the summaries of their queues. */
export class ProcessesAlive implements QueueExchange {
  /** Of this run of this process; a restart has another. */
  readonly id = randomUUID();
  readonly #link: RedisLink;
  readonly #key: string;
  readonly #deadAfterMs: number;
  /** After this many answered heartbeats every process that is alive has been seen. */
  readonly #heartbeatsToSeeAll: number;
  readonly #timer: NodeJS.Timeout;
  readonly #onHeartbeat: (() => void)[] = [];
  #queueSummary = EMPTY_QUEUE;
  #ageMs = 0;
  #heartbeats = new Map<string, Heartbeat>();
  /** Heartbeats of this process that Redis has answered since it was last unavailable. */
  #answered = 0;
  /** Ids that `isGone` was called with and that were never seen, with `#answered` at that time: they may be too new. */
  #unseen = new Map<string, number>();
  /** Processes to assume until all have been seen. */
  #expectedSize: number;

  /** @param expectedSize processes to assume before any heartbeat was read */
  constructor(link: RedisLink, prefix: string, expectedSize = 1, times = TIMES) {
    this.#link = link;
    this.#expectedSize = expectedSize;
    this.#key = `${prefix}:fleet`;
    this.#deadAfterMs = times.deadAfterMs;
    this.#heartbeatsToSeeAll = times.deadAfterMs / times.everyMs;
    this.#timer = setInterval(() => void this.#beat().catch(() => {}), times.everyMs).unref();
    link.onHealth((health) => this.#reset(health));
    this.#reset(link.health);
  }

  /** Processes that were alive when Redis last answered, this one included. */
  get size(): number {
    const alive = [...this.#heartbeats.values()].filter((heartbeat) => this.#isAlive(heartbeat)).length;
    return this.#hasSeenAll() ? alive : Math.max(alive, this.#expectedSize);
  }

  async exchange(own: QueueSummary): Promise<readonly QueueSummary[]> {
    this.#queueSummary = own;
    const hasRead = await unlessUnavailable(this.#writeAndRead().then(() => true));
    if (!hasRead) return [];
    const others = [...this.#heartbeats].filter(([id, heartbeat]) => id !== this.id && this.#isAlive(heartbeat));
    return others.flatMap(([, { queueSummary }]) => readQueueSummary(queueSummary) ?? []);
  }

  /** Whether a process has ended or died. A process that has just reached Redis again declares no other dead. */
  isGone(id: string): boolean {
    const heartbeat = this.#heartbeats.get(id);
    if (heartbeat !== undefined) return this.#hasSeenAll() && !this.#isAlive(heartbeat);
    const unseenSince = this.#unseen.get(id) ?? this.#answered;
    this.#unseen.set(id, unseenSince);
    return this.#answered - unseenSince > this.#heartbeatsToSeeAll;
  }

  /** Called after every answered heartbeat: about once a second. */
  onHeartbeat(listener: () => void): void {
    this.#onHeartbeat.push(listener);
  }

  /** Tells the others that this process ends, so that they need not wait until it counts as dead. Never rejects. */
  async leave(): Promise<void> {
    clearInterval(this.#timer);
    this.#ageMs = this.#deadAfterMs;
    await this.#writeAndRead().catch(() => {});
  }

  #reset(health: RedisHealth): void {
    this.#expectedSize = this.size;
    this.#answered = 0;
    this.#unseen.clear();
    if (health === 'usable') void this.#beat().catch(() => {}); // before other commands name this process to the others
  }

  #isAlive({ ageMs }: Heartbeat): boolean {
    return ageMs < this.#deadAfterMs;
  }

  #hasSeenAll(): boolean {
    return this.#answered > this.#heartbeatsToSeeAll;
  }

  async #beat(): Promise<void> {
    await this.#writeAndRead();
    this.#answered += 1;
    for (const listener of this.#onHeartbeat) listener();
  }

  async #writeAndRead(): Promise<void> {
    const answer = await this.#link.run((client) =>
      client.eval(HEARTBEAT, {
        keys: [this.#key],
        arguments: [this.id, String(this.#ageMs), JSON.stringify(this.#queueSummary), String(FORGOTTEN_AFTER_MS)],
      }),
    );
    const [nowMs, pairs] = z.tuple([z.coerce.number(), z.array(z.string())]).parse(answer);
    this.#heartbeats = new Map(fields(pairs).map(([id, value]) => [id, readHeartbeat(value, nowMs)]));
    const forgotten = [...this.#heartbeats].flatMap(([id, { ageMs }]) => (ageMs > FORGOTTEN_AFTER_MS ? [id] : []));
    if (forgotten.length > 0) await this.#link.run((client) => client.hDel(this.#key, forgotten));
  }
}

function readHeartbeat(value: string, nowMs: number): Heartbeat {
  const space = value.indexOf(' ');
  return { ageMs: nowMs - Number(value.slice(0, space)), queueSummary: value.slice(space + 1) };
}

function fields(pairs: readonly string[]): [string, string][] {
  return pairs.flatMap((field, index) => (index % 2 === 0 ? [[field, pairs[index + 1] ?? '']] : []));
}
