/** Sent to a bot over its IPC channel. `begin` resets the delays, `measure` only measures, `collect` collects garbage first. */
export type MeasureRequest = 'begin' | 'measure' | 'collect';

/** What a bot measures of itself. */
export interface Measure {
  /** Delay of the event loop since `begin`. */
  delayP99Ms: number;
  longestDelayMs: number;
  /** Used, in MB (10^6 bytes). */
  heapMegabytes: number;
  /** On the client, its REST and gateway managers and the process. */
  listeners: number;
  /** Timers that keep the process alive. */
  timers: number;
  /** REST handlers that discord.js would not sweep. */
  restHandlers: number;
  /** Only after `collect`, because these are counted by a walk through the heap. */
  sockets?: number;
  /** Without those that belong to sockets. */
  emitters?: number;
  abortSignals?: number;
}

/** Counts that must not grow with the number of commands. */
export const KEPT = [
  'listeners',
  'timers',
  'restHandlers',
  'emitters',
  'abortSignals',
] as const satisfies (keyof Measure)[];
