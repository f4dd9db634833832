import type { APIApplicationCommandOptionChoice } from 'discord.js';
import type { Invocation } from '../src/discord/interactions/command.ts';
import { requesterOf } from '../src/model/quota.ts';
import { cardChoices } from '../src/render/card-list.ts';
import type { Services } from './services.ts';

/** After the key was pressed. Discord waits 3 s, but a member who types on does not. */
const SUGGESTIONS_MS = 2_000;

/** Cards for what is typed, which cost no request. @param before what stands in the field before it, and stays there */
export async function suggestCards(
  typed: string,
  invocation: Invocation,
  { catalog }: Services,
  before?: string,
): Promise<APIApplicationCommandOptionChoice[]> {
  const deadlineMs = invocation.receivedAtMs + SUGGESTIONS_MS;
  const cards = await catalog.search(typed, requesterOf(invocation), deadlineMs);
  return cardChoices(invocation.locale, cards, before);
}
