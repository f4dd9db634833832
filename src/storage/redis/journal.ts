import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import type { Logger } from '../../log.ts';
import { type CardsReply, parseJournaledReply, type ReplyJournal, type ReplyOwner } from '../../replies/reply-ports.ts';
import type { RedisLink } from './link.ts';
import type { ProcessesAlive } from './processes-alive.ts';
import { unlessUnavailable } from './unavailable.ts';

/** The name of the key, after the prefix. */
export const REPLIES = 'replies';
/** Longer than a reply can be completed, which is 15 minutes. */
export const REPLIES_KEPT_MS = 16 * 60_000;
/** More than the Business plan answers in this time. Memory for all of them is taken at the start. */
const MAX_COMPLETED = 10_000;

/** Stores rows (interaction id, reply) of this process, unless they are stored. Returns the owner of each. */
const ADD = `
  local owners = {}
  for i = 4, #ARGV, 2 do
    redis.call('HSETNX', KEYS[1], ARGV[i], self .. ' ' .. ARGV[i + 1])
    owners[#owners + 1] = string.match(redis.call('HGET', KEYS[1], ARGV[i]), '^%S*')
  end
  redis.call('PEXPIRE', KEYS[1], ARGV[3])
  return owners
`;
/** The beginning of a row that somebody has deleted, whoever owns it. */
const MARKED = '{"isDeleted":true,';
/**
 * Removes the rows ARGV[4], ARGV[5], … of this process, without those that are marked with ARGV[3], if that is given. A row
 * that another process has taken over stays: its reply may show less again, and be left to a third.
 */
const REMOVE = `
  for i = 4, #ARGV do
    local row = redis.call('HGET', KEYS[1], ARGV[i])
    local isOwn = row and string.match(row, '^%S*') == self
    local isKept = isOwn and ARGV[3] ~= '' and string.find(row, ' ' .. ARGV[3], 1, true)
    if isOwn and not isKept then redis.call('HDEL', KEYS[1], ARGV[i]) end
  end
`;
/** Marks the row ARGV[3] as deleted with ARGV[4], if there is one. */
const MARK = `
  local row = redis.call('HGET', KEYS[1], ARGV[3])
  if row then redis.call('HSET', KEYS[1], ARGV[3], (string.gsub(row, ' {', ' ' .. ARGV[4], 1))) end
`;
/**
 * Gives ARGV[3] the rows of ARGV[4] and of the dead. Returns them with those of ARGV[3] that are marked with ARGV[6] or, if
 * ARGV[5] is 1, all that ARGV[3] has already.
 */
const GIVE = `
  local isGiven = {[ARGV[3]] = false, [ARGV[4]] = true}
  local rows, told = redis.call('HGETALL', KEYS[1]), {}
  for i = 1, #rows, 2 do
    local owner = string.match(rows[i + 1], '^%S*')
    if isGiven[owner] == nil then isGiven[owner] = isDead(owner) end
    local reply = string.sub(rows[i + 1], #owner + 2)
    local isMarked = string.sub(reply, 1, #ARGV[6]) == ARGV[6]
    if isGiven[owner] or (owner == ARGV[3] and (ARGV[5] == '1' or isMarked)) then
      redis.call('HSET', KEYS[1], rows[i], ARGV[3] .. ' ' .. reply)
      told[#told + 1] = {rows[i], reply}
    end
  end
  return told
`;
const Told = z.array(z.tuple([z.string(), z.string()]));
/** The owner of rows that are left to any process. */
export const NOBODY = '-';

/** A reply that may still be stored: the mark by which its row stays all the same, and whether Redis is being told. */
interface Completed {
  unless: '' | typeof MARKED;
  isUnderWay: boolean;
}

/** A reply that this process is to complete. */
interface Pending {
  reply: CardsReply;
  /** The `aliveSinceMs` in which it was added and last written; NaN when it is not. */
  addedIn: number;
  writtenIn: number;
  /** Whether Redis may have it. */
  isSent: boolean;
  /** Whether Redis is being told: a heartbeat tells it no second time. */
  isUnderWay: boolean;
}

/**
 * The deferred replies of all processes, in one hash: interaction id to owner and reply. Each is completed by its owner,
 * from memory; when the owner is dead or has left it, another process takes it over. While Redis is unavailable they are
 * in memory only, and written when it is back.
 */
export class RedisJournal implements ReplyJournal {
  readonly #link: RedisLink;
  readonly #processesAlive: ProcessesAlive;
  readonly #log: Logger;
  readonly #pending = new Map<string, Pending>();
  readonly #completed = new LRUCache<string, Completed>({ max: MAX_COMPLETED, ttl: REPLIES_KEPT_MS });
  #takeOver: ((reply: CardsReply) => void) | undefined;
  /** The `aliveSinceMs` in which this process last learned what it owns: an answer may have been lost before. */
  #learnedIn = Number.NaN;
  #round: Promise<void> | undefined;
  #isClosed = false;

