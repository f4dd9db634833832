import type { APIApplicationCommandOptionChoice } from 'discord.js';
import type { Invocation } from '../src/discord/interactions/command.ts';
import { requesterOf } from '../src/model/quota.ts';
import { cardChoices } from '../src/render/card-list.ts';
import type { Services } from './services.ts';

/** After the key was pressed. Discord waits 3 s, but a member who types on does not. */
const SUGGESTIONS_MS = 2_000;

/** Cards for what is typed, which cost no request. */
export async function suggestCards(
  typed: string,
  invocation: Invocation,
  { catalog }: Services,
): Promise<APIApplicationCommandOptionChoice[]> {
  const cards = await catalog.search(typed, requesterOf(invocation), suggestedByMs(invocation));
  return cardChoices(invocation.locale, cards);
}

/** When suggestions are too late. */
export function suggestedByMs({ receivedAtMs }: Pick<Invocation, 'receivedAtMs'>): number {
  return receivedAtMs + SUGGESTIONS_MS;
}
