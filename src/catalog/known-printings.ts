import { LRUCache } from 'lru-cache';
import type { Requester } from '../model/quota.ts';
import type { Catalog } from './catalog.ts';

const MOST_KNOWN = 10_000;
/** After so long it is asked again whether a card has other printings. */
const FRESH_MS = 600_000;
const ASK_AFTER_MS = 100;

/**
 * Whether a card has other printings. With `hasTime` it takes up to a second, and is `false` when it cannot be known, as
 * before the first search. The catalog answers from another thread, with which a reply from memory would take three times
 * as long. Without time it is what was found last; a card that was never asked about is taken to have some, and is known
 * the next time.
 */
export function knownPrintings(catalog: Pick<Catalog, 'countPrintings'>) {
  const kept = { allowStale: true, noDeleteOnStaleGet: true }; // until it is found anew
  const known = new LRUCache<string, boolean>({ max: MOST_KNOWN, ttl: FRESH_MS, ...kept });
  const find = async (cardId: string, who: Requester) => {
    const others = await catalog.countPrintings(cardId, who);
    if (others !== undefined) known.set(cardId, others > 0);
    return others !== undefined && others > 0;
  };
  /** One at a time, and not while the reply is sent: a card that is shown meanwhile is asked about when it is shown again. */
  let isAsking = false;
  const askLater = (cardId: string, who: Requester) => {
    if (isAsking) return;
    isAsking = true;
    setTimeout(() => {
      isAsking = false;
      void find(cardId, who);
    }, ASK_AFTER_MS).unref();
  };
  return (cardId: string, who: Requester, hasTime: boolean): boolean | Promise<boolean> => {
    if (hasTime) return find(cardId, who);
    if (!known.has(cardId)) askLater(cardId, who);
    return known.get(cardId) ?? true;
  };
}
