import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { QueueExchange, QueueSummary } from '../../lookup/fair-order.ts';
import { EMPTY_QUEUE, readQueueSummary } from './queue-summary-json.ts';
import type { RedisHealth, RedisLink } from './redis-link.ts';
import { RedisUnavailable } from './redis-unavailable.ts';

/** A sign of life of this process, so many ms old, with what waits in its line; and everybody's, by Redis's clock. */
const BEAT = `
  local time = redis.call('TIME')
  local nowMs = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000))
  redis.call('HSET', KEYS[1], ARGV[1], string.format('%.0f', nowMs - ARGV[2]) .. ' ' .. ARGV[3])
  redis.call('PEXPIRE', KEYS[1], ARGV[4])
  return {nowMs, redis.call('HGETALL', KEYS[1])}
`;
const FORGOTTEN_AFTER_MS = 60_000;

/** The same for all processes of a fleet. */
export interface ProcessesAliveTimes {
  beatEveryMs: number;
  deadAfterMs: number;
}

/** A process that is only busy, or collecting garbage, is never quiet for 4 s. */
const TIMES: ProcessesAliveTimes = { beatEveryMs: 1_000, deadAfterMs: 4_000 };

/** One process as it was last heard of. */
interface Member {
  silentMs: number;
  line: string;
}

/** The processes that share one quota: who is alive, and what waits in whose line. */
export class ProcessesAlive implements QueueExchange {
  /** This run of this process; a restart is another. */
  readonly id = randomUUID();
  readonly #link: RedisLink;
  readonly #key: string;
  readonly #deadAfterMs: number;
  /** All that are alive have been heard of once Redis has answered so many. */
  readonly #beatsToHearAll: number;
  readonly #beating: NodeJS.Timeout;
  readonly #onBeat: (() => void)[] = [];
  #own = EMPTY_QUEUE;
  #ownAgeMs = 0;
  #members = new Map<string, Member>();
  /** Beats that Redis has answered since it was last away. */
  #beats = 0;
  /** Asked about, but not heard of: since which beat. It may be too new. */
  #strangers = new Map<string, number>();
  /** Processes to be reckoned with until all have been heard of. */
  #expectedSize: number;

  /** @param expectedSize processes to be reckoned with before any was heard of */
  constructor(link: RedisLink, prefix: string, expectedSize = 1, times = TIMES) {
    this.#link = link;
    this.#expectedSize = expectedSize;
    this.#key = `${prefix}:fleet`;
    this.#deadAfterMs = times.deadAfterMs;
    this.#beatsToHearAll = times.deadAfterMs / times.beatEveryMs;
    this.#beating = setInterval(() => void this.#beat().catch(() => {}), times.beatEveryMs).unref();
    link.onHealth((health) => this.#hear(health));
    this.#hear(link.health);
  }

  /** Processes that were alive when Redis last answered, this one included. */
  get size(): number {
    const alive = [...this.#members.values()].filter((member) => this.#isAlive(member)).length;
    return this.#hasHeardAll() ? alive : Math.max(alive, this.#expectedSize);
  }

  async exchange(own: QueueSummary): Promise<readonly QueueSummary[]> {
    this.#own = own;
    try {
      await this.#sayAndHear();
    } catch (error) {
      if (!(error instanceof RedisUnavailable)) throw error;
      return []; // alone for now
    }
    const others = [...this.#members].filter(([id, member]) => id !== this.id && this.#isAlive(member));
    return others.flatMap(([, { line }]) => readQueueSummary(line) ?? []);
  }

  /** Whether a process has ended, or died. Nobody is declared dead by one that itself has only just come back. */
  isGone(id: string): boolean {
    const member = this.#members.get(id);
    if (member !== undefined) return this.#hasHeardAll() && !this.#isAlive(member);
    const unknownSince = this.#strangers.get(id) ?? this.#beats;
    this.#strangers.set(id, unknownSince);
    return this.#beats - unknownSince > this.#beatsToHearAll;
  }

  /** Called after every beat while Redis answers: about once a second. */
  onBeat(listener: () => void): void {
    this.#onBeat.push(listener);
  }

  /** Says that this process ends, so that nobody has to find out. Never rejects. */
  async leave(): Promise<void> {
    clearInterval(this.#beating);
    this.#ownAgeMs = this.#deadAfterMs;
    await this.#sayAndHear().catch(() => {});
  }

  #hear(health: RedisHealth): void {
    this.#expectedSize = this.size;
    this.#beats = 0;
    this.#strangers.clear();
    if (health === 'usable') void this.#beat().catch(() => {}); // before anything that others could ask about
  }

  #isAlive({ silentMs }: Member): boolean {
    return silentMs < this.#deadAfterMs;
  }

  #hasHeardAll(): boolean {
    return this.#beats > this.#beatsToHearAll;
  }

  async #beat(): Promise<void> {
    await this.#sayAndHear();
    this.#beats += 1;
    for (const listener of this.#onBeat) listener();
  }

  async #sayAndHear(): Promise<void> {
    const heard = await this.#link.run((client) =>
      client.eval(BEAT, {
        keys: [this.#key],
        arguments: [this.id, String(this.#ownAgeMs), JSON.stringify(this.#own), String(FORGOTTEN_AFTER_MS)],
      }),
    );
    const [nowMs, pairs] = z.tuple([z.coerce.number(), z.array(z.string())]).parse(heard);
    this.#members = new Map(fields(pairs).map(([id, said]) => [id, readMember(said, nowMs)]));
    const forgotten = [...this.#members].flatMap(([id, { silentMs }]) => (silentMs > FORGOTTEN_AFTER_MS ? [id] : []));
    if (forgotten.length > 0) await this.#link.run((client) => client.hDel(this.#key, forgotten));
  }
}

function readMember(said: string, nowMs: number): Member {
  const space = said.indexOf(' ');
  return { silentMs: nowMs - Number(said.slice(0, space)), line: said.slice(space + 1) };
}

function fields(pairs: readonly string[]): [string, string][] {
  return pairs.flatMap((field, index) => (index % 2 === 0 ? [[field, pairs[index + 1] ?? '']] : []));
}
