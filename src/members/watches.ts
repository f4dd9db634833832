import { hash } from 'node:crypto';
import { setImmediate as nextLoopIteration } from 'node:timers/promises';
import { z } from 'zod';
import { PriceRow } from '../model/card.ts';
import type { EventsByName } from '../model/events.ts';
import { type Row, type Rows, readJson, storedJson, update } from '../model/store/rows.ts';
import { DAY_MS, utcDay } from '../time.ts';

const Line = z.enum(['above', 'below']);

/** A line was crossed, and the member has not been told yet. */
const Crossing = z.object({
  line: Line,
  /** The price that the member had named then. */
  target: z.number(),
  price: z.number(),
  ...PriceRow.shape,
  /**
   * With the watch's id it makes the nonce of the message: a watch that is stopped and set again has other crossings.
   */
  atMs: z.number(),
  /** message: a direct message is tried; command: it is shown with the member's next command. */
  tellBy: z.enum(['message', 'command']),
  /** When it was first sent, either way: the member may have it since. */
  triedAtMs: z.number().optional(),
});
export type Crossing = z.infer<typeof Crossing>;

/** Prices to be told at or beyond. */
const Lines = z.object({
  above: z.number().optional(),
  below: z.number().optional(),
  /** A percentage of the first price that is known, either way; once one is, `above` and `below` stand instead. */
  percent: z.number().optional(),
});
export type Lines = z.infer<typeof Lines>;

/** A member's wish to be told of a card's price. */
export const Watch = z.object({
  /** The same for the same member and card, 16 letters and digits: it stands in custom ids. */
  id: z.string(),
  memberId: z.string(),
  cardId: z.string(),
  /** Whose id that is; absent: the default interface's. */
  service: z.string().optional(),
  cardName: z.string(),
  ...Lines.shape,
  /** Lines that the price has reached, and from which it has not come back since: a crossing is one more of them. */
  crossed: z.array(Line),
  /** The member's language when it was set. */
  locale: z.string(),
  setAtMs: z.number(),
  /** How many crossings the member was told of, or is to be. */
  crossings: z.number(),
  /** The last crossing, until the member was told of it. */
  untold: Crossing.optional(),
});
export type Watch = z.infer<typeof Watch>;

/** A watch, and a crossing of it that is untold. */
export interface WatchCrossing {
  watch: Watch;
  crossing: Crossing;
}

/** The number that members read of a price: that is what is compared. */
export type AsShown = (price: number, currency?: string) => number;

/** What a member asks for with `/watch`. */
export type Wish = Pick<Watch, 'memberId' | 'cardId' | 'service' | 'cardName' | 'locale' | keyof Lines>;

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

