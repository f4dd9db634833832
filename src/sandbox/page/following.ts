/** Nearer to the end than this, a reader wants to see what comes next. */
const NEAR_END_PX = 80;

export interface Scrolled {
  /** Whether the newest message was being followed before. */
  following: boolean;
  /** `scrollTop` before and now. */
  beforePx: number;
  topPx: number;
  /** From the lower edge of what is seen to the end. */
  toEndPx: number;
}

/**
 * Whether the newest message is followed after a scroll. Only who scrolled up themselves has left it: the end also moves
 * away by itself, when an image arrives, and a scroll event that comes after that must not be taken for the reader's.
 */
export function followsAfterScroll({ following, beforePx, topPx, toEndPx }: Scrolled): boolean {
  if (toEndPx < NEAR_END_PX) return true;
  return following && topPx >= beforePx;
}
