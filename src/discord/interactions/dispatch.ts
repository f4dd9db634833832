import {
  type APIApplicationCommandOptionChoice,
  ApplicationCommandType,
  type AutocompleteInteraction,
  type ChatInputCommandInteraction,
  type CommandInteraction,
  type Interaction,
  type MessageComponentInteraction,
  PermissionFlagsBits,
} from 'discord.js';
import type { Ask, Command, Deletion, Reply, Services, Use } from '../../../commands/command.ts';
import type { Invocation } from '../../model/invocation.ts';
import { REPLY_DEADLINE_MS } from '../../replies/deferred-reply.ts';
import { chosenText } from './chosen-text.ts';

/** After the key was pressed. Discord waits 3 s, but a member who types on does not. */
const SUGGESTIONS_MS = 2_000;

type Run<R> = ((services: Services) => Promise<R>) | undefined;

/** An interaction with the handler for its kind; `run` is absent when no command has one, as after an update. */
export type Dispatched = { invocation: Invocation } & (
  | { kind: 'autocomplete'; run: Run<readonly APIApplicationCommandOptionChoice[]> }
  | {
      kind: 'command' | 'component' | 'modal';
      /** Set for a button or a menu with a handler: it is the same each time that this member uses it in the same way. */
      press?: string;
      /** What was typed or chosen, as it came; the log has a line for refused commands, too. */
      card?: string | undefined;
      run: Run<Ask | Reply | Deletion>;
    }
);

/** Finds the handler of an interaction by its kind, and by the command's name or the custom id. */
export function dispatch(commands: readonly Command[], interaction: Interaction): Dispatched {
  const [name = '', ...rest] = 'customId' in interaction ? interaction.customId.split(':') : [interaction.commandName];
  const invocation = toInvocation(interaction, name);
  const use = { ...invocation, manageGuild: mayManage(interaction, PermissionFlagsBits.ManageGuild) };
  const command: Command | undefined = commands.find(({ data }) => data.name === name);
  if (interaction.isAutocomplete()) return { ...typing(interaction, command, use), invocation };
  if (interaction.isCommand()) return { ...commandUse(interaction, command, use), invocation };
  if (interaction.isModalSubmit()) return { kind: 'modal', invocation, run: undefined };
  return { ...componentUse(interaction, rest.join(':'), command, use), invocation };
}

function typing(interaction: AutocompleteInteraction, { autocomplete }: Partial<Command> = {}, use: Use) {
  const run = async (services: Services) => {
    const { name: option, value: typed } = interaction.options.getFocused(true);
    return autocomplete?.({ ...use, option, typed, suggestByMs: use.receivedAtMs + SUGGESTIONS_MS }, services) ?? [];
  };
  return { kind: 'autocomplete', run: autocomplete && run } as const;
}

function commandUse(interaction: CommandInteraction, { data, ask }: Partial<Command> = {}, use: Use) {
  const isOfItsType = (data?.type ?? ApplicationCommandType.ChatInput) === interaction.commandType;
  const { options } = interaction as ChatInputCommandInteraction; // the others have no options to read
  const run: Run<Ask | Reply> =
    ask && isOfItsType
      ? async (services) => ask({ ...use, options, text: chosenText(interaction) }, services)
      : undefined;
  const typed = interaction.isChatInputCommand() ? options.data.map(({ value }) => value) : [];
  return { kind: 'command', card: typed.find((value) => typeof value === 'string'), run } as const;
}

function componentUse(
  interaction: MessageComponentInteraction,
  argument: string,
  { component, cardOf }: Partial<Command> = {},
  use: Use,
) {
  const { message, customId } = interaction;
  const values = interaction.isAnySelectMenu() ? interaction.values : [];
  const askedBy = message.interactionMetadata?.user.id;
  const manageMessages = mayManage(interaction, PermissionFlagsBits.ManageMessages);
  const card = cardOf?.(argument) ?? values[0];
  if (!component) return { kind: 'component', card, run: undefined } as const;
  const run: Run<Ask | Reply | Deletion> = (services) =>
    component({ ...use, argument, values, askedBy, manageMessages }, services);
  const press = [message.id, use.memberId, customId, ...values].join(' ');
  return { kind: 'component', card, run, press } as const;
}

function mayManage({ memberPermissions }: Pick<Interaction, 'memberPermissions'>, permission: bigint): boolean {
  return memberPermissions?.has(permission) ?? false;
}

function toInvocation(interaction: Interaction, command: string): Invocation {
  const receivedAtMs = Date.now();
  return {
    interactionId: interaction.id,
    applicationId: interaction.applicationId,
    token: interaction.token,
    command,
    memberId: interaction.user.id,
    guildId: interaction.guildId ?? undefined,
    // Always sent (https://docs.discord.com/developers/interactions/receiving-and-responding), but a missing one must not end the reply.
    locale: String(interaction.locale ?? 'en-US'),
    receivedAtMs,
    deadlineMs: receivedAtMs + REPLY_DEADLINE_MS,
  };
}
