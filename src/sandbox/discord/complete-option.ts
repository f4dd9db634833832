import { ApplicationCommandType as CommandType, InteractionType } from 'discord-api-types/v10';

import type { Autocompletions } from './autocompletions.ts';
import type { Choice, HalfTypedCommand } from './chat.ts';
import { interactionPayload } from './interaction-payload.ts';
import { placeOf } from './place.ts';
import { type InteractionServices, needBot } from './start-interaction.ts';
import { calledAt, commandData, ownersOfCommand } from './type-command.ts';
import { halfTypedOptions } from './typed-options.ts';

/**
 * Requests the choices of the focused option from the bot, as Discord's client does with every key.
 * Rejects with a sentence when the bot cannot be reached or does not answer in time.
 */
export async function completeOption(
  typed: HalfTypedCommand,
  services: InteractionServices,
  autocompletions: Autocompletions,
): Promise<Choice[]> {
  const { world, nextId, lifetimes, gateway } = services;
  const place = placeOf(typed, world);
  const command = calledAt(typed.command, CommandType.ChatInput, place, services);
  const options = halfTypedOptions(command, typed.options ?? {}, typed.focused);
  needBot(services);

  const id = nextId();
  const { token, choices } = autocompletions.start(id, place.member.locale, lifetimes.ackMs);
  const type = InteractionType.ApplicationCommandAutocomplete;
  const data = { ...commandData(command), options };
  const owners = ownersOfCommand(command, place);
  gateway.dispatch(
    'INTERACTION_CREATE',
    place.guildId,
    interactionPayload({ id, token, type, place, owners, data }, world),
  );
  return choices;
}
