import {
  type APIApplicationCommand,
  type APIStringSelectComponent,
  ChannelType,
  ApplicationCommandType as CommandType,
  ComponentType,
  InteractionType,
  ApplicationCommandOptionType as OptionType,
  PermissionFlagsBits as Permission,
} from 'discord-api-types/v10';

import type {
  Choice,
  CommandOption,
  Field,
  Guild,
  HalfTypedCommand,
  OptionValue,
  SubmittedModal,
  TypedCommand,
  UsableComponent,
  UsedComponent,
  Whereabouts,
} from './chat.ts';
import type { CommandRegistry } from './command-registry.ts';
import type { Begun, Conversation, Surroundings, TypedInteraction } from './conversation.ts';
import type { Autocompletions, Conversations } from './conversations.ts';
import type { Gateway } from './gateway.ts';
import { findComponent } from './message-rules.ts';
import { apiUser, memberPermissions, type Owners, ownersOf, type Place, placeOf, type World } from './world.ts';

/** The parts of the emulated Discord that members use. */
interface MembersOptions {
  around: Surroundings;
  commands: CommandRegistry;
  conversations: Conversations;
  autocompletions: Autocompletions;
  gateway: Gateway;
}

/** What members see and do, as Discord's client validates it and sends it to the bot. All throw Errors with a sentence. */
export class Members {
  readonly #options: MembersOptions;

  constructor(options: MembersOptions) {
    this.#options = options;
  }

  /** Slash commands visible to a member there: global ones and the guild's, so a name may occur twice. */
  readonly commandsFor = (at: Whereabouts): APIApplicationCommand[] =>
    this.#visible(this.#at(at), CommandType.ChatInput);

  /** Context menu commands of messages that are visible to a member there. */
  readonly menuCommandsFor = (at: Whereabouts): APIApplicationCommand[] =>
    this.#visible(this.#at(at), CommandType.Message);

