import { ApplicationCommandType, Locale } from 'discord.js';
import { languageOf, type MessageKey, textsOf } from '../src/render/languages.ts';
import type { Command } from './command.ts';

/**
 * A declaration with its descriptions, or its name in the menu of a message, in every language that has them. A
 * command's description is the text `command_NAME`, an option's `command_NAME_OPTION`. Their names are English
 * everywhere.
 */
export function localized(data: Command['data']): Command['data'] {
  if (data.type === ApplicationCommandType.Message) {
    return { ...data, name_localizations: localizations(`menu_${data.name.toLowerCase().replaceAll(' ', '_')}`) };
  }
  if (!('description' in data)) return data;
  const key = `command_${data.name}`;
  const options = data.options?.map((option) => ({
    ...option,
    description_localizations: localizations(`${key}_${option.name}`),
  }));
  return { ...data, description_localizations: localizations(key), ...(options && { options }) };
}

/** By Discord's locales, without those for which English is the declaration itself. */
function localizations(key: string): Partial<Record<Locale, string>> {
  const found = Object.values(Locale).flatMap((locale) => {
    const language = languageOf(locale);
    const text = language === 'en' ? undefined : textsOf(language)[key as MessageKey];
    return text === undefined ? [] : [[locale, text]];
  });
  return Object.fromEntries(found);
}
