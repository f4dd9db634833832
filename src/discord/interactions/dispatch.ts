import {
  type APIApplicationCommandOptionChoice,
  ApplicationCommandType,
  type ChatInputCommandInteraction,
  type CommandInteraction,
  type Interaction,
  type Message as InteractionMessage,
  type ModalSubmitInteraction,
  PermissionFlagsBits,
} from 'discord.js';
import type {
  Command,
  ComponentUse,
  Deletion,
  Form,
  Message,
  Reply,
  Services,
  Use,
  View,
} from '../../../commands/command.ts';
import { withDelete } from '../../../commands/delete-reply.ts';
import {
  type Asked,
  type AskedList,
  type Invocation,
  NOTHING_SET,
  type ServerSettings,
} from '../../model/invocation.ts';
import { formatMessage } from '../../render/messages.ts';
import { replyLocale } from '../../render/reply-locale.ts';
import { type CardsReply, REPLY_DEADLINE_MS, type RenderReply } from '../../replies/reply-ports.ts';
import { textOf } from './message-text.ts';

/** After the key was pressed. Discord waits 3 s, but a member who types on does not. */
const SUGGESTIONS_MS = 2_000;

/** @param server nothing is set there unless given */
type Handler<R> = ((services: Services, server?: ServerSettings) => Promise<R>) | undefined;

/** An interaction with the handler for its kind, which is absent when no command has one, as after an update. */
export interface Dispatched {
  kind: 'autocomplete' | 'command' | 'component';
  invocation: Invocation;
  suggest?: Handler<readonly APIApplicationCommandOptionChoice[]>;
  run?: Handler<Asked | Reply | Deletion | Form>;
  /** Set for a button or a menu with a handler: it is the same each time that this member uses it in the same way. */
  press?: string;
  /** What was typed or chosen, as it came; the log has a line for refused commands, too. */
  card?: string | undefined;
}

/** Finds the handler of an interaction by its kind, and by the command's name or the custom id. */
export function dispatch(commands: readonly Command[], interaction: Interaction): Dispatched {
  const [name = '', ...rest] = 'customId' in interaction ? interaction.customId.split(':') : [interaction.commandName];
  const invocation = toInvocation(interaction, name);
  // A public reply is rendered for its server; all else is said to the member alone.
  const locale = replyLocale(invocation, true);
  const manageGuild = hasPermission(interaction, PermissionFlagsBits.ManageGuild);
  const use = { ...invocation, locale, manageGuild, server: NOTHING_SET };
  const command = commands.find(({ data }) => data.name === name);
  const { data, ask, autocomplete, component, submit, cardOf }: Partial<Command> = command ?? {};

  if (interaction.isAutocomplete()) {
    const suggest = async (services: Services) => {
      const { name: option, value: typed } = interaction.options.getFocused(true);
      return autocomplete?.({ ...use, option, typed, suggestByMs: use.receivedAtMs + SUGGESTIONS_MS }, services) ?? [];
    };
    return { kind: 'autocomplete', invocation, suggest: autocomplete && suggest };
  }

  if (interaction.isCommand()) {
    const isOfItsType = (data?.type ?? ApplicationCommandType.ChatInput) === interaction.commandType;
    const { options } = interaction as ChatInputCommandInteraction; // the others have no options to read
    const typed = interaction.isChatInputCommand() ? options.data.map(({ value }) => value) : [];
    const card = typed.find((value) => typeof value === 'string');
    if (!ask || !isOfItsType) return { kind: 'command', invocation, card };
    const run = async (services: Services, server = NOTHING_SET) =>
      ask({ ...use, server, options, text: chosenText(interaction) }, services);
    return { kind: 'command', invocation, card, run };
  }

  const argument = rest.join(':');
  if (interaction.isModalSubmit())
    return { kind: 'component', invocation, card: cardOf?.(argument), run: ofForm(interaction, use, argument, submit) };
  const values = interaction.isAnySelectMenu() ? interaction.values : [];
  const card = cardOf?.(argument) ?? values[0];
  if (!component) return { kind: 'component', invocation, card };
  const { message, customId } = interaction;
  const manageMessages = hasPermission(interaction, PermissionFlagsBits.ManageMessages);
  const pressed = { argument, values, content: message.content, repliedTo: repliedTo(message), manageMessages };
  const run = async (services: Services, server = NOTHING_SET) => component({ ...use, server, ...pressed }, services);
  const press = [message.id, use.requester.memberId, customId, ...values].join(' ');
  return { kind: 'component', invocation, card, run, press };
}

