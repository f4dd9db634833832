import type { CardRecord } from '../model/card.ts';
import type { CardServiceError } from '../model/errors.ts';

/** What came of one card. With an error, the answer is a copy that could not be renewed. */
export interface Outcome {
  answer?: CardRecord;
  /** It came by a request of this reply. */
  isJustFetched?: true;
  /** A newer answer is still to come. */
  isRenewing?: true;
  error?: CardServiceError;
}

/** What came of the cards of one reply, so far or in the end. */
export interface Outcomes {
  /** In the order of the queries; `undefined`: still to come. */
  cards: readonly (Outcome | undefined)[];
  /** How many requests the service has counted for them. */
  requests: number;
  /** When the first request left; absent when none did. */
  requestedAtMs?: number | undefined;
  /** When the last permit is expected; absent when that is within 3 s, or not known. */
  permitAtMs?: number | undefined;
}

/** A time that is off by less stays, because every edit is a request to Discord. */
export const MIN_MOVED_MS = 15_000;
