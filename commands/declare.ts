import {
  type APIApplicationCommandBasicOption,
  ApplicationCommandOptionType,
  ApplicationCommandType,
  ApplicationIntegrationType,
  InteractionContextType,
  Locale,
  PermissionFlagsBits,
  type RESTPostAPIChatInputApplicationCommandsJSONBody,
  type RESTPostAPIContextMenuApplicationCommandsJSONBody,
} from 'discord.js';
import { MAX_CARD_ID_LENGTH } from '../src/model/card-id.ts';
import { languageOf, textsOf } from '../src/render/languages.ts';

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

/** A command as Discord is told of it. */
export type Declaration =
  | RESTPostAPIChatInputApplicationCommandsJSONBody
  | RESTPostAPIContextMenuApplicationCommandsJSONBody;

const { Guild, BotDM, PrivateChannel } = InteractionContextType;
const { GuildInstall, UserInstall } = ApplicationIntegrationType;
const EVERYWHERE = { contexts: [Guild, BotDM, PrivateChannel], integration_types: [GuildInstall, UserInstall] };
const WHERE_INSTALLED = { contexts: [Guild, BotDM], integration_types: [GuildInstall] };
const FOR_MANAGERS = {
  contexts: [Guild],
  integration_types: [GuildInstall],
  default_member_permissions: String(PermissionFlagsBits.ManageGuild),
};

/**
 * With the texts `command_NAME` and `command_NAME_OPTION`, or `menu_NAME`, in every language that has them.
 *
 * @param hasUserInstall whether members can install the bot for themselves
 */
export function declarationOf(
  { name, type, options = {}, isForManagers }: CommandData,
  hasUserInstall: boolean,
): Declaration {
  const offer = isForManagers ? FOR_MANAGERS : hasUserInstall ? EVERYWHERE : WHERE_INSTALLED;
  if (type === ApplicationCommandType.Message)
    return {
      ...offer,
      type,
      name,
      name_localizations: translations(`menu_${name}`.toLowerCase().replaceAll(' ', '_')),
    };
  const described = Object.entries(options).map(([option, given]) => {
    return { ...given, name: option, ...descriptions(`command_${name}_${option}`) };
  });
  return { ...offer, name, ...descriptions(`command_${name}`), options: described };
}

function descriptions(key: string) {
  return { description: textIn('en', key) ?? key, description_localizations: translations(key) };
}

/** By Discord's locales, without those for which English is the declaration itself. */
function translations(key: string): Partial<Record<Locale, string>> {
  const found = Object.values(Locale).flatMap((locale) => {
    const language = languageOf(locale);
    const text = language === 'en' ? undefined : textIn(language, key);
    return text === undefined ? [] : [[locale, text]];
  });
  return Object.fromEntries(found);
}

function textIn(language: string, key: string): string | undefined {
  const texts: Readonly<Record<string, string | undefined>> = textsOf(language);
  return texts[key];
}
