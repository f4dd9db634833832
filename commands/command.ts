import {
  type APIApplicationCommandBasicOption,
  type APIApplicationCommandOptionChoice,
  ApplicationCommandOptionType,
  type ApplicationCommandType,
  type ChatInputCommandInteraction,
  type ModalSubmitFields,
} from 'discord.js';
import type { Catalog } from '../src/catalog/catalog.ts';
import type { Cards } from '../src/known/cards.ts';
import type { LookupQueue } from '../src/lookup/lookup-queue.ts';
import type { Outcomes } from '../src/lookup/lookups.ts';
import type { UsageReports } from '../src/lookup/usage-reports.ts';
import type { KeptLists } from '../src/members/kept-lists.ts';
import type { MemberData } from '../src/members/member-data.ts';
import type { SettingsOfServers } from '../src/members/server-settings.ts';
import type { Watches } from '../src/members/watches.ts';
import { MAX_CARD_ID_LENGTH, type ReadCardId } from '../src/model/card-id.ts';
import type { Asked, Invocation, ServerSettings } from '../src/model/invocation.ts';
import type { Form, Message, Reply } from '../src/model/message.ts';
import type { Budget } from '../src/quota/budget.ts';
import type { Ledger } from '../src/quota/ledger.ts';
import type { Limiter } from '../src/quota/limiter.ts';
import type { CardView } from '../src/render/card-embed.ts';
import type { ChoiceIds } from '../src/render/card-list.ts';
import { LANGUAGES, languageOf, type MessageKey } from '../src/render/languages.ts';
import { type Arguments, buttons, formatMessage } from '../src/render/messages.ts';

export type { Form, Message, Reply } from '../src/model/message.ts';

/** Asks for the message whose button was used to be deleted. */
export interface Deletion {
  kind: 'delete';
  /** The interaction that the message answers. */
  interactionId: string | undefined;
}

/** The cards to show, for which requests may be sent. */
export type CardsWanted = { kind: 'cards' } & Asked;

/** What comes of a use of a command. */
export type Response = CardsWanted | Reply | Deletion | Form;

/** Any use of a command, its buttons and menus included. */
export interface Use extends Invocation {
  /** What is set in the server where the command was used. */
  server: ServerSettings;
  /** Whether the member has Manage Server there. */
  manageGuild: boolean;
}

/** A member typed the command, or chose it from a message's menu. */
export interface CommandUse extends Use {
  options: ChatInputCommandInteraction['options'];
  /** The message's text, with that of its embeds; empty for a command that is typed. */
  text: string;
}

/** A member used a button or a menu. Its custom id is `<command>:<argument>`. */
export interface ComponentUse extends Use {
  argument: string;
  /** What is selected; empty for a button. */
  values: readonly string[];
  /** The text of the message, without that of its embeds. */
  content: string;
  /** The interaction that the message answers, and whose that was; absent when Discord does not say. */
  repliedTo?: { interactionId: string; memberId: string } | undefined;
  /** Whether the member who used it has Manage Messages in that channel. */
  manageMessages: boolean;
}

/** A member has sent a form. Its custom id is `<command>:<argument>`. */
export interface FormUse extends Use {
  argument: string;
  /** What stands in its fields. */
  fields: Pick<ModalSubmitFields, 'getTextInputValue'>;
}

/** A member is typing an option. */
export interface Typing extends Invocation {
  typed: string;
  /** After this time suggestions come too late. */
  suggestByMs: number;
}

/** How a reply is shown. */
export interface View extends Pick<CardView, 'locale' | 'quota' | 'currency' | 'display'> {
  /** Whether a reply can be shown to others than the member, too. */
  canReplyPublicly: boolean;
  /** Whether the member alone sees this one: that may be so although it was asked for in public. */
  isPrivate: boolean;
}

/** What the composition root hands to every command. */
export interface Services extends Pick<View, 'currency' | 'display'> {
  cards: Cards;
  catalog: Omit<Catalog, 'close'>;
  readCardId: ReadCardId;
  lookupQueue: LookupQueue;
  usage: UsageReports;
  budget: Budget;
  limiter: Limiter;
  ledger: Ledger;
  memberData: MemberData;
  settings: SettingsOfServers;
  watches: Watches;
  lists: KeptLists;
}

/** A command: its registration, what each use asks for, and how its cards are shown. It sends nothing itself. */
export interface Command {
  data: CommandData;
  /** @throws CardServiceError, shown to the member in private */
  ask?(use: CommandUse, services: Services): Promise<CardsWanted | Reply | Form>;
  /** @throws CardServiceError, shown to the member in private */
  component?(use: ComponentUse, services: Services): Promise<Response>;
  /** @throws CardServiceError, shown to the member in private */
  submit?(use: FormUse, services: Services): Promise<CardsWanted | Reply>;
  /** Renders the reply of a command that asks for cards, so far and at the end. Pure: another process may call it. */
  show?(asked: Asked, outcomes: Outcomes, view: View): Message;
  /** At most 25 choices. */
  autocomplete?(typing: Typing, services: Services): Promise<readonly APIApplicationCommandOptionChoice[]>;
  /** The id of the card that an argument of a component is about, for the log; `undefined` without one. */
  cardOf?(argument: string): string | undefined;
}

/** What a command is, apart from its texts. */
export interface CommandData {
  /** English everywhere. */
  name: string;
  /** An entry in the menu of every message; a command that is typed, unless given. */
  type?: ApplicationCommandType.ChatInput | ApplicationCommandType.Message;
  /** By their names, which are English everywhere. */
  options?: Readonly<Record<string, WithoutTexts<APIApplicationCommandBasicOption>>>;
  /** For those who manage a server that has installed the bot; for everyone, everywhere, unless given. */
  isForManagers?: true;
}

