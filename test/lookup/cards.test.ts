import { describe, expect, it } from 'vitest';
import { Cards } from '../../src/lookup/cards.ts';
import type { CardRecord } from '../../src/model/card.ts';
import { createCardService } from '../../src/sandbox/card-service.ts';
import { CardService } from '../../src/service/card-service.ts';
import { sqliteCards } from '../cache/card-stores.ts';
import { lookupQueueOver } from '../support/lookup-queue.ts';

const GONE = { id: 'gone-1', name: 'Ember Drake', game: 'Wyrmfall', set: { id: 'gone', name: 'Long Gone' } };
const TURN = { probe: false, afterFailure: 0 };

describe('a card that the service denies', () => {
  it('is kept as another process has stored it last, marked as no longer listed', async () => {
    const emulated = createCardService();
    const { limiter } = lookupQueueOver(emulated);
    const reservation = sqliteCards();
    const [{ store }, other] = [await reservation.open(), await reservation.open()];
    const service = new CardService({
      baseUrl: 'http://cards.test',
      cardPath: '/cards/{id}',
      timeoutMs: 10_000,
      fetch: emulated.fetch,
      onQuota: () => {},
      onNoSuchCard: () => {},
    });
    const lifetimes = { factsFreshMs: 1, pricesFreshMs: 1, notFoundFreshMs: 1 };
    const cards = new Cards({ store, service, limiter, lifetimes });
    const newer: CardRecord = { card: { ...GONE, name: 'Ember Drake II' }, fetchedAtMs: Date.now() - 1_000 };
    await store.set(GONE.id, { card: GONE, fetchedAtMs: Date.now() - 2_000 });
    await other.store.set(GONE.id, newer);

    const answer = await cards.fetch(GONE.id, TURN);

    expect(answer).toEqual({ ...newer, delistedAtMs: expect.any(Number) });
    expect(await other.store.get(GONE.id, () => false)).toEqual(answer);
  });
});
