import type { Answer } from '../card.ts';

/**
 * What is known of cards. A broken store is a miss and a warning in the log, never a failed command: no method rejects.
 * How old an answer may be is for the reader to judge; one that is past its keeping time is gone.
 */
export interface CardStore {
  get(id: string): Promise<Answer | undefined>;
  set(id: string, answer: Answer): Promise<void>;
  close(): Promise<void>;
}
