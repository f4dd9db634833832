import card from './card.ts';
import cards, { lookUpCards } from './cards.ts';
import type { Command } from './command.ts';
import { type Declaration, declarationOf } from './declare.ts';
import privacy from './privacy.ts';
import settings from './settings.ts';
import usage from './usage.ts';
import watch, { watches } from './watch.ts';

/** Every command: the one list that is registered and handled. */
export const commands = [
  card,
  cards,
  lookUpCards,
  watch,
  watches,
  usage,
  privacy,
  settings,
] satisfies readonly Command[];

/** As Discord is told of them. @param hasUserInstall whether members can install the bot for themselves */
export function declarations(hasUserInstall: boolean): Declaration[] {
  return commands.map(({ data }) => declarationOf(data, hasUserInstall));
}
