import type { CardQuery, CardRecord } from '../model/card.ts';
import type { CardServiceError } from '../model/errors.ts';
import type { Requester } from '../model/requester.ts';

/** A deferred reply: all that is needed to answer it, by this process or a later one. Plain data. */
export interface DeferredReply extends Requester {
  interactionId: string;
  applicationId: string;
  /** Secret: whoever holds it can write the reply. Lives 15 minutes. */
  token: string;
  /** The command that answers it. */
  command: string;
  query: CardQuery;
  /** Only the member sees the reply. */
  private: boolean;
  /** The member's Discord locale. */
  locale: string;
  receivedAtMs: number;
  deadlineMs: number;
}

/** How an owed question ended. */
export type Outcome = ({ answer: CardRecord } | { error: CardServiceError }) & {
  /** Whether a request was sent for it. */
  requested: boolean;
};

/** An interaction's token dies 15 minutes after the command; half a minute is kept for the last edit. */
export const REPLY_DEADLINE_MS = 14.5 * 60_000;
