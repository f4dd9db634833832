import {
  type APIApplicationCommandOptionChoice,
  ApplicationCommandType,
  type Interaction,
  PermissionFlagsBits,
} from 'discord.js';
import type { Services } from '../../../commands/services.ts';
import { REPLY_DEADLINE_MS } from '../../replies/deferred-reply.ts';
import type { Command, Invocation, MessageCommand, Response, SlashCommand } from './command.ts';

/** An interaction with the handler for its kind; `run` is absent when no command has one, as after an update. */
export type Dispatched = { name: string; invocation: Invocation } & (
  | {
      kind: 'autocomplete';
      run: ((services: Services) => Promise<readonly APIApplicationCommandOptionChoice[]>) | undefined;
    }
  | {
      kind: 'command' | 'component' | 'modal';
      run: ((services: Services) => Promise<Response>) | undefined;
      /** The command that completes a deferred reply. */
      command: string;
    }
);

/** Finds the handler of an interaction by its kind, and by the command's name or the custom id. */
export function dispatch(commands: readonly Command[], interaction: Interaction): Dispatched {
  const invocation = toInvocation(interaction);
  if (interaction.isChatInputCommand()) {
    const { commandName: name, options } = interaction;
    const command = commands.filter(isSlash).find(({ data }) => data.name === name);
    const run = command && ((services: Services) => command.run({ ...invocation, options }, services));
    return { kind: 'command', name, command: name, invocation, run };
  }
  if (interaction.isAutocomplete()) {
    const { commandName: name, options } = interaction;
    const handler = commands.filter(isSlash).find(({ data }) => data.name === name)?.autocomplete;
    const run =
      handler &&
      (async (services: Services) => {
        const { name: option, value: typed } = options.getFocused(true);
        return handler({ ...invocation, option, typed }, services);
      });
    return { kind: 'autocomplete', name, invocation, run };
  }
  if (interaction.isMessageContextMenuCommand()) {
    const { commandName: name } = interaction;
    const command = commands.filter(isMessageCommand).find(({ data }) => data.name === name);
    const run =
      command &&
      (async (services: Services) => {
        const { content: text } = interaction.targetMessage;
        return command.run({ ...invocation, text }, services);
      });
    return { kind: 'command', name, command: name, invocation, run };
  }
  if (interaction.isCommand()) {
    const { commandName: name } = interaction;
    return { kind: 'command', name, command: name, invocation, run: undefined };
  }
  const { customId } = interaction;
  if (interaction.isModalSubmit()) {
    return { kind: 'modal', name: customId, command: customId, invocation, run: undefined };
  }
  const [name = '', ...rest] = customId.split(':');
  const component = commands.find(({ data }) => data.name === name)?.component;
  const values = interaction.isAnySelectMenu() ? interaction.values : [];
  const run =
    component && ((services: Services) => component({ ...invocation, argument: rest.join(':'), values }, services));
  return { kind: 'component', name: customId, command: name, invocation, run };
}

function isSlash(command: Command): command is SlashCommand {
  return (command.data.type ?? ApplicationCommandType.ChatInput) === ApplicationCommandType.ChatInput;
}

function isMessageCommand(command: Command): command is MessageCommand {
  return command.data.type === ApplicationCommandType.Message;
}

function toInvocation(interaction: Interaction): Invocation {
  const receivedAtMs = Date.now();
  return {
    interactionId: interaction.id,
    applicationId: interaction.applicationId,
    token: interaction.token,
    memberId: interaction.user.id,
    guildId: interaction.guildId ?? undefined,
    locale: interaction.locale,
    receivedAtMs,
    deadlineMs: receivedAtMs + REPLY_DEADLINE_MS,
    manageGuild: interaction.memberPermissions?.has(PermissionFlagsBits.ManageGuild) ?? false,
  };
}
