import { expect } from 'vitest';
import type { EmulatedDiscord } from '../../sandbox/discord/emulated-discord.ts';
import { SAMPLE_CARDS, type ServiceCard } from '../../sandbox/sample-cards.ts';
import { typingIn } from './backends.ts';
import { storedRows } from './world.ts';

export const DRAKE = 'base1-4';
const OTHER = 'base1-2';
/** Each lookup asks the service. */
export const ENV = { PRICES_FRESH_SECONDS: '0' };

/** Two cards for 36.00. */
export function pricedCards(): ServiceCard[] {
  const cards = SAMPLE_CARDS.filter(({ id }) => id === DRAKE || id === OTHER);
  return cards.map((card) => ({ ...card, prices: { market: 36 } }));
}

/** What members do: the first watches, the second looks up. */
export function membersOf(discord: EmulatedDiscord, cards: readonly ServiceCard[]) {
  const { card: lookUp, type, alice, bob } = typingIn(discord);
  return {
    alice,
    /** The service has a new price, and a lookup brings it. */
    async priced(market: number) {
      const card = cards.find(({ id }) => id === DRAKE);
      if (card?.prices) card.prices.market = market;
      const typed = lookUp(DRAKE, {}, { memberId: bob });
      const shown = `**${market.toFixed(2)}**`;
      await typed.until(({ embeds }) => JSON.stringify(embeds).replaceAll(',', '.').includes(shown));
    },
    async watches() {
      const set = type('watch', { card: DRAKE, below: 30 }, { memberId: alice });
      expect((await set.settled()).content).toContain('is at 30.00 or below');
    },
    told: () => discord.messages().filter(({ trigger }) => trigger === 'message'),
  };
}

/** The crossings of which nobody is told yet, in the files of a bot. */
export function untoldIn(dataDir: string): unknown[] {
  return Object.values(storedRows(dataDir, 'watches:untold')).filter((told) => told.startsWith('message'));
}