  constructor(link: RedisLink, processesAlive: ProcessesAlive, log: Logger) {
    this.#link = link;
    this.#processesAlive = processesAlive;
    this.#log = log;
    processesAlive.onHeartbeat(() => {
      if (this.#isClosed) return;
      this.#round ??= unlessUnavailable(this.#catchUp().then(() => this.#takeRows())).finally(() => {
        this.#round = undefined;
      });
    });
  }

  async add(reply: CardsReply): Promise<boolean> {
    const pending = { reply, addedIn: Number.NaN, writtenIn: Number.NaN, isSent: false, isUnderWay: false };
    this.#pending.set(reply.interactionId, pending);
    await unlessUnavailable(this.#write([pending]));
    pending.addedIn = pending.writtenIn;
    return this.#pending.has(reply.interactionId);
  }

  async keeps(reply: CardsReply): Promise<boolean> {
    const pending = this.#pending.get(reply.interactionId);
    if (pending === undefined || pending.writtenIn === this.#processesAlive.aliveSinceMs) return pending !== undefined;
    return (await unlessUnavailable(this.#write([pending]))) !== undefined;
  }

  /** Its owner learns of it with the next heartbeat. */
  async markDeleted(interactionId: string): Promise<boolean> {
    const pending = this.#pending.get(interactionId);
    if (pending) pending.reply = { isDeleted: true, ...pending.reply };
    const isMarked = await unlessUnavailable(this.#run(MARK, [interactionId, MARKED]).then(() => true));
    if (pending && !isMarked) pending.writtenIn = Number.NaN;
    return pending !== undefined;
  }

  owns(interactionId: string): boolean {
    return this.#pending.get(interactionId)?.addedIn === this.#processesAlive.aliveSinceMs;
  }

  ownerOf(interactionId: string): ReplyOwner {
    const pending = this.#pending.get(interactionId);
    if (pending === undefined) return 'another';
    return !pending.isSent || pending.writtenIn === this.#processesAlive.aliveSinceMs ? 'this' : 'unknown';
  }

  async ended(interactionId: string): Promise<void> {
    if (!this.#pending.get(interactionId)?.reply.isDeleted) await this.#remove(interactionId, MARKED);
  }

  async remove(interactionId: string): Promise<void> {
    await this.#remove(interactionId, '');
  }

  takeOver(listener: (reply: CardsReply) => void): void {
    this.#takeOver = listener;
  }

  /** Leaves the remaining replies to other processes. What it cannot write is taken over, if it is stored, once the others know that this process is gone. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#round;
    await unlessUnavailable(
      this.#catchUp().then(() => this.#run(GIVE, [NOBODY, this.#processesAlive.id, '0', MARKED])),
    );
  }

  /** Stores what is pending and removes what is completed, if Redis may not know of it. */
  async #catchUp(): Promise<void> {
    const since = this.#processesAlive.aliveSinceMs;
    for (const unless of ['', MARKED] as const) {
      const untold = [...this.#completed].filter(([, reply]) => reply.unless === unless && !reply.isUnderWay);
      await this.#removeStored(
        unless,
        untold.map(([id]) => id),
      );
    }
    const unwritten = [...this.#pending.values()].filter((reply) => reply.writtenIn !== since && !reply.isUnderWay);
    await this.#write(unwritten);
    for (const { reply } of unwritten) if (reply.isDeleted) await this.#run(MARK, [reply.interactionId, MARKED]);
  }

  async #takeRows(): Promise<void> {
    if (this.#takeOver === undefined || this.#isClosed) return;
    const { id, aliveSinceMs } = this.#processesAlive;
    const isAllTold = this.#learnedIn === aliveSinceMs ? '0' : '1';
    const rows = Told.parse(await this.#run(GIVE, [id, NOBODY, isAllTold, MARKED]));
    this.#learnedIn = aliveSinceMs;
    if (this.#isClosed) return; // they are left with all others
    const replies: CardsReply[] = [];
    for (const [interactionId, json] of rows) {
      const known = this.#pending.get(interactionId)?.reply;
      const isNews = known === undefined || (json.startsWith(MARKED) && !known.isDeleted);
      if (!isNews || this.#completed.has(interactionId)) continue;
      try {
        replies.push(parseJournaledReply(JSON.parse(json)));
      } catch (err) {
        this.#log.error({ err }, 'invalid deferred reply: it is dropped');
        void this.remove(interactionId);
      }
    }
    for (const reply of replies) {
      const pending = { reply, addedIn: Number.NaN, writtenIn: aliveSinceMs, isSent: true, isUnderWay: false };
      this.#pending.set(reply.interactionId, pending);
    }
    if (replies.length > 0) this.#log.info({ count: replies.length }, 'deferred replies taken over');
    for (const reply of replies.sort((a, b) => a.receivedAtMs - b.receivedAtMs)) this.#takeOver(reply);
  }

  /** What another process has stored or taken over before is that one's, and dropped here. */
  async #write(pending: readonly Pending[]): Promise<true> {
    if (pending.length === 0) return true;
    const { id, aliveSinceMs } = this.#processesAlive;
    for (const each of pending) {
      each.isSent ||= this.#link.health === 'usable';
      each.isUnderWay = true;
    }
    const rows = pending.flatMap(({ reply }) => [reply.interactionId, JSON.stringify(reply)]);
    const told = await this.#run(ADD, [String(REPLIES_KEPT_MS), ...rows]).finally(() => {
      for (const each of pending) each.isUnderWay = false;
    });
    const owners = z.array(z.string()).parse(told);
    for (const [at, each] of pending.entries()) {
      each.writtenIn = aliveSinceMs;
      if (owners[at] !== id) this.#pending.delete(each.reply.interactionId);
    }
    return true;
  }

  async #remove(interactionId: string, unless: '' | typeof MARKED): Promise<void> {
    this.#pending.delete(interactionId);
    const completed = { unless, isUnderWay: true };
    this.#completed.set(interactionId, completed);
    try {
      await unlessUnavailable(this.#removeStored(unless, [interactionId]));
    } finally {
      completed.isUnderWay = false;
    }
  }

  async #removeStored(unless: '' | typeof MARKED, interactionIds: string[]): Promise<void> {
    if (interactionIds.length === 0) return;
    await this.#run(REMOVE, [unless, ...interactionIds]);
    for (const id of interactionIds) this.#completed.delete(id);
  }

  #run(script: string, args: readonly string[]): Promise<unknown> {
    return this.#processesAlive.run(script, REPLIES, args);
  }
}
