import { describe, expect, it } from 'vitest';
import card from '../../commands/card.ts';
import { KeyRefused } from '../../src/model/errors.ts';
import { askedFor } from '../replies/replies-over.ts';
import { startServices, typed } from './commands.ts';

const NOTHING = { cards: [undefined], fromMemory: 0, requested: 0, requests: 0 };
const VIEW = { locale: 'en-US', quota: undefined, currency: undefined, hasPrintings: false };

describe('/card', () => {
  it('asks for a card without a request', async () => {
    const { services, cardService } = await startServices();
    const asked = await card.ask(typed({ id: ' base1-4 ', private: true }), services);
    expect(asked).toMatchObject({ isPrivate: true, queries: [{ cardId: 'base1-4', showPrices: true }] });
    expect([cardService.requests, services.lookupQueue.length]).toEqual([[], 0]);
  });

  it('says why a lookup failed', () => {
    const outcomes = { ...NOTHING, cards: [{ error: new KeyRefused({ status: 401 }) }] };
    expect(card.show(askedFor('base1-4'), outcomes, VIEW).content).toBe(
      "I can't reach the card service right now. Please tell whoever runs me.",
    );
  });

  it('says when a card is expected that waits', () => {
    const { content } = card.show(askedFor('base1-4'), { ...NOTHING, permitAtMs: 60_000 }, VIEW);
    expect(content).toBe("You're in line. Your card should be here around <t:60:t>.");
    expect(card.show(askedFor('base1-4'), NOTHING, VIEW).content).toBe('Still asking the card service…');
  });
});
