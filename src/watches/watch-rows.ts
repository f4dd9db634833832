import { type Row, type Rows, readJson, update } from '../model/rows.ts';
import { storedJson } from '../model/stored-json.ts';
import { WATCH_KEPT_MS, Watch } from './watch.ts';

/** Those of a member or of a card, or with a crossing that is to be told by message; without it: all. */
export type WatchesOf = { member: string } | { card: string } | 'untold';

/** `undefined`: there is no such watch. */
export interface ChangedWatch {
  before: Watch | undefined;
  after: Watch | undefined;
}

/** How many a member may have: a message lists no more. */
export const MOST_WATCHES = 25;

/**
 * The parts: JSON by id; the cards that anybody may watch; and, of watches with untold crossings, how these are told
 * and to whom.
 */
export const WATCHES = 'watches';
const CARDS = 'watches:cards';
const UNTOLD = 'watches:untold';
/** The card of each watch of a member, and the member of each watch of a card, by id. */
const ofMember = (memberId: string) => `watches:member:${memberId}`;
const ofCard = (cardId: string) => `watches:card:${cardId}`;
/** Before a member, where their crossings are to be told by message, or else by a command. */
const BY_MESSAGE = 'message ';
const BY_COMMAND = 'command ';
const KEEP = { keepMs: WATCH_KEPT_MS };
const StoredWatch = storedJson(Watch);

/** Members' watches, and what they are found by: whatever changes one changes both in one step. No method rejects. */
export class WatchRows {
  readonly #rows: Rows;

  constructor(rows: Rows) {
    this.#rows = rows;
  }

  /** @returns `undefined` when they cannot be read now */
  async find(of?: WatchesOf): Promise<Watch[] | undefined> {
    const index = of && (await this.#indexOf(of));
    if (of && !index) return undefined;
    const found = await readJson(this.#rows, Watch, WATCHES, index && [...index.keys()]);
    if (found && of && of !== 'untold' && 'member' in of)
      for (const [id, cardId] of index ?? []) if (!found.has(id)) await this.#drop({ id, memberId: of.member, cardId });
    return found && [...found.values()];
  }

  /** One that could not be read: it is in nobody's list, so it may not keep its member from setting others. */
  async #drop(gone: Pick<Watch, 'id' | 'memberId' | 'cardId'>): Promise<void> {
    const ifStill = [{ part: WATCHES, key: gone.id, value: undefined }];
    await this.#rows.write(changesOf(gone, undefined), { ...KEEP, ifStill });
  }

  /**
   * All cards that are watched, or were when their price came last; and members with an untold crossing.
   *
   * @returns `undefined` when they cannot be read now
   */
  async known(): Promise<{ cards: Set<string>; toTell: Set<string> } | undefined> {
    const [cards, untold] = await Promise.all([this.#rows.read(CARDS), this.#rows.read(UNTOLD)]);
    if (!cards || !untold) return undefined;
    const toTell = [...untold.values()].map((text) => text.slice(BY_MESSAGE.length));
    return { cards: new Set(cards.keys()), toTell: new Set(toTell) };
  }

  /**
   * Changes a watch, whoever else changes it meanwhile. One is not added, and `after` is `undefined`, when its member
   * has as many as there may be.
   *
   * @param change may be called again, with what is stored by then; the same object changes nothing
   * @returns `undefined` when it cannot be stored now
   */
  change(id: string, change: (before: Watch | undefined) => Watch | undefined): Promise<ChangedWatch | undefined> {
    return update(
      this.#rows,
      { part: WATCHES, key: id },
      async (text) => {
        const before = StoredWatch.safeParse(text).data;
        const after = change(before);
        const watch = after ?? before;
        if (!watch || after === before) return { changes: [], result: { before, after } };
        const changed = { changes: changesOf(watch, after), result: { before, after } };
        if (before) return changed;
        const part = ofMember(watch.memberId);
        const own = await this.#rows.read(part);
        if (own && own.size >= MOST_WATCHES) return { changes: [], result: { before, after: undefined } };
        return { ...changed, ifFewer: { part, than: MOST_WATCHES } };
      },
      KEEP,
    );
  }

  /** A price of a card has come, and nobody watches it. Does nothing if somebody does by now. */
  async unwatched(cardId: string): Promise<void> {
    const row = { part: CARDS, key: cardId, value: undefined };
    await this.#rows.write([row], { ...KEEP, ifFewer: { part: ofCard(cardId), than: 1 } });
  }

  async #indexOf(of: WatchesOf): Promise<ReadonlyMap<string, string> | undefined> {
    if (of !== 'untold') return this.#rows.read('member' in of ? ofMember(of.member) : ofCard(of.card));
    const untold = await this.#rows.read(UNTOLD);
    return untold && new Map([...untold].filter(([, text]) => text.startsWith(BY_MESSAGE)));
  }
}

/** What a watch becomes, with all that it is found by; `undefined`: it ends. */
function changesOf({ id, memberId, cardId }: Pick<Watch, 'id' | 'memberId' | 'cardId'>, after?: Watch): Row[] {
  const isByMessage = after?.untold.some(({ tellBy }) => tellBy === 'message');
  const untold = after?.untold.length ? (isByMessage ? BY_MESSAGE : BY_COMMAND) + memberId : undefined;
  const rows = [
    { part: WATCHES, key: id, value: after && JSON.stringify(after) },
    { part: ofMember(memberId), key: id, value: after && cardId },
    { part: ofCard(cardId), key: id, value: after && memberId },
    { part: UNTOLD, key: id, value: untold },
  ];
  return after ? [...rows, { part: CARDS, key: cardId, value: '1' }] : rows;
}
