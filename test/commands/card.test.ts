import { expect, it } from 'vitest';
import card from '../../commands/card.ts';
import { askedFor } from '../replies/replies-over.ts';

it('says when a card is expected that waits, and that the service is slow', () => {
  const nothing = { cards: [undefined], fromMemory: 0, requested: 0, requests: 0 };
  const to = { locale: 'en-US', quota: undefined, currency: undefined, hasPrintings: false };
  const shown = (outcomes: object) => card.show(askedFor('base1-4'), { ...nothing, ...outcomes }, to).content;
  expect(shown({ permitAtMs: 60_000 })).toBe("You're in line. Your card should be here around <t:60:t>.");
  expect(shown({})).toBe('Still asking the card service…');
});
