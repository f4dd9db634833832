import { LRUCache } from 'lru-cache';
import type { Logger } from '../log.ts';
import { LOOK_EVERY_MS, type Processes } from '../model/store/processes.ts';
import { type Row, type Rows, readJson } from '../model/store/rows.ts';
import { type CardsReply, JournaledReply } from './ports.ts';

/** The parts, by interaction: the process that completes a reply, and the reply as JSON. */
const OWNERS = 'replies';
const TEXTS = 'replies:texts';
/** The owner of rows that are left to any process. */
const NOBODY = '-';
/** Longer than a reply can be completed, which is 15 minutes: the next process says that it came too late. */
const KEPT_MS = 16 * 60_000;
const KEEP = { keepMs: KEPT_MS };
/** More than the Business plan answers in this time. Memory for all of them is taken at the start. */
const MOST_ENDED = 10_000;

/** A reply that this process is to complete. */
interface Pending {
  reply: CardsReply;
  /** The `aliveSinceMs` in which it was added and last seen to be this process's; NaN when it is not. */
  addedIn: number;
  ownedIn: number;
  /** Whether the others may know of it. */
  isSent: boolean;
  /** The write that is under way, if one is: meanwhile the reply is not written a second time. */
  writing?: Promise<boolean | undefined> | undefined;
}

/**
 * The deferred replies of all processes, or of all runs of one. Each is completed by its owner, from memory; when the
 * owner is dead or has left it, another process takes it over, which alone reads the journal. What cannot be written
 * now is in memory alone, and written with one of the next looks: no method rejects, and a reply that cannot be
 * journaled is completed all the same.
 */
export class Journal {
  readonly #rows: Rows;
  readonly #processes: Processes;
  readonly #log: Logger;
  readonly #pending = new Map<string, Pending>();
  /** Replies to which nothing more is to come from here, and whether the others know. */
  readonly #ended = new LRUCache<string, { isTold: boolean }>({ max: MOST_ENDED, ttl: KEPT_MS });
  #takeOver: ((reply: CardsReply) => void) | undefined;
  #looking: Promise<void> | undefined;
  #again: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(rows: Rows, processes: Processes, log: Logger) {
    this.#rows = rows;
    this.#processes = processes;
    this.#log = log;
    processes.onLook(() => void this.#look());
  }

  /**
   * Journals a reply before it is deferred.
   *
   * @returns `false` when another process has journaled it and will complete it
   */
  async add(reply: CardsReply): Promise<boolean> {
    const pending = { reply, addedIn: NaN, ownedIn: NaN, isSent: false };
    this.#pending.set(reply.interactionId, pending);
    await this.#write(pending);
    pending.addedIn = pending.ownedIn;
    return this.#pending.has(reply.interactionId);
  }