/** What was typed into it stands in no log, so it is no `card`. */
function ofForm(
  { fields }: ModalSubmitInteraction,
  use: Use,
  argument: string,
  submit: Command['submit'],
): Handler<Asked | Reply> {
  return submit && (async (services, server = NOTHING_SET) => submit({ ...use, server, argument, fields }, services));
}

function repliedTo({ interactionMetadata }: InteractionMessage): ComponentUse['repliedTo'] {
  return interactionMetadata
    ? { interactionId: interactionMetadata.id, memberId: interactionMetadata.user.id }
    : undefined;
}

/** Empty for a command that is typed. */
function chosenText(interaction: CommandInteraction): string {
  return interaction.isMessageContextMenuCommand() ? textOf(interaction.targetMessage) : '';
}

function hasPermission({ memberPermissions }: Pick<Interaction, 'memberPermissions'>, permission: bigint): boolean {
  return memberPermissions?.has(permission) ?? false;
}

function toInvocation(interaction: Interaction, command: string): Invocation {
  const receivedAtMs = Date.now();
  const guildId = interaction.guildId ?? undefined;
  // In direct messages with the bot the id is 0, if it shares a server with the member.
  const isInstalled = interaction.authorizingIntegrationOwners.guildId !== null;
  return {
    interactionId: interaction.id,
    webhook: { applicationId: interaction.applicationId, token: interaction.token },
    command,
    requester: {
      memberId: interaction.user.id,
      guildId,
      channelId: guildId === undefined ? (interaction.channelId ?? undefined) : undefined,
      isInstalled,
    },
    canReplyPublicly:
      isInstalled || guildId === undefined || hasPermission(interaction, PermissionFlagsBits.UseExternalApps),
    // Always sent (https://docs.discord.com/developers/interactions/receiving-and-responding), but a missing one must
    // not end the reply.
    locale: String(interaction.locale ?? 'en-US'),
    guildLocale: interaction.guildLocale?.toString(),
    receivedAtMs,
    deadlineMs: receivedAtMs + REPLY_DEADLINE_MS,
  };
}

interface RendererOptions extends Pick<Services, 'limiter' | 'currency' | 'display'> {
  /** Renders a pasted list, from what is kept of its cards. */
  showList?(reply: CardsReply, list: AskedList, outcomes: Parameters<RenderReply>[1], view: View): Promise<Message>;
}

/**
 * What a reply shows by the command that asked for its cards, in the language of whom it is for; a sentence when there
 * is no such command any more, or when it throws, with the error for the log.
 */
export function replyRenderer(
  commands: readonly Command[],
  { limiter, currency, display, showList }: RendererOptions,
): RenderReply {
  return async (reply, outcomes, isPrivate = reply.asked.isPrivate) => {
    const { command, canReplyPublicly, asked, requester, ...locales } = reply;
    const locale = replyLocale(locales, isPrivate, asked.language);
    const show = commands.find(({ data }) => data.name === command)?.show;
    const sentence = (key: 'unknownCommand' | 'broken') => {
      const message = { content: formatMessage(locale, key) };
      return isPrivate ? message : withDelete(message, locale);
    };
    if (!show) return { message: sentence('unknownCommand') };
    try {
      const view = { locale, quota: limiter.view().quota, currency, display, canReplyPublicly, isPrivate };
      if (asked.list && showList) return { message: await showList(reply, asked.list, outcomes, view) };
      return { message: show(asked, outcomes, view) };
    } catch (err) {
      return { message: sentence('broken'), err };
    }
  };
}
