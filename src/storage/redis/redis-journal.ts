import { z } from 'zod';
import type { Logger } from '../../log.ts';
import { DeferredReply, type ReplyJournal } from '../../replies/deferred-reply.ts';
import type { ProcessesAlive } from './processes-alive.ts';
import type { RedisLink } from './redis-link.ts';
import { unlessUnavailable } from './redis-unavailable.ts';

/** Longer than a reply can be completed, which is 15 minutes. */
const KEPT_MS = 16 * 60_000;

/** Stores rows of (interaction id, reply) for the process ARGV[1], unless they are stored. Returns the owner of each. */
const ADD = `
  local owners = {}
  for i = 3, #ARGV, 2 do
    redis.call('HSETNX', KEYS[1], ARGV[i], ARGV[1] .. ' ' .. ARGV[i + 1])
    owners[#owners + 1] = string.match(redis.call('HGET', KEYS[1], ARGV[i]), '^%S*')
  end
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
  return owners
`;

/**
 * Gives ARGV[1] the rows of ARGV[2] and, if ARGV[3] is 1, those whose owner has been silent for ARGV[4] ms. Returns them
 * and, if ARGV[5] is 1, what ARGV[1] has already.
 */
const GIVE = `
  local time = redis.call('TIME')
  local nowMs = time[1] * 1000 + math.floor(time[2] / 1000)
  local isLeft = {[ARGV[1]] = false, [ARGV[2]] = true}
  local rows, given = redis.call('HGETALL', KEYS[1]), {}
  for i = 1, #rows, 2 do
    local owner = string.match(rows[i + 1], '^%S*')
    if isLeft[owner] == nil and ARGV[3] == '1' then
      local heartbeat = redis.call('HGET', KEYS[2], owner)
      isLeft[owner] = not heartbeat or nowMs - tonumber(string.match(heartbeat, '^%d+')) >= tonumber(ARGV[4])
    end
    local reply = string.sub(rows[i + 1], #owner + 2)
    if isLeft[owner] then redis.call('HSET', KEYS[1], rows[i], ARGV[1] .. ' ' .. reply) end
    if isLeft[owner] or (owner == ARGV[1] and ARGV[5] == '1') then
      given[#given + 1] = rows[i]
      given[#given + 1] = reply
    end
  end
  return given
`;
/** The owner of rows that were left to any process. */
const NOBODY = '-';

/** A reply that this process is to complete. */
interface Pending {
  reply: DeferredReply;
  /** The `aliveSinceMs` in which it was added and last written; NaN when it is not. */
  addedIn: number;
  writtenIn: number;
}

/**
 * The deferred replies of all processes, in one hash: interaction id to owner and reply. Each is completed by its owner,
 * from memory; when the owner is dead or has left it, another process takes it over. While Redis is unavailable they are
 * in memory only, and written when it is back.
 */
export class RedisJournal implements ReplyJournal {
  readonly #link: RedisLink;
  readonly #processesAlive: ProcessesAlive;
  readonly #key: string;
  readonly #log: Logger;
  readonly #pending = new Map<string, Pending>();
  /** Completed and maybe still stored, each with the time at which it is so no longer. */
  readonly #completed = new Map<string, number>();
  #takeOver: ((reply: DeferredReply) => void) | undefined;
  /** The `aliveSinceMs` in which this process last learned what it owns: an answer may have been lost before. */
  #learnedIn = Number.NaN;
  #round: Promise<void> | undefined;
  #isClosed = false;