type WithoutTexts<Option> = Option extends unknown ? Omit<Option, 'name' | 'description'> : never;

/** An option that takes a card, by its id or its name. */
export const CARD_OPTION = {
  type: ApplicationCommandOptionType.String,
  required: true,
  autocomplete: true,
  min_length: 1,
  max_length: MAX_CARD_ID_LENGTH,
} as const;

/** The options of a command that shows cards. */
export const VIEW_OPTIONS = {
  prices: { type: ApplicationCommandOptionType.Boolean },
  private: { type: ApplicationCommandOptionType.Boolean },
} as const;

/** How cards are shown: with their prices or without, to the member alone or not. */
type Showing = Pick<Action, 'showPrices' | 'isPrivate'>;

/** The options decide; without them prices are shown, and the server's setting says whether the reply is private. */
export function showingOf({ options, server }: CommandUse): Showing {
  return {
    showPrices: options.getBoolean('prices') ?? true,
    isPrivate: options.getBoolean('private') ?? server.isPrivate,
  };
}

/** @param more what was asked for besides, and of which list the cards are */
export function wanted(
  cardIds: readonly string[],
  { showPrices, isPrivate }: Showing,
  more: Partial<Asked> = {},
): CardsWanted {
  const queries = cardIds.map((cardId) => ({ cardId, showPrices }));
  return { kind: 'cards', queries, unclear: [], unsearched: [], isPrivate, ...more };
}

/** Servers that chose no language have this one. */
const UNCHOSEN = 'en-US';

/**
 * The locale of a reply, in whose language it speaks: a private one has that of the member, a public one that of the
 * server. The region, as in `es-419`, says how its figures are written.
 *
 * @param set the language of public replies that the server has set; one that there is no more is as if it were not set
 */
export function replyLocale(
  { locale, guildLocale = UNCHOSEN }: Pick<Invocation, 'locale' | 'guildLocale'>,
  isPrivate: boolean,
  set?: string,
): string {
  if (isPrivate) return locale;
  const known = guildLocale === UNCHOSEN ? locale : guildLocale;
  return set === undefined || !LANGUAGES.includes(set) || languageOf(known) === set ? known : set;
}

/** The cards of which there is nothing to show, and why. */
export function failedOf({ queries }: Asked, { cards }: Outcomes) {
  return queries.flatMap(({ cardId }, at) => {
    const { error, answer } = cards[at] ?? {};
    return error && !answer ? [{ cardId, error }] : [];
  });
}

/** A sentence that the member alone sees. */
export function sentence(content: string): Reply {
  return privately({ content });
}

/** A text of the bot that the member alone sees. */
export function say<K extends MessageKey>(locale: string, key: K, ...args: Arguments<K>): Reply {
  return sentence(formatMessage(locale, key, ...args));
}

export function privately(message: Message): Reply {
  return { kind: 'reply', message, isPrivate: true, source: 'bot' };
}

/**
 * A reply that everybody sees, with the button that takes it back: beside its other buttons, or below its menus, which
 * leave room for it.
 */
export function withDelete(message: Message, { locale, isPrivate }: Pick<View, 'locale' | 'isPrivate'>): Message {
  if (isPrivate) return message;
  const rows = message.components ?? [];
  const added = buttons(locale, { deleteReply: DELETE });
  const last = rows.at(-1);
  if (!last?.components.every((part) => 'label' in part)) return { ...message, components: [...rows, ...added] };
  const together = [...last.components, ...added.flatMap(({ components }) => components)];
  return { ...message, components: rows.with(-1, { ...last, components: together }) };
}

/** What a button or a menu does: it is all in its custom id. Messages keep their buttons for years. */
export interface Action {
  kind: string;
  /** Otherwise the prices are left out. */
  showPrices: boolean;
  isPrivate: boolean;
  /** A page, days, or requests. */
  number?: number | undefined;
  /** The id of a card, a list or a watch; absent when it is chosen from a menu. */
  id?: string | undefined;
}

/** Such as `card:show:np:base1-4`: the command that answers it, what that does, without prices, in private. */
export function customId(
  command: string,
  { kind, showPrices = true, isPrivate = false, number, id }: Partial<Action>,
): string {
  const options = `${showPrices ? '' : 'n'}${isPrivate ? 'p' : ''}${number ?? ''}`;
  return `${command}:${kind}:${options}${id === undefined ? '' : `:${id}`}`;
}

/** The id at the end may hold any character. */
const ARGUMENT = /^([a-z]+)(?::(n?)(p?)(0|[1-9]\d{0,3})?(?::(.+))?)?$/s;

/** @param argument the custom id without the command's name. @returns `undefined` when the bot never gave it out */
export function readAction(argument: string): Action | undefined {
  const [, kind, noPrices, isPrivate, digits, id] = ARGUMENT.exec(argument) ?? [];
  const number = digits === undefined ? undefined : Number(digits);
  return kind === undefined ? undefined : { kind, showPrices: !noPrices, isPrivate: Boolean(isPrivate), number, id };
}

/** The id of the button that takes a reply back. */
export const DELETE = 'card:delete';

/** The ids of the cards that a reply offers. @param cardId one of those that have further pages */
export function choiceIds({ showPrices, isPrivate }: Showing, cardId = '', kind = 'named'): ChoiceIds {
  const options = { kind: 'show', showPrices, isPrivate };
  return {
    menu: customId('card', options),
    show: (id) => customId('card', { ...options, id }),
    page: (number) => customId('card', { ...options, kind, number, id: cardId }),
  };
}

/**
 * Begins that of a form with nothing in it; the card's id follows. On the way of a `/card` no function is called for
 * it.
 */
export const EMPTY_FORM = 'watch:form::::';
