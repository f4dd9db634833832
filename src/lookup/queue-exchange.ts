import type { Requester } from '../model/requester.ts';
import type { Lane } from '../quota/limiter.ts';
import type { Rank } from './fairness.ts';
import type { QueuePlace } from './pending-lookup.ts';

/** What other processes have to know of a line, to be fair to those who wait in it. */
export interface QueueSummary {
  /** Those that could be asked for now, on whom each will be booked, and who waits for it. */
  waiting: readonly (QueuePlace & { payer: Requester; requesters: readonly Requester[] })[];
  /** The rank that was served last, in each lane. */
  served: Record<Lane, Rank>;
}

/** The lines of the other processes that share the quota. */
export interface QueueExchange {
  /** Tells what waits here. @returns what waits there; nothing while nobody can be heard. Never rejects. */
  exchange(own: QueueSummary): Promise<readonly QueueSummary[]>;
}

/** For a process that has its quota to itself. */
export const NO_OTHER_QUEUES: QueueExchange = { exchange: () => Promise.resolve([]) };
