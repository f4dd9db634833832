import {
  ApplicationCommandType,
  type AutocompleteInteraction,
  type ChatInputCommandInteraction,
  type Interaction,
  type Message,
  PermissionFlagsBits,
} from 'discord.js';
import { LRUCache } from 'lru-cache';
import { type Command, type Response, type Services, sentence, type Use } from '../../commands/command.ts';
import type { Logger } from '../log.ts';
import { CardServiceError, Stopping, TooManyCommands } from '../model/errors.ts';
import type { Events } from '../model/events.ts';
import { type Invocation, NOTHING_SET } from '../model/invocation.ts';
import { errorMessage, formatMessage, type PlainMessageKey } from '../render/messages.ts';
import { type CommandEnd, publishEnd } from '../replies/end.ts';
import { REPLY_DEADLINE_MS } from '../replies/ports.ts';
import type { Replies } from '../replies/replies.ts';
import type { RestReplySender } from './rest/reply-sender.ts';

export interface InteractionsOptions {
  commands: readonly Command[];
  services: Services;
  replies: Replies;
  sender: RestReplySender;
  events: Events;
  log: Logger;
}

/** After 3 s Discord says that a press has failed, so that whoever presses again means it. */
const PRESSED_TWICE_MS = 3_000;
const MAX_PRESSES = 1_000;
/** After the key was pressed. Discord waits 3 s, but a member who types on does not. */
const SUGGESTIONS_MS = 2_000;

/** A use of a command, or of its buttons, menus and forms. */
interface Used {
  kind: 'command' | 'component';
  manageGuild: boolean;
  /** What was typed or chosen, as it came; the log has a line for refused commands, too. */
  card?: string | undefined;
  /**
   * What a press of a button or a menu is told by: it is the same each time that this member uses it in the same way.
   */
  press?: string;
  /** Undefined when no command handles it, as after an update. */
  run: ((use: Use, services: Services) => Promise<Response>) | undefined;
}

/**
 * Passes each interaction to its command, and what that returns to the replies. Each ends in an answer or a logged
 * error.
 */
export class Interactions {
  readonly #options: InteractionsOptions;
  readonly #underWay = new Set<Promise<void>>();
  /** Presses of the last seconds: a second one would post a second reply. */
  readonly #presses = new LRUCache<string, true>({
    max: MAX_PRESSES,
    ttl: PRESSED_TWICE_MS,
    perf: { now: () => performance.now() }, // looked up each time: lru-cache keeps the one that it was loaded with
  });
  readonly #rate = new CommandRate();
  #isClosing = false;

  constructor(options: InteractionsOptions) {
    this.#options = options;
  }

  /** Never rejects. */
  readonly receive = (interaction: Interaction): Promise<void> => {
    const { log } = this.#options;
    const done = this.#handle(interaction)
      .catch((err: unknown) => log.error({ err }, 'interaction cannot be read'))
      .finally(() => this.#underWay.delete(done));
    this.#underWay.add(done);
    return done;
  };

  /** Refuses commands from now on; resolves when those under way are answered or deferred. */
  async close(): Promise<void> {
    this.#isClosing = true;
    await Promise.all(this.#underWay);
  }

  async #handle(interaction: Interaction): Promise<void> {
    const { commands, events } = this.#options;
    const [name = '', ...rest] =
      'customId' in interaction ? interaction.customId.split(':') : [interaction.commandName];
    const { ChatInput } = ApplicationCommandType;
    const isUsed = ({ data: { name: own, type = ChatInput } }: Command) =>
      own === name && (!('commandType' in interaction) || interaction.commandType === type);
    const command = commands.find(isUsed) ?? {};
    const invocation = toInvocation(interaction, name);
    if (interaction.isAutocomplete()) return this.#suggest(interaction, invocation, command);
    const used = usedOf(interaction, rest.join(':'), command);
    const end = await this.#respond(used, invocation).catch((err: unknown) => ({ outcome: 'not answered', err }));
    if (end) publishEnd(events, invocation, { card: used.card, ...end });
  }

  /** A failure is an empty list. There is one with every key, so only a bug is more than a line for debugging. */
  async #suggest(
    { options }: AutocompleteInteraction,
    invocation: Invocation,
    { autocomplete }: Partial<Command>,
  ): Promise<void> {
    const { sender, services, log } = this.#options;
    const { command, receivedAtMs } = invocation;
    const suggested = Promise.try(() => {
      const { value: typed } = options.getFocused(true);
      return autocomplete?.({ ...invocation, typed, suggestByMs: receivedAtMs + SUGGESTIONS_MS }, services);
    });
    const choices = await suggested.catch((err: unknown) => log.error({ command, err }, 'suggestions failed'));
    const { shown, err } = await sender.suggest(invocation, choices ?? []);
    log.debug({ command, shown, err, tookMs: Date.now() - receivedAtMs }, 'suggestions');
  }

  /** @returns how the command ended; `undefined` when that is published with its reply */
  async #respond(used: Used, invocation: Invocation): Promise<CommandEnd | undefined> {
    const { sender, replies } = this.#options;
    const { card, press = '' } = used;
    if (this.#presses.has(press)) return { outcome: 'pressed twice', ...(await sender.acknowledge(invocation)) };
    if (press !== '') this.#presses.set(press, true);
    const { response, ...end } = await this.#run(used, invocation);
    // What Discord shows to the member alone is private from the start: it offers nothing to others.
    const isAlone = !invocation.canReplyPublicly;
    switch (response.kind) {
      case 'form':
        this.#presses.delete(press); // whoever closes it may want it again
        return { ...end, ...(await sender.open(invocation, response)) };
      case 'delete':
        return { ...end, ...(await replies.delete(invocation, response.interactionId)) };
      case 'reply': {
        const isPrivate = response.isPrivate || isAlone;
        const isShown = await replies.reply(invocation, { ...response, isPrivate }, { card, ...end });
        if (!isShown || response.isInPlace) this.#presses.delete(press); // nothing came of it, or no second message
        return undefined;
      }
      case 'cards': {
        const { kind, ...asked } = response;
        const isShown = await replies.answer(invocation, { ...asked, isPrivate: asked.isPrivate || isAlone });
        if (!isShown) this.#presses.delete(press);
        return undefined;
      }
    }
  }

  async #run({ kind, run, manageGuild }: Used, invocation: Invocation): Promise<CommandEnd & { response: Response }> {
    const { services } = this.#options;
    const { locale, requester } = invocation;
    const plain = (key: PlainMessageKey) => sentence(formatMessage(locale, key));
    try {
      if (this.#isClosing) throw new Stopping();
      this.#rate.count(requester.memberId);
      if (!run && kind === 'command') return { response: plain('unknownCommand'), outcome: 'unknown command' };
      if (!run) return { response: plain('outOfDate'), outcome: 'unknown interaction' };
      const { settings } = services;
      const isUnset = settings.known?.has(requester.guildId ?? '') === false;
      const server = isUnset ? NOTHING_SET : await settings.of(requester);
      const response = await run({ ...invocation, manageGuild, server }, services);
      const { language } = server;
      return { response: response.kind === 'cards' ? { ...response, language } : response, outcome: 'answered' };
    } catch (err) {
      if (err instanceof CardServiceError) return { response: sentence(errorMessage(locale, err)), outcome: err.name };
      if (isOptionError(err)) return { response: plain('unknownCommand'), outcome: 'outdated command' };
      return { response: plain('broken'), outcome: 'broken', err };
    }
  }
}

