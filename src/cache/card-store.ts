import type { CardRecord } from '../model/card.ts';

/**
 * What is known of cards. A broken store is a miss and a warning in the log, never a failed command: no method rejects.
 * How old an answer may be is for the reader to judge; one that is past its keeping time is gone.
 */
export interface CardStore {
  /**
   * @param enough what is in memory is given only if this says so; else what other processes may have stored since is
   * looked at, too. The best that there is, good enough or not.
   */
  get(id: string, enough?: (answer: CardRecord) => boolean): Promise<CardRecord | undefined>;
  set(id: string, answer: CardRecord): Promise<void>;
  /**
   * Whether a card was ever found, as far as it is still kept: answers that there is none do not count.
   *
   * @returns `undefined` when that is not to be known
   */
  holdsCards(): Promise<boolean | undefined>;
  close(): Promise<void>;
}
