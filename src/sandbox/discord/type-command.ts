import {
  type APIApplicationCommand,
  ApplicationCommandType as CommandType,
  InteractionType,
} from 'discord-api-types/v10';

import { apiMessage } from './api-message.ts';
import type { TypedCommand } from './chat.ts';
import type { Conversation } from './conversation.ts';
import { type Owners, ownersOf, type Place, placeOf } from './place.ts';
import { type InteractionServices, needBot, startInteraction } from './start-interaction.ts';
import { commandLine, typedOptions } from './typed-options.ts';

/** Validates a typed command as Discord's client does and sends it to the bot. @throws Error with a sentence. */
export function typeCommand(typed: TypedCommand, services: InteractionServices): Conversation {
  const place = placeOf(typed, services.world);
  return typed.target
    ? openMenu(typed.command, typed.target.messageId, place, services)
    : typeSlashCommand(typed, place, services);
}

function typeSlashCommand(typed: TypedCommand, place: Place, services: InteractionServices): Conversation {
  const command = calledAt(typed.command, CommandType.ChatInput, place, services);
  const options = typedOptions(command, typed.options ?? {});
  needBot(services);
  return startInteraction(
    {
      type: InteractionType.ApplicationCommand,
      trigger: 'command',
      line: commandLine(command, options),
      place,
      owners: ownersOfCommand(command, place),
      data: { ...commandData(command), ...(options.length > 0 && { options }) },
      commandName: command.name,
    },
    services,
  );
}

/** Uses the context menu command of a message. */
function openMenu(name: string, id: string, place: Place, services: InteractionServices): Conversation {
  const command = calledAt(name, CommandType.Message, place, services);
  const { conversations, posts, world } = services;
  const held = conversations.holder(id)?.held(id);
  const message = held ? apiMessage(held, world) : posts.find(id);
  if (!message) throw new Error(`There is no message with the id ${id}.`);
  needBot(services);
  return startInteraction(
    {
      type: InteractionType.ApplicationCommand,
      trigger: 'menu',
      line: name,
      place,
      owners: ownersOfCommand(command, place),
      data: { ...commandData(command), target_id: id, resolved: { messages: { [id]: message } } },
      commandName: name,
      metadata: { target_message_id: id },
    },
    services,
  );
}

/** A guild command takes precedence over the global one of the same name. @throws Error with a sentence. */
export function calledAt(
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
export function ownersOfCommand({ integration_types, guild_id }: APIApplicationCommand, place: Place): Owners {
  const owners = guild_id === undefined ? ownersOf(integration_types ?? [0], place) : { 0: guild_id };
  if (Object.keys(owners).length === 0) throw new Error('Unknown Integration');
  return owners;
}

export function commandData({ id, name, type, guild_id }: APIApplicationCommand): object {
  return { id, name, type, ...(guild_id !== undefined && { guild_id }) };
}