const MINUTE_MS = 60_000;
/** Faster than anyone types. */
const COMMANDS_A_MINUTE = 240;
const MEMBERS = 10_000;

/** Limits each member's commands, by a token bucket for each of the members seen last. */
export class CommandRate {
  readonly #fullAtMs = new LRUCache<string, number>({ max: MEMBERS });
  #countedAtMs = 0;

  /** @throws TooManyCommands when the member has sent more than 240 in a minute */
  count(memberId: string, nowMs = Date.now()): void {
    // Buckets would stay empty until a clock that was set back has caught up.
    if (nowMs < this.#countedAtMs) this.#fullAtMs.clear();
    this.#countedAtMs = nowMs;
    const fullAtMs = Math.max(this.#fullAtMs.get(memberId) ?? 0, nowMs) + MINUTE_MS / COMMANDS_A_MINUTE;
    if (fullAtMs > nowMs + MINUTE_MS) throw new TooManyCommands({ untilMs: fullAtMs - MINUTE_MS });
    this.#fullAtMs.set(memberId, fullAtMs);
  }
}

/** Tells an interaction apart: what it is about, and what its command makes of it. */
export function usedOf(
  interaction: Exclude<Interaction, AutocompleteInteraction>,
  argument: string,
  { ask, component, submit, cardOf }: Partial<Command>,
): Used {
  const manageGuild = hasPermission(interaction, PermissionFlagsBits.ManageGuild);
  if (interaction.isCommand()) {
    const { options } = interaction as ChatInputCommandInteraction; // the others have no options to read
    const typed = interaction.isChatInputCommand() ? options.data.map(({ value }) => value) : [];
    return {
      kind: 'command',
      card: typed.find((value) => typeof value === 'string'),
      manageGuild,
      run:
        ask &&
        (async (use, services) => {
          const text = interaction.isMessageContextMenuCommand() ? textOf(interaction.targetMessage) : '';
          return ask({ ...use, options, text }, services);
        }),
    };
  }
  if (interaction.isModalSubmit()) {
    const { fields } = interaction; // what was typed into it stands in no log
    return {
      kind: 'component',
      card: cardOf?.(argument),
      manageGuild,
      run: submit && (async (use, services) => submit({ ...use, argument, fields }, services)),
    };
  }
  const { message, customId } = interaction;
  const { content, interactionMetadata: asked } = message;
  const values = interaction.isAnySelectMenu() ? interaction.values : [];
  const pressed = {
    ...{ argument, values, content },
    repliedTo: asked ? { interactionId: asked.id, memberId: asked.user.id } : undefined,
    manageMessages: hasPermission(interaction, PermissionFlagsBits.ManageMessages),
  };
  return {
    kind: 'component',
    card: cardOf?.(argument) ?? values[0],
    manageGuild,
    press: [message.id, interaction.user.id, customId, ...values].join(' '),
    run: component && (async (use, services) => component({ ...use, ...pressed }, services)),
  };
}

type Text = Pick<Message, 'content'> &
  Partial<Pick<Message, 'embeds' | 'attachments' | 'components' | 'poll'>> & {
    messageSnapshots?: Message['messageSnapshots'] | null;
  };

/**
 * The text of a message, with that of its embeds, its components, its files, its poll, and the messages that it
 * forwards.
 */
export function textOf({ content, embeds = [], components = [], attachments, poll, messageSnapshots }: Text): string {
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

function hasPermission({ memberPermissions }: Interaction, permission: bigint): boolean {
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

/** discord.js throws when an option that is read is missing or of another type: the registration is outdated. */
function isOptionError(err: unknown): boolean {
  return err instanceof TypeError && 'code' in err && String(err.code).startsWith('CommandInteractionOption');
}
