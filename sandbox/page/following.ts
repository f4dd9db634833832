/** A reader closer to the end than this wants to see new messages. */
const NEAR_END_PX = 80;

/** Where the newest message is read: at its end, unless it is higher than the view, of which its top is shown then. */
export function followedTopPx({ newestPx, endPx }: { newestPx: number; endPx: number }): number {
  return Math.max(0, Math.min(newestPx, endPx));
}

export interface Scrolled {
  /** Whether the newest message was followed before. */
  following: boolean;
  /** `scrollTop` before and now. */
  beforePx: number;
  topPx: number;
  /** What is shown, or the view of it, has another height since then. */
  isResized: boolean;
  /** From the lower edge of the visible part to the end. */
  toEndPx: number;
}

/**
 * Whether the newest message is followed after a scroll. Only scrolling up stops it: the end also moves when an image
 * loads, and the scroll event after that is not the reader's. Nor is one that comes with another height.
 */
export function followsAfterScroll({ following, beforePx, topPx, isResized, toEndPx }: Scrolled): boolean {
  if (toEndPx < NEAR_END_PX) return true;
  return following && (topPx >= beforePx || isResized);
}
