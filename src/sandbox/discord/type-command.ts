import {
  type APIApplicationCommand,
  ApplicationCommandType as CommandType,
  InteractionType,
} from 'discord-api-types/v10';

import { apiMessage } from './api-message.ts';
import type { TypedCommand } from './chat.ts';
import type { Conversation } from './conversation.ts';
import { type Owners, ownersOf, type Place, placeOf } from './place.ts';
import { isResolvable, type Resolvable, resolvableAt, resolved } from './resolvable.ts';
import { type InteractionServices, needBot, startInteraction } from './start-interaction.ts';
import {
  attach,
  type Callable,
  callable,
  commandLine,
  lineOf,
  type TypedOption,
  typedOptions,
  withinPath,
} from './typed-options.ts';

/** Validates a typed command as Discord's client does and sends it to the bot. @throws Error with a sentence. */
export function typeCommand(typed: TypedCommand, services: InteractionServices): Conversation {
  return typed.target ? openMenu(typed, typed.target, services) : typeSlashCommand(typed, services);
}

function typeSlashCommand(typed: TypedCommand, services: InteractionServices): Conversation {
  const place = placeOf(typed, services.world);
  const called = calledAt(typed.command, place, services);
  const { values, prepared } = attach(typed.options ?? {}, place.channelId, services.files);
  const attachments = prepared.map(({ attachment }) => attachment);
  const known = resolvableAt(place, services.world, attachments);
  const options = typedOptions(called, values, known);
  needBot(services);
  services.files.keep(prepared);
  const things = resolved(options, known);
  return startInteraction(
    {
      type: InteractionType.ApplicationCommand,
      trigger: 'command',
      line: commandLine(called, options, (option) => shownValue(option, known)),
      place,
      owners: ownersOfCommand(called.command, place),
      data: { ...commandData(called.command), ...optionData(called, options), ...(things && { resolved: things }) },
      commandName: lineOf(called).slice(1),
    },
    services,
  );
}

function openMenu(
  { command: name, ...at }: TypedCommand,
  target: NonNullable<TypedCommand['target']>,
  services: InteractionServices,
): Conversation {
  const place = placeOf(at, services.world);
  const type = 'userId' in target ? CommandType.User : CommandType.Message;
  const command = visible(name, type, place, services);
  const { data, metadata } =
    'userId' in target ? userTarget(target.userId, place, services) : messageTarget(target.messageId, services);
  needBot(services);
  return startInteraction(
    {
      type: InteractionType.ApplicationCommand,
      trigger: 'menu',
      line: command.name,
      place,
      owners: ownersOfCommand(command, place),
      data: { ...commandData(command), ...data },
      commandName: command.name,
      metadata,
    },
    services,
  );
}

function userTarget(id: string, place: Place, { world }: InteractionServices) {
  const known = resolvableAt(place, world);
  const user = known.users.get(id);
  if (!user) throw new Error(`There is no member with the id ${id}.`);
  const things = { users: { [id]: user }, ...(known.members.has(id) && { members: { [id]: known.members.get(id) } }) };
  return { data: { target_id: id, resolved: things }, metadata: { target_user: user } };
}

function messageTarget(id: string, { conversations, posts, world }: InteractionServices) {
  const held = conversations.holder(id)?.held(id);
  const message = held ? apiMessage(held, world) : posts.find(id);
  if (!message) throw new Error(`There is no message with the id ${id}.`);
  return {
    data: { target_id: id, resolved: { messages: { [id]: message } } },
    metadata: { target_message_id: id },
  };
}

/** The slash command or subcommand with a name such as `deck cards add`. @throws Error with a sentence. */
export function calledAt(name: string, place: Place, services: InteractionServices): Callable {
  const [first = '', ...path] = name.trim().split(/\s+/);
  return callable(visible(first, CommandType.ChatInput, place, services), path);
}

/** A guild command takes precedence over the global one of the same name. */
function visible(
  name: string,
  wanted: CommandType,
  place: Place,
  { commandsAt }: InteractionServices,
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

export function optionData(called: Callable, options: TypedOption[]): object {
  const within = withinPath(called, options);
  return within.length > 0 ? { options: within } : {};
}

function shownValue({ type, value }: TypedOption, known: Resolvable): string {
  const id = String(value);
  if (!isResolvable(type, id, known)) return id;
  const { users, roles, channels, attachments } = known;
  const user = users.get(id)?.global_name ?? users.get(id)?.username;
  if (user !== undefined) return `@${user}`;
  return attachments.get(id)?.filename ?? channels.get(id)?.name ?? roles.get(id)?.name ?? id;
}
