/** What the process that looks at a debt knows of it. */
export interface Custody {
  /** The process that owes it; `null` when that left it to others. */
  home: string | null;
  own: string;
  /** This process is paying it. */
  owedHere: boolean;
  /** This process has paid it, and could not strike it out then. */
  paidHere: boolean;
  isGone: (home: string) => boolean;
}

/** What to do about a debt that is still written down some seconds after it was made. */
export function nextStep({ home, own, owedHere, paidHere, isGone }: Custody): 'strike' | 'wait' | 'take over' {
  if (paidHere) return 'strike';
  if (owedHere) return 'wait';
  // One's own that one does not know: taken over, and the answer to that was lost.
  if (home === null || home === own) return 'take over';
  return isGone(home) ? 'take over' : 'wait';
}
