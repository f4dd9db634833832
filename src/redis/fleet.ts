import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { LineSummary, Peers } from '../lookup/peers.ts';
import { RedisAway } from './redis-errors.ts';
import type { RedisLink } from './redis-link.ts';

/** A sign of life of this process, with what waits in its line; and everybody's, by Redis's clock. */
const BEAT = `
  local time = redis.call('TIME')
  local nowMs = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000))
  redis.call('HSET', KEYS[1], ARGV[1], nowMs .. ' ' .. ARGV[2])
  redis.call('PEXPIRE', KEYS[1], ARGV[3])
  return {nowMs, redis.call('HGETALL', KEYS[1])}
`;
const BEAT_EVERY_MS = 1_000;
/** A process that is only busy, or collecting garbage, is never quiet for so long. */
const DEAD_AFTER_MS = 4_000;
const FORGOTTEN_AFTER_MS = 60_000;

const rank = z.object({ member: z.number(), guild: z.number() });
const Line: z.ZodType<LineSummary> = z.object({
  waiting: z.array(
    z.object({
      lane: z.enum(['members', 'background']),
      rank,
      place: z.number(),
      payer: z
        .object({ memberId: z.string(), guildId: z.string().optional() })
        .transform(({ memberId, guildId }) => ({ memberId, guildId })),
    }),
  ),
  served: z.object({ members: rank, background: rank }),
});

const EMPTY_LINE: LineSummary = {
  waiting: [],
  served: { members: { member: 0, guild: 0 }, background: { member: 0, guild: 0 } },
};

/** One process as it was last heard of. */
interface Member {
  silentMs: number;
  line: string;
}

/** The processes that share one quota: who is alive, and what waits in whose line. */
export class Fleet implements Peers {
  /** This run of this process; a restart is another. */
  readonly id = randomUUID();
  readonly #link: RedisLink;
  readonly #key: string;
  readonly #beating: NodeJS.Timeout;
  readonly #onBeat: (() => void)[] = [];
  #own = EMPTY_LINE;
  #members = new Map<string, Member>();
  #listeningSinceMs = Number.POSITIVE_INFINITY;
  #aliveLast = 1;

  constructor(link: RedisLink, prefix: string) {
    this.#link = link;
    this.#key = `${prefix}:fleet`;
    this.#beating = setInterval(() => void this.#beat().catch(() => {}), BEAT_EVERY_MS).unref();
    link.onHealth((health) => {
      this.#listeningSinceMs = health === 'usable' ? Date.now() : Number.POSITIVE_INFINITY;
    });
  }

  /** Processes that were alive when Redis last answered, this one included. */
  get size(): number {
    return this.#aliveLast;
  }

  async exchange(own: LineSummary): Promise<readonly LineSummary[]> {
    this.#own = own;
    try {
      await this.#beat();
    } catch (error) {
      if (!(error instanceof RedisAway)) throw error;
      return []; // alone for now
    }
    const others = [...this.#members].filter(([id, member]) => id !== this.id && isAlive(member));
    return others.flatMap(([, { line }]) => readLine(line) ?? []);
  }

  /** Whether a process has ended, or died. Nobody is declared dead by one that itself has only just come back. */
  isGone(id: string): boolean {
    const member = this.#members.get(id);
    if (member === undefined) return Date.now() - this.#listeningSinceMs > BEAT_EVERY_MS;
    return !isAlive(member) && Date.now() - this.#listeningSinceMs > DEAD_AFTER_MS;
  }

  /** Called about once a second while Redis answers. */
  onBeat(listener: () => void): void {
    this.#onBeat.push(listener);
  }

  /** Says that this process ends, so that nobody has to find out. Never rejects. */
  async leave(): Promise<void> {
    clearInterval(this.#beating);
    await this.#link.run((client) => client.hDel(this.#key, this.id)).catch(() => {});
  }

  async #beat(): Promise<void> {
    const heard = await this.#link.run((client) =>
      client.eval(BEAT, {
        keys: [this.#key],
        arguments: [this.id, JSON.stringify(this.#own), String(FORGOTTEN_AFTER_MS)],
      }),
    );
    const [nowMs, pairs] = z.tuple([z.coerce.number(), z.array(z.string())]).parse(heard);
    this.#members = new Map(fields(pairs).map(([id, said]) => [id, readMember(said, nowMs)]));
    this.#aliveLast = [...this.#members.values()].filter(isAlive).length;
    const forgotten = [...this.#members].flatMap(([id, { silentMs }]) => (silentMs > FORGOTTEN_AFTER_MS ? [id] : []));
    if (forgotten.length > 0) await this.#link.run((client) => client.hDel(this.#key, forgotten));
    for (const listener of this.#onBeat) listener();
  }
}

function isAlive({ silentMs }: Member): boolean {
  return silentMs < DEAD_AFTER_MS;
}

function readMember(said: string, nowMs: number): Member {
  const space = said.indexOf(' ');
  return { silentMs: nowMs - Number(said.slice(0, space)), line: said.slice(space + 1) };
}

/** `undefined` for a line of another version: its process still counts as alive. */
function readLine(line: string): LineSummary | undefined {
  try {
    return Line.parse(JSON.parse(line));
  } catch {
    return undefined;
  }
}

function fields(pairs: readonly string[]): [string, string][] {
  return pairs.flatMap((field, index) => (index % 2 === 0 ? [[field, pairs[index + 1] ?? '']] : []));
}