  /** Types a slash command, or uses the context menu command of a message. */
  readonly type = (typed: TypedCommand): TypedInteraction => {
    const { target, options = {} } = typed;
    const { command, place, owners } = this.#called(typed, target ? CommandType.Message : CommandType.ChatInput);
    const { data, ...used } = target ? this.#ofMenu(command, target.messageId) : ofSlash(command, options);
    return this.#start(
      { type: InteractionType.ApplicationCommand, place, owners, ...used },
      { ...commandData(command), ...data },
    );
  };

  /**
   * Requests the choices of the focused option from the bot, as Discord's client does with every key.
   * Rejects with a sentence when the bot cannot be reached or does not answer in time.
   */
  readonly complete = async (typed: HalfTypedCommand): Promise<Choice[]> => {
    const { around, autocompletions } = this.#options;
    const { command, place, owners } = this.#called(typed, CommandType.ChatInput);
    const options = halfTypedOptions(command, typed.options ?? {}, typed.focused);
    this.#needBot();
    const id = around.nextId();
    const { token, choices } = autocompletions.start(id, place.member.locale, around.lifetimes.ackMs);
    const type = InteractionType.ApplicationCommandAutocomplete as const;
    const data = { ...commandData(command), options };
    this.#send({ id, token, type, place, owners, data });
    return choices;
  };

  /** Clicks a button of a bot message. */
  readonly click = (used: Omit<UsedComponent, 'values'>): TypedInteraction => this.choose(used);

  /** The same, or chooses in a select menu. */
  readonly choose = (used: UsedComponent): TypedInteraction => {
    const { messageId, customId } = used;
    const conversation = this.#options.conversations.holder(messageId);
    if (!conversation) throw new Error(`There is no message of the bot with the id ${messageId}.`);
    const { reply, ephemeral } = conversation.held(messageId);
    const { guildId, context, member } = conversation.message;
    const { memberId = member.id } = used;
    if (ephemeral && memberId !== member.id) throw new Error('Only its reader can use a private message.');
    if (context === 1 && memberId !== member.id) throw new Error('These direct messages belong to another member.');

    const component = findComponent(reply.components, customId);
    if (!component) throw new Error(`The message ${messageId} has no component "${customId}".`);
    if (component.disabled) throw new Error(`The component "${customId}" is disabled.`);
    const { id, type } = component;
    const values = type === ComponentType.Button ? undefined : chosen(component, used.values ?? []);
    return this.#start(
      {
        type: InteractionType.MessageComponent,
        trigger: 'component',
        line: labelOf(component, values),
        place: this.#at({ ...used, memberId, guildId, context }),
        owners: conversation.begun.owners,
        source: { conversation, messageId },
        metadata: { interacted_message_id: messageId },
      },
      { ...(id !== undefined && { id }), custom_id: customId, component_type: type, ...(values && { values }) },
    );
  };

  /** Submits the modal with which the bot answered an interaction. */
  readonly submit = ({ interactionId, values }: SubmittedModal): TypedInteraction => {
    const opened = this.#options.conversations.find(interactionId);
    const modal = opened?.message.modal;
    if (!opened || !modal) throw new Error('The bot did not answer this with a form.');
    const names = modal.components.map(({ component }) => component.custom_id);
    const unknownName = Object.keys(values).find((name) => !names.includes(name));
    if (unknownName !== undefined) throw new Error(`The form has no field "${unknownName}".`);
    const { place, owners, source } = opened.begun;
    return this.#start(
      {
        type: InteractionType.ModalSubmit,
        trigger: 'modal',
        line: modal.title,
        place,
        owners,
        source,
        metadata: { triggering_interaction_metadata: opened.metadata },
      },
      { custom_id: modal.custom_id, components: modal.components.map((field) => filledIn(field, values)) },
    );
  };

  #visible(place: Place, wanted: CommandType): APIApplicationCommand[] {
    return this.#options.commands.visibleAt(place).filter(({ type }) => type === wanted);
  }

  #at(at: Whereabouts): Place {
    return placeOf(at, this.#options.around.world);
  }

  /** A guild command takes precedence over the global one of the same name. */
  #called(typed: TypedCommand, wanted: CommandType): { command: APIApplicationCommand; place: Place; owners: Owners } {
    const name = typed.command;
    const place = this.#at(typed);
    const named = this.#visible(place, wanted).filter((each) => each.name === name);
    const command = named.find(({ guild_id }) => guild_id !== undefined) ?? named[0];
    const shown = wanted === CommandType.ChatInput ? `/${name}` : `"${name}"`;
    if (!command) throw new Error(`${shown} is not registered, or not visible to this member here.`);
    const { integration_types = [0], guild_id } = command;
    const owners = guild_id === undefined ? ownersOf(integration_types, place) : { 0: guild_id };
    if (Object.keys(owners).length === 0) throw new Error('Unknown Integration'); // the sentence of Discord's client
    return { command, place, owners };
  }

  #ofMenu(command: APIApplicationCommand, id: string) {
    const message = this.#options.conversations.holder(id)?.apiMessage(id);
    if (!message) throw new Error(`There is no message with the id ${id}.`);
    return {
      trigger: 'menu' as const,
      line: command.name,
      data: { target_id: id, resolved: { messages: { [id]: message } } },
      metadata: { target_message_id: id },
    };
  }

  /** Starts an interaction and sends it to the bot. */
  #start(begun: Begun, data: object): Conversation {
    this.#needBot();
    const { type, place, owners, source } = begun;
    const message = source?.conversation.apiMessage(source.messageId);
    const conversation = this.#options.conversations.start(begun);
    const { id, token } = conversation;
    this.#send({ id, token, type, place, owners, data, message });
    return conversation;
  }

  #needBot(): void {
    if (!this.#options.gateway.isKnown) throw new Error('No bot is connected to the emulated Discord.');
  }

  #send(sent: SentInteraction): void {
    const payload = interactionPayload(sent, this.#options.around.world);
    this.#options.gateway.dispatch('INTERACTION_CREATE', sent.place.guildId, payload);
  }
}

