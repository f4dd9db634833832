/** The lookup queues of the other processes that share the quota. Both methods answer at once. */
export interface OtherQueues {
  /** Tells the others how many pending lookups of members wait here: with the next heartbeat, which is sent anyway. */
  tell(length: number): void;
  /** Of each other process that is alive, as it last told; none while they cannot be reached. */
  lengths(): readonly number[];
}

/** For a process that shares its quota with no other. */
export const NO_OTHER_QUEUES: OtherQueues = { tell: () => {}, lengths: () => [] };

/** Processes take turns: before the n-th permit of this one, each other has had n, or as many as it wants. */
export function positionOfAll(position: number, lengths: readonly number[]): number {
  return lengths.reduce((sum, length) => sum + Math.min(length, position), position);
}
