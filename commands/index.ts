import type { Command } from '../src/discord/interactions/command.ts';
import card from './card.ts';
import cards from './cards.ts';
import privacy from './privacy.ts';
import usage from './usage.ts';

/** Every command: the one list that is registered and handled. */
export const commands = [card, cards, usage, privacy] satisfies readonly Command[];
