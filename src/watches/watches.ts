import { setImmediate as nextLoopIteration } from 'node:timers/promises';
import type { EventsByName } from '../model/events.ts';
import { type Row, type Rows, readJson, update } from '../model/rows.ts';
import { storedJson } from '../model/stored-json.ts';
import { DAY_MS, utcDay } from '../time/utc-day.ts';
import {
  type AsShown,
  type Crossing,
  newWatch,
  Watch,
  type WatchCrossing,
  type Wish,
  watchId,
  withPrice,
} from './watch.ts';

/** Those of a member, or of a card. */
type WatchesOf = { member: string } | { card: string };

/** How many a member may have: a message lists no more. */
export const MOST_WATCHES = 25;
/** After it was set a watch ends. */
const KEPT_MS = 365 * DAY_MS;
const KEEP = { keepMs: KEPT_MS };

/**
 * The parts: JSON by id; the cards that anybody may watch; and, of watches with an untold crossing, how it is told and
 * to whom.
 */
const WATCHES = 'watches';
const CARDS = 'watches:cards';
const UNTOLD = 'watches:untold';
/** The card of each watch of a member, and the member of each watch of a card, by id. */
const ofMember = (memberId: string) => `watches:member:${memberId}`;
const ofCard = (cardId: string) => `watches:card:${cardId}`;
const StoredWatch = storedJson(Watch);

/** What is watched for members: rows, and what they are found by. No method rejects, and none costs a request. */
export class Watches {
  readonly #rows: Rows;
  readonly #asShown: AsShown;
  readonly #service: string | undefined;
  #crossed: (watch: Watch) => void = () => {};
  /** All cards that are watched, as of the last `renew`; one too many costs a read. */
  cards = new Set<string>();
  /** Members with an untold crossing as of then, and whether any is to be told by message. */
  toTell = new Map<string, Crossing['tellBy']>();
  /** Prices by card from since the last `renew`, which learns what others watch. */
  readonly unchecked = new Map<string, EventsByName['priced']>();
  #sweptDay = '';

  /** @param service whose cards are watched: watches of another rest until it is back, or their year is over */
  constructor(rows: Rows, asShown: AsShown = (price) => price, service?: string) {
    this.#rows = rows;
    this.#asShown = asShown;
    this.#service = service;
  }

