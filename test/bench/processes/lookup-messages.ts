import type { Requester } from '../../../src/model/quota.ts';

/** The options of a process: its service, and the variables for the shared Redis. */
export interface LookupProcessOptions {
  url: string;
  requestsPerMinute: number;
  burst: number;
  variables: Record<string, string>;
}

/** Lookups to start at `atMs` in this order, `atOnce` at a time. */
export interface LookupMessage {
  lookups: { cardId: string; requester: Requester }[];
  atMs: number;
  atOnce: number;
}

/** Sent when all are answered. */
export interface AnsweredMessage {
  withCard: number;
  lastAtMs: number;
}
