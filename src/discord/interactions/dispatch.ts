import {
  type APIApplicationCommandOptionChoice,
  type Interaction,
  type Message,
  PermissionFlagsBits,
} from 'discord.js';
import type { Services } from '../../../commands/services.ts';
import { MAX_CARD_ID_LENGTH } from '../../model/card.ts';
import { formatMessage } from '../../render/messages.ts';
import type { RenderReply } from '../../replies/completion.ts';
import { REPLY_DEADLINE_MS } from '../../replies/deferred-reply.ts';
import type { Command, Deletion, Invocation, ListDeferral, Response } from './command.ts';

type Run<R> = ((services: Services) => Promise<R>) | undefined;

type Handled = Response | ListDeferral | Deletion;

/** An interaction with the handler for its kind; `run` is absent when no command has one, as after an update. */
export type Dispatched = {
  /** The command's name; of a component or a form, what its custom id has in place of it. */
  command: string;
  invocation: Invocation;
} & (
  | { kind: 'autocomplete'; run: Run<readonly APIApplicationCommandOptionChoice[]> }
  | {
      kind: 'command' | 'component' | 'modal';
      /** Of a button or a menu with a handler: the same for each time that this member uses it in the same way. */
      press?: string;
      /** What was typed or chosen, as it came; the log has a line for refused commands, too. */
      card?: string | undefined;
      run: Run<Handled>;
    }
);

/** Finds the handler of an interaction by its kind, and by the command's name or the custom id. */
export function dispatch(commands: readonly Command[], interaction: Interaction): Dispatched {
  const invocation = toInvocation(interaction);
  const named = (name: string): Partial<Command> => commands.find(({ data }) => data.name === name) ?? {};
  if (interaction.isAutocomplete()) {
    const { commandName: command, options } = interaction;
    const { autocomplete } = named(command);
    const run: Run<readonly APIApplicationCommandOptionChoice[]> =
      autocomplete &&
      (async (services) => {
        const { name: option, value: typed } = options.getFocused(true);
        return autocomplete({ ...invocation, option, typed }, services);
      });
    return { kind: 'autocomplete', command, invocation, run };
  }
  if (interaction.isCommand()) {
    const { commandName: command } = interaction;
    const { run: onTyped, runOnMessage } = named(command);
    let run: Run<Handled>;
    let card: string | undefined;
    if (interaction.isChatInputCommand()) {
      const { options } = interaction;
      card = options.data.flatMap(({ value }) => (typeof value === 'string' ? value : []))[0];
      run = onTyped && ((services) => onTyped({ ...invocation, options }, services));
    } else if (interaction.isMessageContextMenuCommand()) {
      const { targetMessage } = interaction;
      run = runOnMessage && ((services) => runOnMessage({ ...invocation, text: textOf(targetMessage) }, services));
    }
    return { kind: 'command', command, invocation, card, run };
  }
  const [command = '', ...rest] = interaction.customId.split(':');
  if (interaction.isModalSubmit()) return { kind: 'modal', command, invocation, run: undefined };
  const { component, cardOf } = named(command);
  const values = interaction.isAnySelectMenu() ? interaction.values : [];
  const askedBy = interaction.message.interactionMetadata?.user.id;
  const manageMessages = interaction.memberPermissions?.has(PermissionFlagsBits.ManageMessages) ?? false;
  const argument = rest.join(':');
  const run: Run<Response | Deletion> =
    component && ((services) => component({ ...invocation, argument, values, askedBy, manageMessages }, services));
  const press = [interaction.message.id, invocation.memberId, interaction.customId, ...values].join(' ');
  return { kind: 'component', command, invocation, card: cardOf?.(argument) ?? values[0], run, ...(run && { press }) };
}

/** As long as an id, on one line, and without control characters, which a terminal would obey. */
export function forLog(text = ''): string | undefined {
  const shown = text.replaceAll(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ').trim();
  return shown === '' ? undefined : Array.from(shown).slice(0, MAX_CARD_ID_LENGTH).join('');
}

/** Renders a completed reply by the command that deferred it; a sentence when there is none any more, or when it throws. */
export function replyRenderer(commands: readonly Command[], services: Services): RenderReply {
  return (reply, outcome) => {
    const sentence = (key: 'unknownCommand' | 'broken') => ({ content: formatMessage(reply.locale, key) });
    try {
      const command: Command | undefined = commands.find(({ data }) => data.name === reply.command);
      const message =
        'list' in outcome
          ? command?.completeList?.(reply, outcome.list, services)
          : command?.complete?.(reply, outcome, services);
      return { message: message ?? sentence('unknownCommand') };
    } catch (err) {
      return { message: sentence('broken'), err };
    }
  };
}

type Text = Pick<Message, 'content'> &
  Partial<Pick<Message, 'embeds' | 'attachments' | 'components' | 'poll'>> & {
    messageSnapshots?: Message['messageSnapshots'] | null;
  };

/** With that of its embeds, its components, its files, its poll, and of the messages that it forwards. */
function textOf({ content, embeds = [], components = [], attachments, poll, messageSnapshots }: Text): string {
  const ofEmbeds = embeds.flatMap(({ title, description, fields, footer, author }) => [
    ...[author?.name, title, description],
    ...fields.flatMap(({ name, value }) => [name, value]),
    footer?.text,
  ]);
  const ofFiles = attachments?.map(({ title, name, description }) => [title ?? fileTitle(name), description]) ?? [];
  const forwarded = messageSnapshots?.map((snapshot) => textOf(snapshot)) ?? [];
  const ofPoll = [poll?.question.text, ...(poll?.answers.map(({ text }) => text) ?? [])];
  const texts = [content, ...ofEmbeds, ...displayed({ components }), ...ofFiles.flat(), ...ofPoll, ...forwarded];
  return texts.filter(Boolean).join('\n');
}

/** The texts that a component shows, those of the components in it included; labels are none. */
function displayed(component: object): string[] {
  const { content, components = [] } = component as { content?: string; components?: readonly object[] };
  return [...(content ? [content] : []), ...components.flatMap((each) => displayed(each))];
}

/** Without its ending, and with the blanks that Discord has replaced; those of a photo's number stay. */
function fileTitle(name: string): string {
  return name.replace(/\.\w+$/, '').replace(/(?<=\p{L})_(?=\p{L})/gu, ' ');
}

function toInvocation(interaction: Interaction): Invocation {
  const receivedAtMs = Date.now();
  return {
    interactionId: interaction.id,
    applicationId: interaction.applicationId,
    token: interaction.token,
    memberId: interaction.user.id,
    guildId: interaction.guildId ?? undefined,
    // Always sent (https://docs.discord.com/developers/interactions/receiving-and-responding), but a missing one must not end the reply.
    locale: String(interaction.locale ?? 'en-US'),
    receivedAtMs,
    deadlineMs: receivedAtMs + REPLY_DEADLINE_MS,
    manageGuild: interaction.memberPermissions?.has(PermissionFlagsBits.ManageGuild) ?? false,
  };
}
