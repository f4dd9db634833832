import type { Requester } from '../../../src/model/requester.ts';

/** What one who asked for a card was told in the end. */
export interface Outcome {
  /** Whether a card was shown; an old copy counts. */
  card: boolean;
  /** Whether the copy was old when it was shown. */
  old: boolean;
  /** When to ask again, if that was said. */
  comeBackAtMs?: number;
}

/** One way to spend a counted quota. */
export interface Strategy {
  /** One `/card`. Never rejects: what a member would see as an error is `card: false`. */
  lookUp(cardId: string, requester: Requester): Promise<Outcome>;
  close(): Promise<void>;
}

/** What a strategy is told of the service. */
export interface ServiceAddress {
  url: string;
  fetch: typeof fetch;
  requestsPerMinute: number;
  burst: number;
}

export type StartStrategy = (service: ServiceAddress) => Promise<Strategy>;

/** The price of a card is fresh for so long, for all strategies alike; the bot's own default. */
export const FRESH_MS = 6 * 3_600_000;
