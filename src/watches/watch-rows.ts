import { type Change, type Row, type Rows, readJson, update } from '../model/rows.ts';
import { isUntold, parseWatch, WATCH_KEPT_MS, Watch } from './watch.ts';

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
 * The parts: JSON by id; how many watch each card; and, of watches with untold crossings, how these are told and to
 * whom.
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

/** Members' watches, and what they are found by: whatever changes one changes both in one step. No method rejects. */
export class WatchRows {
  readonly #rows: Rows;

  constructor(rows: Rows) {
    this.#rows = rows;
  }

  /** @returns `undefined` when they cannot be read now */
  async find(of?: WatchesOf): Promise<Watch[] | undefined> {
    const ids = of && (await this.#idsOf(of));
    if (of && !ids) return undefined;
    const found = await readJson(this.#rows, Watch, WATCHES, ids);
    return found && [...found.values()];
  }

  /**
   * All cards that are watched, and members with an untold crossing.
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
        const before = parseWatch(text);
        const after = change(before);
        const watch = after ?? before;
        if (!watch || after === before) return { changes: [], result: { before, after } };
        if (before) return { changes: changesOf(watch, after), result: { before, after } };
        const part = ofMember(watch.memberId);
        const own = await this.#rows.read(part);
        if (own && own.size >= MOST_WATCHES) return { changes: [], result: { before, after: undefined } };
        const counted = { part: CARDS, key: watch.cardId, add: 1 };
        const ifFewer = { part, than: MOST_WATCHES };
        return { changes: [...changesOf(watch, after), counted], ifFewer, result: { before, after } };
      },
      KEEP,
    );
  }

  /** Ends all watches of a member in one step. @returns whether none is left */
  async forget(memberId: string): Promise<boolean> {
    const part = ofMember(memberId);
    const own = await this.#rows.read(part);
    if (!own) return false;
    const changes = [...own].flatMap(([id, cardId]) => changesOf({ id, memberId, cardId }, undefined));
    const ifStill = [...own].map(([key, value]) => ({ part, key, value }));
    const isWritten = await this.#rows.write(changes, { ...KEEP, ifStill });
    return isWritten === false ? this.forget(memberId) : isWritten === true;
  }

  async #idsOf(of: WatchesOf): Promise<string[] | undefined> {
    if (of !== 'untold') {
      const found = await this.#rows.read('member' in of ? ofMember(of.member) : ofCard(of.card));
      return found && [...found.keys()];
    }
    const untold = await this.#rows.read(UNTOLD);
    return untold && [...untold].flatMap(([id, text]) => (text.startsWith(BY_MESSAGE) ? id : []));
  }
}

/** What a watch becomes, with all that it is found by; `undefined`: it ends. */
function changesOf({ id, memberId, cardId }: Pick<Watch, 'id' | 'memberId' | 'cardId'>, after?: Watch): Change[] {
  const untold = after?.untold.length ? (isUntold(after) ? BY_MESSAGE : BY_COMMAND) + memberId : undefined;
  const rows: Row[] = [
    { part: WATCHES, key: id, value: after && JSON.stringify(after) },
    { part: ofMember(memberId), key: id, value: after && cardId },
    { part: ofCard(cardId), key: id, value: after && memberId },
    { part: UNTOLD, key: id, value: untold },
  ];
  return after ? rows : [...rows, { part: CARDS, key: cardId, add: -1 }];
}