function commandData({ id, name, type, guild_id }: APIApplicationCommand): object {
  return { id, name, type, ...(guild_id !== undefined && { guild_id }) };
}

type TypedValues = Readonly<Record<string, OptionValue>>;

function ofSlash(command: APIApplicationCommand, typed: TypedValues) {
  const options = typedOptions(command, typed);
  return {
    trigger: 'command' as const,
    /** Such as `/card id:base1-4`. */
    line: [`/${command.name}`, ...options.map(({ name, value }) => `${name}:${value}`)].join(' '),
    data: options.length > 0 ? { options } : {},
  };
}

/** In the order of their declaration. */
function typedOptions(command: APIApplicationCommand, typed: TypedValues) {
  return declaredIn(command, typed).flatMap((option) => {
    const { name, type, required } = option;
    const value = typed[name];
    if (value === undefined || value === '') {
      if (required) throw new Error(`/${command.name} needs the option "${name}".`);
      return [];
    }
    const problem = misfit(option, value);
    if (problem !== undefined) throw new Error(`The option "${name}" of /${command.name} ${problem}.`);
    return [{ name, type, value }];
  });
}

/** The options of a command that is still being typed: not validated, the focused one as text. */
function halfTypedOptions(command: APIApplicationCommand, typed: TypedValues, focused: string) {
  const declared = declaredIn(command, typed);
  if (!declared.some(({ name, autocomplete }) => name === focused && autocomplete)) {
    throw new Error(`The option "${focused}" of /${command.name} has no autocomplete.`);
  }
  return declared.flatMap(({ name, type }) => {
    const value = typed[name];
    if (name === focused) return [{ name, type, value: String(value ?? ''), focused: true }];
    return value === undefined || value === '' ? [] : [{ name, type, value }];
  });
}

/** @throws Error with a sentence when something else is typed */
function declaredIn({ name, options = [] }: APIApplicationCommand, typed: TypedValues): CommandOption[] {
  const declared = options as CommandOption[]; // as they were registered
  const unknownName = Object.keys(typed).find((each) => !declared.some((option) => option.name === each));
  if (unknownName !== undefined) throw new Error(`/${name} has no option "${unknownName}".`);
  return declared;
}

/** Why a value is invalid for an option, as the end of a sentence; undefined = valid. */
function misfit(option: CommandOption, value: OptionValue): string | undefined {
  const { type, min_length: shortest = 0, max_length: longest = 6_000 } = option;
  const { min_value: least = Number.NEGATIVE_INFINITY, max_value: most = Number.POSITIVE_INFINITY } = option;
  if (type === OptionType.Boolean) return typeof value === 'boolean' ? undefined : 'must be true or false';
  if (type === OptionType.String) {
    if (typeof value !== 'string') return 'must be text';
    const length = [...value].length;
    return length < shortest || length > longest ? `must have ${shortest} to ${longest} characters` : undefined;
  }
  if (type === OptionType.Integer && !Number.isSafeInteger(value)) return 'must be a whole number';
  if (!Number.isFinite(value)) return 'must be a number';
  if (Number(value) < least) return `must be at least ${least}`;
  return Number(value) > most ? `must be at most ${most}` : undefined;
}

function chosen(
  { custom_id, options, min_values: min = 1, max_values: max = 1 }: APIStringSelectComponent,
  values: readonly string[],
) {
  if (values.length < min || values.length > max || new Set(values).size !== values.length) {
    throw new Error(`The menu "${custom_id}" takes ${min} to ${max} different values.`);
  }
  const notOffered = values.find((value) => !options.some((option) => option.value === value));
  if (notOffered !== undefined) throw new Error(`The menu "${custom_id}" does not offer "${notOffered}".`);
  return values;
}

