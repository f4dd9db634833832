import {
  type APIApplicationCommand,
  ApplicationCommandType as CommandType,
  InteractionType,
} from 'discord-api-types/v10';

import { apiMessage } from './api-message.ts';
import type { Autocompletions } from './autocompletions.ts';
import type { Choice, HalfTypedCommand, TypedCommand } from './chat.ts';
import type { Conversation } from './conversation.ts';
import { interactionPayload } from './interaction-payload.ts';
import { type Owners, ownersOf, type Place, placeOf } from './place.ts';
import { type InteractionServices, needBot, startInteraction } from './start-interaction.ts';
import { commandLine, halfTypedOptions, typedOptions } from './typed-options.ts';

/** Validates a typed command as Discord's client does and sends it to the bot. @throws Error with a sentence. */
export function typeCommand(typed: TypedCommand, services: InteractionServices): Conversation {
  const { target } = typed;
  const place = placeOf(typed, services.world);
  const command = calledAt(typed.command, target ? CommandType.Message : CommandType.ChatInput, place, services);
  const used = target ? ofMenu(command, target.messageId, services) : ofSlash(command, typed.options ?? {});
  const owners = ownersOfCommand(command, place);
  return startInteraction({ type: InteractionType.ApplicationCommand, place, owners, ...used }, services);
}

function ofSlash(command: APIApplicationCommand, typed: NonNullable<TypedCommand['options']>) {
  const options = typedOptions(command, typed);
  return {
    trigger: 'command' as const,
    line: commandLine(command, options),
    data: { ...commandData(command), ...(options.length > 0 && { options }) },
  };
}

/** The context menu command of a message. */
function ofMenu(command: APIApplicationCommand, id: string, { conversations, posts, world }: InteractionServices) {
  const held = conversations.holder(id)?.held(id);
  const message = held ? apiMessage(held, world) : posts.find(id);
  if (!message) throw new Error(`There is no message with the id ${id}.`);
  return {
    trigger: 'menu' as const,
    line: command.name,
    data: { ...commandData(command), target_id: id, resolved: { messages: { [id]: message } } },
    metadata: { target_message_id: id },
  };
}

/** A guild command takes precedence over the global one of the same name. @throws Error with a sentence. */
function calledAt(
  name: string,
  wanted: CommandType,
  place: Place,
  { commandsAt }: Pick<InteractionServices, 'commandsAt'>,
): APIApplicationCommand {
  const named = commandsAt(place).filter((command) => command.name === name && command.type === wanted);
  const found = named.find(({ guild_id }) => guild_id !== undefined) ?? named[0];
  const shown = wanted === CommandType.ChatInput ? `/${name}` : `"${name}"`;
  if (!found) throw new Error(`${shown} is not registered, or not visible to this member here.`);
  return found;
}

/** The id of the guild for a guild command. @throws Error with Discord's sentence when the app is not installed for it. */
function ownersOfCommand({ integration_types, guild_id }: APIApplicationCommand, place: Place): Owners {
  const owners = guild_id === undefined ? ownersOf(integration_types ?? [0], place) : { 0: guild_id };
  if (Object.keys(owners).length === 0) throw new Error('Unknown Integration');
  return owners;
}

function commandData({ id, name, type, guild_id }: APIApplicationCommand): object {
  return { id, name, type, ...(guild_id !== undefined && { guild_id }) };
}

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
