import { describe, expect, it } from 'vitest';
import type { Answer } from '../../src/card.ts';
import { CardLookup } from '../../src/lookup/card-lookup.ts';
import { createCardService } from '../../src/sandbox/card-service.ts';
import { CardService } from '../../src/service/card-service.ts';
import { sqliteCards } from '../cache/card-places.ts';
import { lineOver } from '../support/line.ts';

const GONE = { id: 'gone-1', name: 'Ember Drake', game: 'Wyrmfall', set: { id: 'gone', name: 'Long Gone' } };
const TURN = { probe: false, afterFailure: 0 };

describe('a card that the service denies', () => {
  it('is kept as another process has stored it last, marked as no longer listed', async () => {
    const emulated = createCardService();
    const { pacer } = lineOver(emulated);
    const place = sqliteCards();
    const [{ store }, other] = [await place.open(), await place.open()];
    const service = new CardService({
      baseUrl: 'http://cards.test',
      cardPath: '/cards/{id}',
      timeoutMs: 10_000,
      fetch: emulated.fetch,
      onQuota: () => {},
      onNoSuchCard: () => {},
    });
    const lifetimes = { factsFreshMs: 1, pricesFreshMs: 1, notFoundFreshMs: 1 };
    const lookup = new CardLookup({ store, service, pacer, lifetimes });
    const newer: Answer = { card: { ...GONE, name: 'Ember Drake II' }, askedAtMs: Date.now() - 1_000 };
    await store.set(GONE.id, { card: GONE, askedAtMs: Date.now() - 2_000 });
    await other.store.set(GONE.id, newer);

    const answer = await lookup.ask(GONE.id, TURN);

    expect(answer).toEqual({ ...newer, deniedAtMs: expect.any(Number) });
    expect(await other.store.get(GONE.id, () => false)).toEqual(answer);
  });
});