function labelOf(component: UsableComponent, values: readonly string[] = []): string {
  if (component.type !== ComponentType.Button) return values.join(', ');
  return ('label' in component && component.label) || ('emoji' in component && component.emoji?.name) || '';
}

/** A field as it is submitted; interactions/receiving-and-responding, "Modal Submit Data Structure". */
function filledIn({ type, id, component }: Field, values: SubmittedModal['values']): object {
  const { custom_id, required = true, min_length: min = 0, max_length: max = 4_000 } = component;
  const value = values[custom_id] ?? '';
  if (value === '' && required) throw new Error(`The form needs the field "${custom_id}".`);
  if (value !== '' && (value.length < min || value.length > max)) {
    throw new Error(`The field "${custom_id}" must have ${min} to ${max} characters.`);
  }
  return { type, id, component: { type: component.type, id: component.id, custom_id, value } };
}

interface SentInteraction extends Pick<Begun, 'type' | 'place' | 'owners'> {
  id: string;
  token: string;
  /** The data of the command, component or modal. */
  data: object;
  /** The message whose component started the interaction. */
  message?: object | undefined;
}

/** `d` of INTERACTION_CREATE; interactions/receiving-and-responding, "Interaction Structure". */
function interactionPayload(sent: SentInteraction, world: World): object {
  const { id, token, type, place, owners, data, message } = sent;
  return {
    id,
    application_id: world.applicationId,
    type,
    token,
    version: 1,
    data,
    ...(message && { message }),
    channel_id: place.channelId,
    context: place.context,
    authorizing_integration_owners: owners,
    app_permissions: String(appPermissions(place)),
    locale: place.member.locale,
    entitlements: [],
    attachment_size_limit: 10 * 1_024 * 1_024, // reference.md, "Uploading Files"
    ...(place.guild ? fromGuild(place, place.guild) : fromPrivateChannel(place, world)),
  };
}

const WITHOUT_BOT = Permission.AttachFiles | Permission.EmbedLinks;

/** interactions/receiving-and-responding, "Interaction Structure"; in foreign guilds, discord-api-docs#5316 and #7251. */
function appPermissions({ guild, context, hasBot, permissions }: Place): bigint {
  if (guild) return hasBot ? memberPermissions() : permissions | WITHOUT_BOT;
  const anywhere = WITHOUT_BOT | Permission.MentionEveryone;
  return context === 1 ? anywhere | Permission.UseExternalEmojis : anywhere;
}

function fromGuild({ member, channelId, permissions }: Place, { id, locale = 'en-US' }: Guild): object {
  return {
    guild_id: id,
    guild: { id, locale, features: [] },
    guild_locale: locale,
    channel: {
      id: channelId,
      type: ChannelType.GuildText,
      guild_id: id,
      name: 'general',
      position: 0,
      permissions: String(permissions),
      parent_id: null,
      flags: 0,
    },
    // resources/guild, "Guild Member Structure", with the permissions that interactions add
    member: {
      user: apiUser(member),
      nick: null,
      avatar: null,
      banner: null,
      roles: [],
      joined_at: '2026-01-01T00:00:00.000000+00:00',
      premium_since: null,
      deaf: false,
      mute: false,
      pending: false,
      flags: 0,
      communication_disabled_until: null,
      permissions: String(permissions),
    },
  };
}

function fromPrivateChannel({ member, channelId, context }: Place, { members }: World): object {
  const channel =
    context === 1
      ? { type: ChannelType.DM, recipients: [apiUser(member)] }
      : {
          type: ChannelType.GroupDM,
          name: null,
          icon: null,
          owner_id: members[0]?.id,
          recipients: members.map((each) => apiUser(each)),
        };
  return { channel: { id: channelId, flags: 0, ...channel }, user: apiUser(member) };
}
