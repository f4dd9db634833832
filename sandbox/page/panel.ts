import type { Snapshot } from '../page-protocol.ts';

/** Shows its part of a snapshot. */
export type Panel = (snapshot: Snapshot, locale: string) => void;

/** Draws only what differs from what was drawn last, so that the focus and what is chosen or scrolled stay. */
export function whenChanged<Shown extends unknown[]>(draw: (...shown: Shown) => void): (...shown: Shown) => void {
  let drawn = '';
  return (...shown) => {
    const wanted = JSON.stringify(shown);
    if (wanted === drawn) return;
    drawn = wanted;
    draw(...shown);
  };
}
