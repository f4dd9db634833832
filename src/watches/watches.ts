import type { EventsByName } from '../model/events.ts';
import { utcDay } from '../time/utc-day.ts';
import {
  hasEnded,
  MOST_WATCHES,
  newWatch,
  type Watch,
  type WatchStore,
  type Wish,
  watchId,
  withPrice,
} from './watch.ts';

/** Another process changes the same watch only when it gets a price of the same card, or tells of it. */
const MOST_TRIES = 5;

/** What is watched for members. No method rejects, and none costs a request. */
export class Watches {
  readonly #store: WatchStore;
  readonly #onCrossing: ((watch: Watch) => void)[] = [];
  #sweptDay = '';

  constructor(store: WatchStore) {
    this.#store = store;
  }

  /** By the time when they were set. @returns `undefined` when they cannot be read now */
  async ofMember(memberId: string): Promise<Watch[] | undefined> {
    const found = await this.#store.ofMember(memberId);
    return found && this.#lasting(found);
  }

  /** Those with a crossing that is to be told by message. */
  async untold(): Promise<Watch[]> {
    return this.#lasting(await this.#store.untold());
  }

  async all(): Promise<Watch[]> {
    return this.#lasting(await this.#store.all());
  }

  /**
   * Begins a watch, or replaces the lines of the member's watch of that card.
   *
   * @param price the last one that is known
   * @returns `tooMany`: the member has as many as there may be; `notKept`: it cannot be stored now
   */
  async set(
    wish: Wish,
    price: number | undefined,
  ): Promise<{ watch: Watch; isReplaced: boolean } | 'tooMany' | 'notKept'> {
    const watches = await this.ofMember(wish.memberId);
    if (!watches) return 'notKept';
    const before = watches.find(({ id }) => id === watchId(wish));
    if (!before && watches.length >= MOST_WATCHES) return 'tooMany';
    const begin = (current?: Watch) => newWatch(wish, price, Date.now(), current);
    const begun = begin();
    const isNew = !before && (await this.#store.replace(undefined, begun));
    const watch = isNew ? begun : before && (await this.update(before, begin));
    return watch ? { watch, isReplaced: !isNew } : 'notKept';
  }

  /** @returns whether the member has no such watch now */
  async stop(memberId: string, id: string): Promise<boolean> {
    const watches = await this.#store.ofMember(memberId);
    const watch = watches?.find((each) => each.id === id);
    return watch ? this.#end(watch) : watches !== undefined;
  }

  /** Ends those that the member has set by then. @returns whether none of them is left */
  async forget(memberId: string, untilMs: number): Promise<boolean> {
    const watches = await this.#store.ofMember(memberId);
    const ends = watches?.filter(({ setAtMs }) => setAtMs <= untilMs).map((watch) => this.#end(watch));
    return ends !== undefined && (await Promise.all(ends)).every(Boolean);
  }

  /** Told of a watch right after a crossing of it was stored. */
  onCrossing(listener: (watch: Watch) => void): void {
    this.#onCrossing.push(listener);
  }

  /** An answer has brought a price. Costs one indexed read. Needs no `this`. */
  readonly priced = async ({ cardId, market, atMs }: EventsByName['priced']): Promise<void> => {
    await this.#sweep();
    for (const watch of await this.#lasting(await this.#store.ofCard(cardId))) {
      let isCrossing = false;
      const changed = await this.update(watch, (current) => {
        const next = withPrice(current, market, atMs);
        isCrossing = next.crossings > current.crossings;
        return next;
      });
      if (changed && isCrossing) for (const listener of this.#onCrossing) listener(changed);
    }
  };

  /**
   * Changes what is stored, whoever else changes it meanwhile.
   *
   * @param change is called again with what is stored then; the same object changes nothing
   * @returns what is stored now; `undefined` when there is no such watch any more, or it cannot be stored now
   */
  async update(watch: Watch, change: (current: Watch) => Watch): Promise<Watch | undefined> {
    return (await this.#change(watch, change))?.now;
  }

  async #end(watch: Watch): Promise<boolean> {
    const changed = await this.#change(watch, () => undefined);
    return changed !== undefined && changed.now === undefined;
  }

  /** @returns `undefined` when it cannot be stored now */
  async #change(
    watch: Watch,
    change: (current: Watch) => Watch | undefined,
  ): Promise<{ now: Watch | undefined } | undefined> {
    let current: Watch | undefined = watch;
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const next = change(current);
      if (next === current || (await this.#store.replace(current, next))) return { now: next };
      const stored = await this.#store.ofMember(watch.memberId);
      current = stored?.find(({ id }) => id === watch.id);
      if (!current) return stored && { now: undefined };
    }
    return undefined;
  }

  /** Ends those whose time is over. */
  async #lasting(watches: Watch[]): Promise<Watch[]> {
    const nowMs = Date.now();
    const ended = watches.filter((watch) => hasEnded(watch, nowMs));
    await Promise.all(ended.map((watch) => this.#store.replace(watch, undefined)));
    return watches.filter((watch) => !ended.includes(watch));
  }

  /** On each day that the bot is used: nobody may ask for a card that is watched. */
  async #sweep(): Promise<void> {
    const today = utcDay(Date.now());
    if (today === this.#sweptDay) return;
    this.#sweptDay = today;
    await this.all();
  }
}
