import type { Verdict } from '../table.ts';

/** The result of one kind of load. */
export interface LoadRow {
  name: string;
  commands: number;
  seconds: number;
  delayP99Ms: number;
  longestDelayMs: number;
  /** Early, in the middle and at the end. */
  residentMegabytes: number[];
  verdicts: Verdict[];
  note: string;
}
