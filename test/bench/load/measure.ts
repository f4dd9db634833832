/** What a bot is asked over its IPC channel. `begin` forgets the delays so far, `measure` only looks, `collect` collects garbage first. */
export type MeasureRequest = 'begin' | 'measure' | 'collect';

/** What a bot says of itself. */
export interface Measure {
  /** By how much the event loop was late, since `begin`; ms. */
  delayP99Ms: number;
  longestDelayMs: number;
  /** Used, in MB (10^6 bytes). */
  heapMegabytes: number;
  /** Of the client, its REST and gateway managers and the process. */
  listeners: number;
  /** Timers that keep the process alive. */
  timers: number;
  /** REST handlers that the next of discord.js' sweeps would leave. */
  restHandlers: number;
  /** Only when garbage was collected, since each is counted by a walk through the heap. */
  sockets?: number;
  /** Without what belongs to the sockets. */
  emitters?: number;
  abortSignals?: number;
}

/** What must not be more after many commands than after few. */
export const KEPT = [
  'listeners',
  'timers',
  'restHandlers',
  'emitters',
  'abortSignals',
] as const satisfies (keyof Measure)[];
