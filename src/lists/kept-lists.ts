import { z } from 'zod';
import { FINISHES } from '../model/finish.ts';
import { ListedCard } from '../model/invocation.ts';
import { type Rows, readJson, update } from '../model/rows.ts';
import { storedJson } from '../model/stored-json.ts';

/** A line of a pasted list, and the card that it means. */
export const WorthLine = z.object({
  text: z.string(),
  count: z.number(),
  finish: z.enum(FINISHES).optional(),
  /** Absent: the line is not clear. */
  card: ListedCard.optional(),
  /** Whether the name is that of several cards, of which one was taken that the line does not say. */
  isGuessed: z.boolean(),
});
export type WorthLine = z.infer<typeof WorthLine>;

export const KeptList = z.object({
  text: z.string(),
  /** Absent: they are not resolved yet. */
  lines: z.array(WorthLine).optional(),
  /** How many lines say what another says, and are counted with it. */
  merged: z.number().optional(),
  /** Lines that are no cards: headings, comments, sums. */
  passedOver: z.array(z.string()).optional(),
  /** Names could not be searched then: what they mean is looked for again. */
  isUnsearched: z.literal(true).optional(),
});
export type KeptList = z.infer<typeof KeptList>;

const LIST_KEPT_MS = 3_600_000;
const MOST_LISTS = 3;

/** In the part of its member, one row. */
const KeptOfMember = z.array(z.object({ id: z.string(), atMs: z.number(), list: KeptList }));
type KeptOfMember = z.infer<typeof KeptOfMember>;
const StoredLists = storedJson(KeptOfMember);
const KEY = 'pasted';

/** Pasted lists, each for an hour, the last three of a member. No method rejects. */
export class KeptLists {
  readonly #rows: Rows;

  constructor(rows: Rows) {
    this.#rows = rows;
  }

  /** @returns whether it is kept */
  async add(memberId: string, id: string, list: KeptList): Promise<boolean> {
    const added = { id, atMs: Date.now(), list };
    const add = (kept: KeptOfMember) => [added, ...kept.filter((each) => each.id !== id)].slice(0, MOST_LISTS);
    return (await this.#change(memberId, add)) ?? false;
  }

  /** Changes one that is still kept, for as long as before: its member may have deleted it meanwhile. */
  async replace(memberId: string, id: string, list: KeptList): Promise<void> {
    await this.#change(memberId, (kept) => kept.map((each) => (each.id === id ? { ...each, list } : each)));
  }

  /** @returns `undefined` when it is kept no longer, or cannot be read now */
  async read(memberId: string, id: string): Promise<KeptList | undefined> {
    return (await this.#of(memberId))?.find((each) => each.id === id)?.list;
  }

  /** @returns `undefined` when that cannot be read now */
  async count(memberId: string): Promise<number | undefined> {
    return (await this.#of(memberId))?.length;
  }

  /** @returns whether none is left */
  async forget(memberId: string): Promise<boolean> {
    const row = { ...rowOf(memberId), value: undefined };
    return (await this.#rows.write([row], { keepMs: LIST_KEPT_MS })) ?? false;
  }

  async #of(memberId: string): Promise<KeptOfMember | undefined> {
    const { part } = rowOf(memberId);
    const found = await readJson(this.#rows, KeptOfMember, part);
    return found && (found.get(KEY) ?? []).filter(isKept);
  }

  async #change(memberId: string, change: (kept: KeptOfMember) => KeptOfMember): Promise<true | undefined> {
    const row = rowOf(memberId);
    const changed = (text: string | undefined) => {
      const kept = change(StoredLists.safeParse(text).data?.filter(isKept) ?? []);
      return { changes: kept.length > 0 ? [{ ...row, value: JSON.stringify(kept) }] : [], result: true as const };
    };
    return update(this.#rows, row, changed, { keepMs: LIST_KEPT_MS });
  }
}

function rowOf(memberId: string): { part: string; key: string } {
  return { part: `lists:${memberId}`, key: KEY };
}

function isKept({ atMs }: KeptOfMember[number]): boolean {
  return atMs + LIST_KEPT_MS > Date.now();
}
