import { setImmediate as nextLoopIteration } from 'node:timers/promises';
import type { EventsByName } from '../model/events.ts';
import { utcDay } from '../time/utc-day.ts';
import { type AsShown, hasEnded, newWatch, type Watch, type Wish, watchId, withPrice } from './watch.ts';
import { type ChangedWatch, MOST_WATCHES, type WatchesOf, type WatchRows } from './watch-rows.ts';

/** What is watched for members. No method rejects, and none costs a request. */
export class Watches {
  readonly #store: WatchRows;
  readonly #asShown: AsShown;
  readonly #onCrossing: ((watch: Watch) => void)[] = [];
  readonly #service: string | undefined;
  /**
   * All cards that are watched, and members with an untold crossing, as of the last `renew`; one too many costs a read.
   */
  cards = new Set<string>();
  toTell = new Set<string>();
  /**
   * Prices by card from since the last `renew`, which learns what others watch, or from while watches could not be
   * changed: the card is fresh now, and may not be requested for hours.
   */
  readonly unchecked = new Map<string, EventsByName['priced']>();
  #sweptDay = '';

  /** @param service whose cards are watched: watches of another rest until it is back, or their year is over */
  constructor(store: WatchRows, asShown: AsShown = (price) => price, service?: string) {
    this.#store = store;
    this.#asShown = asShown;
    this.#service = service;
  }

  /**
   * Those of this service by the time when they were set; whichever are older than a year end.
   *
   * @returns `undefined` when they cannot be read now
   */
  async find(of?: WatchesOf): Promise<Watch[] | undefined> {
    const nowMs = Date.now();
    const found = await this.#store.find(of);
    for (const { id } of found?.filter((watch) => hasEnded(watch, nowMs)) ?? [])
      await this.#end(id, (watch) => hasEnded(watch, nowMs));
    return found
      ?.filter((watch) => watch.service === this.#service && !hasEnded(watch, nowMs))
      .sort((a, b) => a.setAtMs - b.setAtMs);
  }

  /** What of a member is untold, and has to be looked for only while they are in `toTell`. */
  async untoldOf(member: string): Promise<Watch[]> {
    const found = await this.find({ member });
    const untold = found?.filter((watch) => watch.untold.length > 0);
    if (untold?.length === 0) this.toTell.delete(member); // a crossing that is stored meanwhile is in the next `renew`
    return untold ?? [];
  }

  /** A watch that has ended stays so. @returns `undefined` when it cannot be stored now */
  async change(id: string, change: (before: Watch) => Watch | undefined): Promise<ChangedWatch | undefined> {
    const changed = await this.#store.change(id, (before) => before && change(before));
    if (changed?.after) this.#note(changed.after);
    return changed;
  }

  /** Learns what others watch, and checks the prices that came meanwhile. Costs two reads. */
  async renew(): Promise<void> {
    await this.#sweep();
    const unchecked = [...this.unchecked.values()];
    const known = await this.#store.known();
    if (!known) return;
    ({ cards: this.cards, toTell: this.toTell } = known); // what was noted since it was read is in the next
    for (const event of unchecked) {
      if (this.cards.has(event.cardId)) await this.priced({ ...event, atMs: Date.now() });
      else if (this.unchecked.get(event.cardId) === event) this.unchecked.delete(event.cardId);
    }
  }

  #note({ memberId, cardId, untold }: Watch): void {
    this.cards.add(cardId);
    if (untold.length > 0) this.toTell.add(memberId);
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
    const id = watchId(wish);
    await this.find({ member: wish.memberId }); // those whose year is over count no more
    await this.#makeRoom(wish.memberId);
    const changed = await this.#store.change(id, (before) => newWatch(wish, price, Date.now(), before, this.#asShown));
    if (!changed) return 'notKept';
    if (!changed.after) return 'tooMany';
    this.#note(changed.after);
    return { watch: changed.after, isReplaced: changed.before !== undefined };
  }

  /** @returns whether the member has no such watch now */
  stop(memberId: string, id: string): Promise<boolean> {
    return this.#end(id, (stored) => stored.memberId === memberId);
  }

  /** Ends all watches of a member. @returns whether none is left */
  async forget(memberId: string): Promise<boolean> {
    const all = await this.#store.find({ member: memberId });
    const ended = await Promise.all((all ?? []).map(({ id }) => this.#end(id, () => true)));
    return all !== undefined && ended.every(Boolean);
  }

  /** Told of a watch right after a crossing of it was stored. */
  onCrossing(listener: (watch: Watch) => void): void {
    this.#onCrossing.push(listener);
  }

  /** An answer has brought a price of a card that may be watched. Costs one indexed read. */
  async priced(event: EventsByName['priced']): Promise<void> {
    const { cardId, market, atMs, ...row } = event;
    const asShown = (price: number) => this.#asShown(price, row.currency);
    const found = await this.find({ card: cardId });
    this.unchecked.delete(cardId);
    if (!found) return void this.unchecked.set(cardId, event);
    if (found.length === 0) {
      this.cards.delete(cardId);
      await this.#store.unwatched(cardId);
    }
    for (const watch of found) {
      const changed = (current: Watch) => withPrice(current, market, atMs, asShown, row);
      if (changed(watch) === watch) continue;
      await nextLoopIteration(); // files answer without letting others run
      const stored = await this.change(watch.id, changed);
      if (!stored) return void this.unchecked.set(cardId, event);
      const { before, after } = stored;
      if (!before || !after || after.crossings === before.crossings) continue;
      for (const listener of this.#onCrossing) listener(after);
    }
  }

  /** Watches that rest are in nobody's list, so they may not keep a member from setting others. */
  async #makeRoom(memberId: string): Promise<void> {
    const all = (await this.#store.find({ member: memberId })) ?? [];
    const resting = all.find(({ service }) => service !== this.#service);
    if (resting && all.length >= MOST_WATCHES) await this.#end(resting.id, () => true);
  }

  async #end(id: string, isToEnd: (stored: Watch) => boolean): Promise<boolean> {
    return (await this.change(id, (stored) => (isToEnd(stored) ? undefined : stored))) !== undefined;
  }

  /** On each day: nobody may ask for a card that is watched. */
  async #sweep(): Promise<void> {
    const today = utcDay(Date.now());
    if (today === this.#sweptDay) return;
    this.#sweptDay = today;
    await this.find();
  }
}
