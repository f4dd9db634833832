import { expect, it } from 'vitest';
import type { Bot } from '../../sandbox/bot.ts';
import { EmbeddedCardService } from '../../sandbox/card-service.ts';
import type { EmulatedDiscord } from '../../sandbox/discord/emulated-discord.ts';
import { Guide } from '../../sandbox/guide.ts';
import { KNOWN_CARDS } from '../../sandbox/known-cards.ts';
import { NO_DAY } from '../../sandbox/service-limiters.ts';

it.each([
  ['every step', {}, KNOWN_CARDS, ['find', 'crowd', 'refused', 'day', 'kill', 'watch']],
  [
    'no day that runs out where there is none',
    { requestsPerDay: NO_DAY },
    KNOWN_CARDS,
    ['find', 'crowd', 'refused', 'kill', 'watch'],
  ],
  ['no price that moves since yesterday where the bot knows none', {}, [], ['find', 'crowd', 'refused', 'day', 'kill']],
])('the guide has %s', (_, limits, known, steps) => {
  const cardService = new EmbeddedCardService(limits);
  const guide = new Guide({ cardService, known, cards: [], discord: {} as EmulatedDiscord, bot: {} as Bot });
  expect(guide.shown.steps.map(({ id }) => id)).toEqual(steps);
});
