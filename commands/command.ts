import type { APIApplicationCommandOptionChoice, ChatInputCommandInteraction, ModalSubmitFields } from 'discord.js';
import type { Catalog } from '../src/catalog/catalog.ts';
import type { Cards } from '../src/known/cards.ts';
import type { Limiter } from '../src/limiter/limiter.ts';
import type { KeptLists } from '../src/lists/kept-lists.ts';
import type { LookupQueue } from '../src/lookup/lookup-queue.ts';
import type { Outcomes } from '../src/lookup/lookups.ts';
import type { UsageReports } from '../src/lookup/usage-reports.ts';
import type { CardQuery } from '../src/model/card.ts';
import type { ReadCardId } from '../src/model/card-id.ts';
import type { Asked, Invocation, ServerSettings } from '../src/model/invocation.ts';
import type { Form, Message, Reply } from '../src/model/message.ts';
import type { MemberData } from '../src/privacy/member-data.ts';
import type { Budget } from '../src/quota/budget.ts';
import type { Ledger } from '../src/quota/ledger.ts';
import type { CardView } from '../src/render/card-embed.ts';
import { buttons } from '../src/render/components.ts';
import { LANGUAGES, languageOf, type MessageKey } from '../src/render/languages.ts';
import { type Arguments, formatMessage } from '../src/render/messages.ts';
import type { SettingsOfServers } from '../src/settings/server-settings.ts';
import type { Watches } from '../src/watches/watches.ts';
import { DELETE } from './custom-ids.ts';
import type { CommandData } from './declare.ts';

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

/** @param more what was asked for besides, and of which list the cards are */
export function wanted(queries: readonly CardQuery[], isPrivate: boolean, more: Partial<Asked> = {}): CardsWanted {
  return { kind: 'cards', queries, unclear: [], unsearched: [], isPrivate, ...more };
}

/** Whether the member alone sees the cards: as the option says, otherwise as the server has set it. */
export function repliesPrivately({ options, server }: CommandUse): boolean {
  return options.getBoolean('private') ?? server.isPrivate;
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
