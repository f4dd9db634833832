import { z } from 'zod';
import { FINISHES } from '../model/finish.ts';
import { ListedCard } from '../model/invocation.ts';

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

export const LIST_KEPT_MS = 3_600_000;
export const MOST_LISTS = 3;

/** Pasted lists, each for an hour, the last three of a member; in files or in a Redis. No method rejects. */
export interface ListStore {
  /** @returns whether it is kept */
  add(memberId: string, id: string, list: KeptList): Promise<boolean>;
  /** Changes one that is still kept, for as long as before: its member may have deleted it meanwhile. */
  replace(memberId: string, id: string, list: KeptList): Promise<void>;
  /** @returns `undefined` when it is kept no longer, or cannot be read now */
  read(memberId: string, id: string): Promise<KeptList | undefined>;
  /** @returns `undefined` when that cannot be read now */
  count(memberId: string): Promise<number | undefined>;
  /** @returns whether none is left */
  forget(memberId: string): Promise<boolean>;
}

/** @returns `undefined` for a row that cannot be read */
export function parseList(text: string): KeptList | undefined {
  try {
    return KeptList.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}
