import type { Card, CardRecord } from '../model/card.ts';
import { withPrice } from '../model/price-history.ts';

/**
 * What is kept of a card after an answer. A card that is kept and that the service denies is not forgotten: it is no
 * longer listed. Its former prices stay with it.
 *
 * @param card `undefined`: there is no such card
 */
export function nextRecord(kept: CardRecord | undefined, card: Card | undefined, nowMs: number): CardRecord {
  if (!card) return kept?.card ? { ...kept, delistedAtMs: nowMs } : { card: undefined, fetchedAtMs: nowMs };
  const market = card.prices?.market;
  const history = market === undefined ? kept?.history : withPrice(kept?.history ?? [], [nowMs, market]);
  return { card, fetchedAtMs: nowMs, ...(history && { history }) };
}