  /** @returns whether the reply is journaled, if only now, so that another process will complete it */
  async keeps({ interactionId }: CardsReply): Promise<boolean> {
    const pending = this.#pending.get(interactionId);
    if (pending === undefined || pending.ownedIn === this.#processes.aliveSinceMs) return pending !== undefined;
    return (await this.#write(pending)) !== undefined;
  }

  /** Whether this process is certain to be the only one that has ever been to complete the reply. Costs nothing. */
  owns(interactionId: string): boolean {
    return this.#pending.get(interactionId)?.addedIn === this.#processes.aliveSinceMs || !this.#rows.isShared;
  }

  /**
   * Who completes the reply now, though others may have before: `unknown` while this process cannot ask whether another
   * has taken it over. Costs nothing.
   */
  ownerOf(interactionId: string): 'this' | 'another' | 'unknown' {
    const pending = this.#pending.get(interactionId);
    if (!this.#rows.isShared) return 'this';
    if (pending === undefined) return 'another';
    return !pending.isSent || pending.ownedIn === this.#processes.aliveSinceMs ? 'this' : 'unknown';
  }

  /** The reply is completed, or cannot be. */
  async remove(interactionId: string): Promise<void> {
    this.#pending.delete(interactionId);
    const ended = { isTold: true }; // by what follows
    this.#ended.set(interactionId, ended);
    await this.#tell(interactionId, ended);
  }

  /**
   * From now on `listener` is given each reply whose process has ended, oldest first, also one that is past its
   * deadline: what is there at once, and then with each look.
   *
   * @returns once those are given that are there now
   */
  takeOver(listener: (reply: CardsReply) => void): Promise<void> {
    this.#takeOver = listener;
    return this.#look();
  }

  /**
   * Leaves the remaining replies to other processes. What it cannot write is taken over, if it is stored, once the
   * others know that this process is gone.
   */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#looking;
    clearTimeout(this.#again);
    await this.#catchUp();
    if (!this.#rows.isShared) return;
    const left = [...this.#pending.values()].map(({ reply }) => this.#ownRow(reply.interactionId));
    await Promise.all(left.map((row) => this.#replace(row, { ...row, value: NOBODY })));
  }

  #look(): Promise<void> {
    this.#looking ??= this.#catchUp()
      .then((owners) => owners && this.#takeRows(owners))
      .finally(() => {
        this.#looking = undefined;
      });
    return this.#looking;
  }

  /**
   * Writes what the others do not know, and learns what they have taken over.
   *
   * @returns the owners, `undefined` when they cannot be read now
   */
  async #catchUp(): Promise<ReadonlyMap<string, string> | undefined> {
    const { aliveSinceMs } = this.#processes;
    const owners = await this.#rows.read(OWNERS);
    if (!owners) return undefined;
    for (const [id, ended] of this.#ended) if (!ended.isTold) await this.#tell(id, ended);
    for (const [id, pending] of this.#pending) {
      const owner = owners.get(id);
      if (owner === this.#processes.id) pending.ownedIn = aliveSinceMs;
      else if (owner !== undefined) this.#pending.delete(id);
      // One that was stored and is gone was deleted by an operator, who wants no trace of it.
      else if (pending.ownedIn !== aliveSinceMs) await this.#write(pending);
    }
    return owners;
  }

  async #takeRows(owners: ReadonlyMap<string, string>): Promise<void> {
    if (!this.#takeOver || this.#isClosed) return;
    const { aliveSinceMs } = this.#processes;
    const given = await Promise.all([...owners].map(async (row) => ((await this.#isGiven(...row)) ? row[0] : [])));
    const ids = given.flat();
    const texts = ids.length > 0 ? await readJson(this.#rows, JournaledReply, TEXTS, ids) : undefined;
    if (!texts) return; // what is this process's now is given with the next look
    for (const id of ids) if (!texts.has(id)) await this.remove(id); // it cannot be read
    const replies = [...texts.values()];
    for (const reply of replies)
      this.#pending.set(reply.interactionId, { reply, addedIn: NaN, ownedIn: aliveSinceMs, isSent: true });
    if (this.#isClosed) return; // they are left with all others
    if (replies.length > 0) this.#log.info({ count: replies.length }, 'deferred replies taken over');
    for (const reply of replies.sort((a, b) => a.receivedAtMs - b.receivedAtMs)) this.#takeOver(reply);
  }

  /** Whether a row is this process's, and news to it: it may have taken it over without learning of it. */
  async #isGiven(key: string, owner: string): Promise<boolean> {
    const { id: self } = this.#processes;
    if (owner === self) return !this.#pending.has(key) && !this.#ended.has(key);
    if (owner !== NOBODY && !this.#processes.isDead(owner)) return false;
    return (await this.#replace({ part: OWNERS, key, value: owner }, this.#ownRow(key))) === true;
  }

  /**
   * What another process has stored or taken over before is that one's, and dropped here.
   *
   * @returns `undefined` when nobody knows
   */
  #write(pending: Pending): Promise<boolean | undefined> {
    pending.writing ??= this.#writeOnce(pending).finally(() => {
      pending.writing = undefined;
    });
    return pending.writing;
  }

  async #writeOnce(pending: Pending): Promise<boolean | undefined> {
    const { reply } = pending;
    const { aliveSinceMs } = this.#processes;
    pending.isSent ||= this.#rows.isReachable;
    const own = this.#ownRow(reply.interactionId);
    const text = { part: TEXTS, key: own.key, value: JSON.stringify(reply) };
    const isNew = await this.#rows.write([own, text], { ...KEEP, ifStill: [{ ...own, value: undefined }] });
    if (isNew === undefined) return this.#lookAgain();
    const owner = isNew ? own.value : (await this.#rows.read(OWNERS, [own.key]))?.get(own.key);
    if (owner === undefined) return undefined;
    const isOwn = owner === own.value;
    if (isOwn) pending.ownedIn = aliveSinceMs;
    else this.#pending.delete(own.key);
    return isOwn;
  }

  #ownRow(key: string) {
    return { part: OWNERS, key, value: this.#processes.id };
  }

  #replace(before: Row, after: Row): Promise<boolean | undefined> {
    return this.#rows.write([after], { ...KEEP, ifStill: [before] });
  }

  /** A row that another process has taken over stays: its reply may show less again, and be left to a third. */
  async #tell(key: string, ended: { isTold: boolean }): Promise<void> {
    const gone = [OWNERS, TEXTS].map((part) => ({ part, key, value: undefined }));
    const isGone = await this.#rows.write(gone, { ...KEEP, ifStill: [this.#ownRow(key)] });
    ended.isTold = isGone !== undefined;
    if (!ended.isTold) this.#lookAgain();
  }

  /** Where there are no others, nobody looks unless something could not be written. */
  #lookAgain(): undefined {
    if (this.#rows.isShared || this.#isClosed) return;
    this.#again ??= setTimeout(() => {
      this.#again = undefined;
      void this.#look();
    }, LOOK_EVERY_MS).unref();
  }
}
