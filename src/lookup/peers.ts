import type { Asker } from '../asker.ts';
import type { Lane } from '../quota/pacer.ts';
import type { Rank } from './fairness.ts';
import type { FlightPlace } from './flight.ts';

/** What other processes have to know of a line, to be fair to those who wait in it. */
export interface LineSummary {
  /** Those that could be asked for now, on whom each will be booked, and who waits for it. */
  waiting: readonly (FlightPlace & { payer: Asker; askers: readonly Asker[] })[];
  /** The rank that was served last, in each lane. */
  served: Record<Lane, Rank>;
}

/** The lines of the other processes that share the quota. */
export interface Peers {
  /** Tells what waits here. @returns what waits there; nothing while nobody can be heard. Never rejects. */
  exchange(own: LineSummary): Promise<readonly LineSummary[]>;
}

/** For a process that has its quota to itself. */
export const NO_PEERS: Peers = { exchange: () => Promise.resolve([]) };
