/** What the process that looks at a stored deferred reply knows of it. */
export interface Ownership {
  /** The process that will complete it; `null` when its owner has left it to any other. */
  owner: string | null;
  /** The id of this process. */
  self: string;
  /** This process is about to complete it. */
  isPendingHere: boolean;
  /** This process has completed it, and could not remove it then. */
  isCompletedHere: boolean;
  isGone: (owner: string) => boolean;
}

/** What to do about a deferred reply that is still stored some seconds after the defer. */
export function nextStep({ owner, self, isGone, ...here }: Ownership): 'remove' | 'wait' | 'take over' {
  if (here.isCompletedHere) return 'remove';
  if (here.isPendingHere) return 'wait';
  // Owned by this process and unknown to it: it was taken over, and the answer to that was lost.
  if (owner === null || owner === self) return 'take over';
  return isGone(owner) ? 'take over' : 'wait';
}
