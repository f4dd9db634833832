import type { Requester } from '../../../src/model/requester.ts';

/** What a process is to be: the service it asks, and the Redis that it shares. */
export interface LookupProcessOptions {
  url: string;
  requestsPerMinute: number;
  burst: number;
  variables: Record<string, string>;
}

/** From `atMs` on, so many at once, in their order. */
export interface LookupMessage {
  lookups: { cardId: string; requester: Requester }[];
  atMs: number;
  atOnce: number;
}

/** All were answered, the last at `lastAtMs`. */
export interface AnsweredMessage {
  withCard: number;
  lastAtMs: number;
}
