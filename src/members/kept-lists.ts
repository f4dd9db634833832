import { z } from 'zod';
import { type Rows, readJson, storedJson, update } from '../model/store/rows.ts';

const LIST_KEPT_MS = 3_600_000;
const MOST_LISTS = 3;

/** The lists of one member, the newest first: they are one row, in a part of its own. */
const Pasted = z.array(z.object({ id: z.string(), atMs: z.number(), text: z.string() }));
const rowOf = (memberId: string) => ({ part: `lists:${memberId}`, key: 'pasted' });

/** Pasted lists as they were typed, each for an hour, the last three of a member. No method rejects. */
export class KeptLists {
  readonly #rows: Rows;

  constructor(rows: Rows) {
    this.#rows = rows;
  }

  /** @returns whether it is kept */
  async add(memberId: string, id: string, text: string): Promise<boolean> {
    const row = rowOf(memberId);
    const withAdded = (json: string | undefined) => {
      const { data: lists = [] } = storedJson(Pasted).safeParse(json);
      const others = lists.filter((each) => isKept(each) && each.id !== id);
      const value = JSON.stringify([{ id, atMs: Date.now(), text }, ...others].slice(0, MOST_LISTS));
      return { changes: [{ ...row, value }], result: true };
    };
    return (await update(this.#rows, row, withAdded, { keepMs: LIST_KEPT_MS })) ?? false;
  }

  /** Those of a member, the newest first. @returns `undefined` when they cannot be read now */
  async find({ member }: { member: string }) {
    const { part, key } = rowOf(member);
    const found = await readJson(this.#rows, Pasted, part);
    return found && (found.get(key) ?? []).filter(isKept);
  }

  /** @returns `undefined` when it is kept no longer, or cannot be read now */
  async read(memberId: string, id: string): Promise<string | undefined> {
    return (await this.find({ member: memberId }))?.find((each) => each.id === id)?.text;
  }

  /** @returns whether none is left */
  async forget(memberId: string): Promise<boolean> {
    return (await this.#rows.write([{ ...rowOf(memberId), value: undefined }], { keepMs: LIST_KEPT_MS })) ?? false;
  }
}

function isKept({ atMs }: { atMs: number }): boolean {
  return atMs + LIST_KEPT_MS > Date.now();
}
