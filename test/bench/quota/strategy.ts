import type { Requester } from '../../../src/model/quota.ts';

/** What a member saw in the end. */
export interface Outcome {
  /** Whether a card was shown; a stale copy counts. */
  card: boolean;
  /** Whether the copy was stale when it was shown. */
  stale: boolean;
  /** The copy was not renewed, because there was no request for it; known once the lookup has ended. */
  isKept?: boolean;
  /** When to ask again, if stated. */
  comeBackAtMs?: number;
}

/** One way to spend a counted quota. */
export interface Strategy {
  /** One `/card`. Never rejects: what a member would see as an error is `card: false`. */
  lookUp(cardId: string, requester: Requester): Promise<Outcome>;
  close(): Promise<void>;
}

/** What a strategy knows of the service. */
export interface ServiceAddress {
  url: string;
  fetch: typeof fetch;
  requestsPerMinute: number;
  burst: number;
}

export type StartStrategy = (service: ServiceAddress) => Promise<Strategy>;

/** How long the prices of a card are fresh for every strategy: the bot's default. */
export const FRESH_MS = 6 * 3_600_000;