  constructor(link: RedisLink, processesAlive: ProcessesAlive, prefix: string, log: Logger) {
    this.#link = link;
    this.#processesAlive = processesAlive;
    this.#key = `${prefix}:replies`;
    this.#log = log;
    processesAlive.onHeartbeat(() => {
      if (this.#isClosed) return;
      this.#round ??= unlessUnavailable(this.#catchUp().then(() => this.#takeRows())).finally(() => {
        this.#round = undefined;
      });
    });
  }

  async add(reply: DeferredReply): Promise<boolean> {
    const pending = { reply, addedIn: Number.NaN, writtenIn: Number.NaN };
    this.#pending.set(reply.interactionId, pending);
    const [owner] = (await unlessUnavailable(this.#write([pending]))) ?? [];
    pending.addedIn = pending.writtenIn;
    if (owner === undefined || owner === this.#processesAlive.id) return true;
    this.#pending.delete(reply.interactionId);
    return false;
  }

  async keeps(reply: DeferredReply): Promise<boolean> {
    const pending = this.#pending.get(reply.interactionId);
    if (pending === undefined || pending.writtenIn === this.#processesAlive.aliveSinceMs) return pending !== undefined;
    return (await unlessUnavailable(this.#write([pending]))) !== undefined;
  }

  owns(interactionId: string): boolean {
    return this.#pending.get(interactionId)?.addedIn === this.#processesAlive.aliveSinceMs;
  }

  async remove(interactionId: string): Promise<void> {
    this.#pending.delete(interactionId);
    this.#completed.set(interactionId, Date.now() + KEPT_MS);
    await unlessUnavailable(this.#removeStored([interactionId]));
    for (const [id, untilMs] of this.#completed) {
      if (untilMs > Date.now()) break; // in the order in which they end
      this.#completed.delete(id);
    }
  }

  takeOver(listener: (reply: DeferredReply) => void): void {
    this.#takeOver = listener;
  }

  /** What it cannot write is taken over, if it is stored, once the others know that this process is gone. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#round;
    await unlessUnavailable(this.#catchUp().then(() => this.#run(GIVE, [NOBODY, this.#processesAlive.id, '0'])));
  }

  /** Stores what is pending and removes what is completed, if Redis may not know of it. */
  async #catchUp(): Promise<void> {
    const since = this.#processesAlive.aliveSinceMs;
    await this.#removeStored([...this.#completed.keys()]);
    await this.#write([...this.#pending.values()].filter(({ writtenIn }) => writtenIn !== since));
  }

  async #takeRows(): Promise<void> {
    const { id, aliveSinceMs, hasSeenAll, deadAfterMs } = this.#processesAlive;
    if (this.#takeOver === undefined || this.#isClosed) return;
    const flag = (isSo: boolean) => (isSo ? '1' : '0');
    const isBehind = this.#learnedIn !== aliveSinceMs;
    const rows = await this.#run(GIVE, [id, NOBODY, flag(hasSeenAll), String(deadAfterMs), flag(isBehind)]);
    this.#learnedIn = aliveSinceMs;
    if (this.#isClosed) return; // they are left with all others
    const replies: DeferredReply[] = [];
    for (let index = 0; index < rows.length; index += 2) {
      const [interactionId = '', json = ''] = rows.slice(index, index + 2);
      if (this.#pending.has(interactionId) || this.#completed.has(interactionId)) continue;
      const reply = this.#read(json);
      if (reply) replies.push(reply);
      else void this.remove(interactionId);
    }
    for (const reply of replies) {
      this.#pending.set(reply.interactionId, { reply, addedIn: Number.NaN, writtenIn: aliveSinceMs });
    }
    if (replies.length > 0) this.#log.info({ count: replies.length }, 'deferred replies taken over');
    for (const reply of replies.sort((a, b) => a.receivedAtMs - b.receivedAtMs)) this.#takeOver(reply);
  }

  /** @returns their owners: this process, unless another has stored or taken over a reply before */
  async #write(pending: readonly Pending[]): Promise<string[]> {
    if (pending.length === 0) return [];
    const { id, aliveSinceMs } = this.#processesAlive;
    const rows = pending.flatMap(({ reply }) => [reply.interactionId, JSON.stringify(reply)]);
    const owners = await this.#run(ADD, [id, String(KEPT_MS), ...rows]);
    for (const each of pending) each.writtenIn = aliveSinceMs;
    return owners;
  }

  async #removeStored(interactionIds: string[]): Promise<void> {
    if (interactionIds.length === 0) return;
    await this.#link.run((client) => client.hDel(this.#key, interactionIds));
    for (const id of interactionIds) this.#completed.delete(id);
  }

  async #run(script: string, args: string[]): Promise<string[]> {
    const keys = [this.#key, this.#processesAlive.key];
    const answer = await this.#link.run((client) => client.eval(script, { keys, arguments: args }));
    return z.array(z.string()).parse(answer ?? []);
  }

  #read(json: string): DeferredReply | undefined {
    try {
      return DeferredReply.parse(JSON.parse(json));
    } catch (err) {
      this.#log.error({ err }, 'invalid deferred reply: it is dropped');
      return undefined;
    }
  }
}
