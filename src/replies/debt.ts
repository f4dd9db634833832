import type { Asker } from '../asker.ts';
import type { Answer } from '../card.ts';
import type { CardServiceError } from '../errors.ts';

/** A card question as it can be kept: what was asked, not how to answer it. */
export interface CardQuestion {
  cardId: string;
  showPrices: boolean;
}

/** A deferred reply: all that is needed to answer it, by this process or a later one. Plain data. */
export interface Debt extends Asker {
  interactionId: string;
  applicationId: string;
  /** Secret: whoever holds it can write the reply. Lives 15 minutes. */
  token: string;
  /** The command that answers it. */
  command: string;
  question: CardQuestion;
  /** Only the member sees the reply. */
  private: boolean;
  /** The member's Discord locale. */
  locale: string;
  receivedAtMs: number;
  deadlineMs: number;
}

/** How an owed question ended. */
export type Outcome = ({ answer: Answer } | { error: CardServiceError }) & {
  /** Whether a request was sent for it. */
  asked: boolean;
};

/** An interaction's token dies 15 minutes after the command; half a minute is kept for the last edit. */
export const REPLY_LIFE_MS = 14.5 * 60_000;