/** What is watched for members: rows, and what they are found by. No method rejects, and none costs a request. */
export class Watches {
  readonly #rows: Rows;
  readonly #asShown: AsShown;
  readonly #service: string | undefined;
  /** Told of a watch right after a crossing of it was stored. */
  onCrossing: (watch: Watch) => void = () => {};
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
    // Those that are in nobody's list may not keep a member from setting others.
    const all = (await this.#read({ member: wish.memberId })) ?? [];
    const hidden = all.find((watch) => !this.#isShown(watch));
    if (hidden && all.length >= MOST_WATCHES) await this.#end(hidden.id, () => true);
    const changed = await this.#update(watchId(wish), (before) =>
      newWatch(wish, price, Date.now(), this.#asShown, before),
    );
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

  /** An answer has brought a price of a card that may be watched. Costs one indexed read. */
  async priced({ cardId, market, atMs, ...row }: EventsByName['priced']): Promise<void> {
    const asShown = (price: number) => this.#asShown(price, row.currency);
    const found = await this.find({ card: cardId });
    this.unchecked.delete(cardId); // it came before
    if (found?.length === 0) {
      // Nobody watches it. Does nothing if somebody does by now.
      this.cards.delete(cardId);
      const row = { part: CARDS, key: cardId, value: undefined };
      await this.#rows.write([row], { ...KEEP, ifFewer: { part: ofCard(cardId), than: 1 } });
    }
    for (const watch of found ?? []) {
      const changed = (current: Watch) => withPrice(current, market, atMs, asShown, row);
      if (changed(watch) === watch) continue;
      await nextLoopIteration(); // files answer without letting others run
      const { before, after } = (await this.change(watch.id, changed)) ?? {};
      if (after?.untold && after.untold.atMs !== before?.untold?.atMs) this.onCrossing(after);
    }
  }

  /** Learns what others watch, and checks the prices that came meanwhile. Costs two reads. */
  async renew(): Promise<void> {
    const [cards, untold] = await Promise.all([this.#rows.read(CARDS), this.#rows.read(UNTOLD)]);
    if (!cards || !untold) return;
    this.cards = new Set(cards.keys()); // what was noted since it was read is in the next
    this.toTell = new Map();
    for (const text of [...untold.values()].sort()) {
      const [tellBy, memberId = ''] = text.split(' ');
      this.toTell.set(memberId, tellBy === 'message' ? tellBy : 'command'); // of two ways, a message
    }
    for (const [cardId, event] of this.unchecked) {
      if (this.cards.has(cardId)) await this.priced(event);
      else this.unchecked.delete(cardId);
    }
    const today = utcDay(Date.now());
    if (today === this.#sweptDay) return;
    this.#sweptDay = today;
    await this.find(); // ends those whose year is over: nobody may ask for a card that is watched
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
    const changed = async (text: string | undefined) => {
      const before = storedJson(Watch).safeParse(text).data;
      const after = change(before);
      const watch = after ?? before;
      if (!watch || after === before) return { changes: [], result: { before, after } };
      const ifFewer = { part: ofMember(watch.memberId), than: MOST_WATCHES };
      const own = before ? undefined : await this.#rows.read(ifFewer.part);
      if (own && own.size >= MOST_WATCHES) return { changes: [], result: { before, after: undefined } };
      return { changes: changesOf(watch, after), result: { before, after }, ...(!before && { ifFewer }) };
    };
    const result = await update(this.#rows, { part: WATCHES, key: id }, changed, KEEP);
    if (result?.after) {
      this.cards.add(result.after.cardId);
      if (result.after.untold) this.toTell.set(result.after.memberId, result.after.untold.tellBy);
    }
    return result;
  }

  async #end(id: string, isToEnd: (stored: Watch) => boolean): Promise<boolean> {
    return (await this.change(id, (stored) => (isToEnd(stored) ? undefined : stored))) !== undefined;
  }
}

/** What a watch becomes, with all that it is found by; `undefined`: it ends. */
function changesOf(watch: Watch, after: Watch | undefined): Row[] {
  const { id, memberId, cardId } = watch;
  const rows = [
    { part: WATCHES, key: id, value: after && JSON.stringify(after) },
    { part: ofMember(memberId), key: id, value: after && cardId },
    { part: ofCard(cardId), key: id, value: after && memberId },
    { part: UNTOLD, key: id, value: after?.untold && `${after.untold.tellBy} ${memberId}` },
  ];
  return after ? [...rows, { part: CARDS, key: cardId, value: '1' }] : rows;
}

function hasEnded({ setAtMs }: Watch): boolean {
  return Date.now() - setAtMs >= KEPT_MS;
}

/** The share of a line by which a price comes back across it, or one that wobbles would be told again and again. */
const MARGIN = 0.02;

/** One for a member and a card of a service: the same wish from two places is one watch. */
function watchId({ memberId, cardId, service }: Wish): string {
  return hash('sha256', [memberId, cardId, service].filter(Boolean).join(' ')).slice(0, 16);
}

/**
 * A watch that begins now. A line that the price is beyond already is crossed by the next price that comes back to it.
 *
 * @param price the last one that is known
 * @param before the member's watch of that card, whose lines it replaces
 */
export function newWatch(wish: Wish, price: number | undefined, atMs: number, asShown: AsShown, before?: Watch): Watch {
  const [above, below] = [wish.above, wish.below].map((line) => line && asShown(line));
  const { crossings = 0, untold } = before ?? {};
  const watch = { ...wish, above, below, id: watchId(wish), crossed: [], setAtMs: atMs, crossings, untold };
  return price === undefined ? watch : placed(watch, asShown(price), asShown);
}

/**
 * After a price has come; the same object when nothing changes. A crossing takes the place of one that is still untold.
 *
 * @param isAnew the price is not to be compared with those before: no line is crossed by it
 */
export function withPrice(
  watch: Watch,
  newPrice: number,
  atMs: number,
  asShown: AsShown,
  { isAnew = false, ...row }: PriceRow & { isAnew?: boolean } = {},
): Watch {
  const price = asShown(newPrice);
  if (isAnew) return placed({ ...watch, crossed: [] }, price, asShown);
  const after = placed(watch, price, asShown);
  const line = after.crossed.find((each) => !watch.crossed.includes(each));
  if (!line) return after;
  const untold: Crossing = { line, target: after[line] ?? price, price, ...row, atMs, tellBy: 'message' };
  return { ...after, crossings: watch.crossings + (watch.untold ? 0 : 1), untold };
}

/**
 * With the lines that a price is at or beyond, and those of before that it has not come back across; the same if that
 * is.
 */
function placed(watch: Watch, price: number, asShown: AsShown): Watch {
  const lined = withPercent(watch, price);
  const crossed = Line.options.filter((line) => {
    const at = lined[line];
    if (at === undefined) return false;
    const wasCrossed = lined.crossed.includes(line);
    return line === 'above'
      ? price >= at || (wasCrossed && price > asShown(at * (1 - MARGIN)))
      : price <= at || (wasCrossed && price < asShown(at * (1 + MARGIN)));
  });
  return crossed.join() === lined.crossed.join() ? lined : { ...lined, crossed };
}

/** The percentage as lines about the price. A line that was named stays, and is not met by the other. */
function withPercent(watch: Watch, price: number): Watch {
  const { percent } = watch;
  if (percent === undefined) return watch;
  const { above = roundedPrice(price * (1 + percent / 100)), below = roundedPrice(price * (1 - percent / 100)) } =
    watch;
  return { ...watch, percent: undefined, ...(above > below && { above, below }) };
}

/** The price as it is shown, where cents are. */
function roundedPrice(price: number): number {
  return price < 1 ? price : Math.round(price * 100) / 100;
}

/** With what has become of a crossing instead; without it, its member was told. */
export function withTold(watch: Watch, { atMs }: Crossing, instead?: Crossing): Watch {
  return watch.untold?.atMs === atMs ? { ...watch, untold: instead } : watch;
}

/** What a line may be. */
export const LOWEST_LINE = 0.01;
export const HIGHEST_LINE = 1e9;

const PRICE = /^(\D*?)\s*(\d+(?:[.,]\d{1,2})?)\s*(\D*)$/;
const FULL_WIDTH = /[！-￦]/g;
const ANY_SIGN = /^\p{Sc}$/u;

/**
 * A price as members type it: digits, at most one point or comma with one or two digits behind it, and a sign of the
 * card's own currency before or behind that.
 *
 * @param ownSigns absent: its currency is not known, so that no sign is another's
 * @returns `undefined` for anything else, and for what no line may be
 */
export function typedPrice(text: string, ownSigns: readonly string[] | undefined): number | undefined {
  const [, before = '', figures, behind = ''] = PRICE.exec(compared(text)) ?? [];
  const own = ownSigns?.map(compared);
  const isOwn = (sign: string) => sign === '' || (own ? own.includes(sign) : ANY_SIGN.test(sign));
  const price = figures && isOwn(before) && isOwn(behind) ? Number(figures.replace(',', '.')) : 0;
  return price >= LOWEST_LINE && price <= HIGHEST_LINE ? price : undefined;
}

/** Full-width figures and signs are those of Japanese keyboards. */
function compared(text: string): string {
  const typed = text.replace(FULL_WIDTH, (sign) => sign.normalize('NFKC'));
  return typed.trim().toLowerCase();
}
