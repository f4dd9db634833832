import {
  ApplicationCommandType,
  ApplicationIntegrationType,
  InteractionContextType,
  Locale,
  PermissionFlagsBits,
  type RESTPostAPIChatInputApplicationCommandsJSONBody,
  type RESTPostAPIContextMenuApplicationCommandsJSONBody,
} from 'discord.js';
import { languageOf, textsOf } from '../src/render/languages.ts';
import card from './card.ts';
import cards, { lookUpCards } from './cards.ts';
import type { Command } from './command.ts';
import privacy from './privacy.ts';
import settings from './settings.ts';
import usage from './usage.ts';
import watch, { watches } from './watch.ts';

/** Every command: the one list that is registered and handled. */
export const commands = [
  card,
  cards,
  lookUpCards,
  watch,
  watches,
  usage,
  privacy,
  settings,
] satisfies readonly Command[];

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
 * As Discord is told of them, with the texts `command_NAME` and `command_NAME_OPTION`, or `menu_NAME`, in every
 * language that has them.
 *
 * @param hasUserInstall whether members can install the bot for themselves
 */
export function declarations(hasUserInstall: boolean): Declaration[] {
  return commands.map(({ data: { name, type, options = {}, isForManagers } }: Command) => {
    const offer = isForManagers ? FOR_MANAGERS : hasUserInstall ? EVERYWHERE : WHERE_INSTALLED;
    if (type === ApplicationCommandType.Message) {
      const key = `menu_${name}`.toLowerCase().replaceAll(' ', '_');
      return { ...offer, type, name, name_localizations: translations(key) };
    }
    const described = Object.entries(options).map(([option, given]) => {
      return { ...given, name: option, ...descriptions(`command_${name}_${option}`) };
    });
    return { ...offer, name, ...descriptions(`command_${name}`), options: described };
  });
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