  /**
   * Those of this service by the time when they were set, all unless it says whose; whichever are older than a year
   * end.
   *
   * @returns `undefined` when they cannot be read now
   */
  async find(of?: WatchesOf): Promise<Watch[] | undefined> {
    const found = await this.#read(of);
    for (const { id } of found?.filter(hasEnded) ?? []) await this.#end(id, hasEnded);
    return found?.filter((watch) => this.#isShown(watch)).sort((a, b) => a.setAtMs - b.setAtMs);
  }

  /** What of a member is untold, and has to be looked for only while they are in `toTell`. */
  async untoldOf(member: string): Promise<WatchCrossing[]> {
    const found = await this.find({ member });
    const untold = found?.flatMap((watch) => (watch.untold ? [{ watch, crossing: watch.untold }] : []));
    if (untold?.length === 0) this.toTell.delete(member); // a crossing that is stored meanwhile is in the next `renew`
    return untold ?? [];
  }

  /**
   * Begins a watch, or replaces the lines of the member's watch of that card.
   *
   * @param price the last one that is known
   * @returns `tooMany`: the member has as many as there may be; `notKept`: it cannot be stored now
   */
  async set(
    given: Wish,
    price: number | undefined,
  ): Promise<{ watch: Watch; isReplaced: boolean } | 'tooMany' | 'notKept'> {
    const wish = { ...given, service: this.#service };
    await this.#makeRoom(wish.memberId);
    const changed = await this.#update(watchId(wish), (before) => {
      return newWatch(wish, price, Date.now(), this.#asShown, before);
    });
    if (!changed) return 'notKept';
    return changed.after ? { watch: changed.after, isReplaced: changed.before !== undefined } : 'tooMany';
  }

  /**
   * A watch that has ended stays so.
   *
   * @param change may be called again, with what is stored by then; the same object changes nothing
   * @returns what it was and what it is, or `undefined` for each where there is none; `undefined` when it cannot be
   *   stored now
   */
  change(id: string, change: (before: Watch) => Watch | undefined) {
    return this.#update(id, (before) => before && change(before));
  }

  /** @returns whether the member has no such watch now */
  stop(memberId: string, id: string): Promise<boolean> {
    return this.#end(id, (stored) => stored.memberId === memberId);
  }

  /** Ends all watches of a member. @returns whether none is left */
  async forget(memberId: string): Promise<boolean> {
    const all = await this.#read({ member: memberId });
    const ended = await Promise.all((all ?? []).map(({ id }) => this.#end(id, () => true)));
    return all !== undefined && ended.every(Boolean);
  }

  /** Told of a watch right after a crossing of it was stored. */
  onCrossing(listener: (watch: Watch) => void): void {
    this.#crossed = listener;
  }

  /** An answer has brought a price of a card that may be watched. Costs one indexed read. */
  async priced({ cardId, market, atMs, ...row }: EventsByName['priced']): Promise<void> {
    const asShown = (price: number) => this.#asShown(price, row.currency);
    const found = await this.find({ card: cardId });
    this.unchecked.delete(cardId); // it came before
    if (found?.length === 0) await this.#unwatched(cardId);
    for (const watch of found ?? []) {
      const changed = (current: Watch) => withPrice(current, market, atMs, asShown, row);
      if (changed(watch) === watch) continue;
      await nextLoopIteration(); // files answer without letting others run
      const { before, after } = (await this.change(watch.id, changed)) ?? {};
      if (after?.untold && after.untold.atMs !== before?.untold?.atMs) this.#crossed(after);
    }
  }

  /** Learns what others watch, and checks the prices that came meanwhile. Costs two reads. */
  async renew(): Promise<void> {
    const [cards, untold] = await Promise.all([this.#rows.read(CARDS), this.#rows.read(UNTOLD)]);
    if (!cards || !untold) return;
    this.cards = new Set(cards.keys()); // what was noted since it was read is in the next
    this.toTell = new Map();
    for (const text of [...untold.values()].sort()) this.#noteToTell(text); // of two ways, a message
    for (const [cardId, event] of this.unchecked) {
      if (this.cards.has(cardId)) await this.priced(event);
      else this.unchecked.delete(cardId);
    }
    const today = utcDay(Date.now());
    if (today === this.#sweptDay) return;
    this.#sweptDay = today;
    await this.find(); // ends those whose year is over: nobody may ask for a card that is watched
  }

  #noteToTell(text: string): void {
    const [tellBy, memberId = ''] = text.split(' ');
    this.toTell.set(memberId, tellBy === 'message' ? tellBy : 'command');
  }

  #isShown(watch: Watch): boolean {
    return watch.service === this.#service && !hasEnded(watch);
  }

  /** @returns `undefined` when they cannot be read now */
  async #read(of?: WatchesOf): Promise<Watch[] | undefined> {
    const index = of && (await this.#rows.read('member' in of ? ofMember(of.member) : ofCard(of.card)));
    if (of && !index) return undefined;
    const found = await readJson(this.#rows, Watch, WATCHES, index && [...index.keys()]);
    return found && [...found.values()];
  }

  /**
   * Changes a watch and what it is found by in one step, whoever else changes it meanwhile. One is not added, and
   * `after` is `undefined`, when its member has as many as there may be.
   */
  async #update(id: string, change: (before: Watch | undefined) => Watch | undefined) {
    const row = { part: WATCHES, key: id };
    const changed = async (text: string | undefined) => {
      const before = StoredWatch.safeParse(text).data;
      const after = change(before);
      const watch = after ?? before;
      if (!watch || after === before) return { changes: [], result: { before, after } };
      const ifFewer = { part: ofMember(watch.memberId), than: MOST_WATCHES };
      const own = before ? undefined : await this.#rows.read(ifFewer.part);
      if (own && own.size >= MOST_WATCHES) return { changes: [], result: { before, after: undefined } };
      return { changes: changesOf(watch, after), result: { before, after }, ...(!before && { ifFewer }) };
    };
    const result = await update(this.#rows, row, changed, KEEP);
    if (result?.after) {
      this.cards.add(result.after.cardId);
      if (result.after.untold) this.#noteToTell(toldOf(result.after, result.after.untold));
    }
    return result;
  }

  /** Those that are in nobody's list may not keep a member from setting others. */
  async #makeRoom(memberId: string): Promise<void> {
    const all = (await this.#read({ member: memberId })) ?? [];
    const hidden = all.find((watch) => !this.#isShown(watch));
    if (hidden && all.length >= MOST_WATCHES) await this.#end(hidden.id, () => true);
  }

  async #end(id: string, isToEnd: (stored: Watch) => boolean): Promise<boolean> {
    return (await this.change(id, (stored) => (isToEnd(stored) ? undefined : stored))) !== undefined;
  }

  /** A price of a card has come, and nobody watches it. Does nothing if somebody does by now. */
  async #unwatched(cardId: string): Promise<void> {
    this.cards.delete(cardId);
    const row = { part: CARDS, key: cardId, value: undefined };
    await this.#rows.write([row], { ...KEEP, ifFewer: { part: ofCard(cardId), than: 1 } });
  }
}

/** What a watch becomes, with all that it is found by; `undefined`: it ends. */
function changesOf(watch: Watch, after: Watch | undefined): Row[] {
  const { id, memberId, cardId } = watch;
  const rows = [
    { part: WATCHES, key: id, value: after && JSON.stringify(after) },
    { part: ofMember(memberId), key: id, value: after && cardId },
    { part: ofCard(cardId), key: id, value: after && memberId },
    { part: UNTOLD, key: id, value: after?.untold && toldOf(after, after.untold) },
  ];
  return after ? [...rows, { part: CARDS, key: cardId, value: '1' }] : rows;
}

function toldOf({ memberId }: Watch, { tellBy }: Crossing): string {
  return `${tellBy} ${memberId}`;
}

function hasEnded({ setAtMs }: Watch): boolean {
  return Date.now() - setAtMs >= KEPT_MS;
}
