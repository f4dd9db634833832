import {
  type APISelectMenuComponent,
  ComponentType,
  ApplicationCommandOptionType as OptionType,
} from 'discord-api-types/v10';

import { isResolvable, type Resolvable } from './resolvable.ts';

const OPTION_TYPES: Partial<Record<ComponentType, OptionType>> = {
  [ComponentType.UserSelect]: OptionType.User,
  [ComponentType.RoleSelect]: OptionType.Role,
  [ComponentType.MentionableSelect]: OptionType.Mentionable,
  [ComponentType.ChannelSelect]: OptionType.Channel,
};

/** The chosen ids for the resolved data; the values of a string select refer to nothing. */
export function chosenThings({ type }: Pick<APISelectMenuComponent, 'type'>, values: readonly string[]) {
  const optionType = OPTION_TYPES[type];
  return optionType === undefined ? [] : values.map((value) => ({ type: optionType, value }));
}

/** Validates a choice as Discord's client does. @throws Error with a sentence. */
export function checkValues(select: APISelectMenuComponent, values: readonly string[], known: Resolvable): void {
  const { min_values: min = 1, max_values: max = 1, custom_id } = select;
  if (values.length < min || values.length > max || new Set(values).size !== values.length) {
    throw new Error(`The menu "${custom_id}" takes ${min} to ${max} different values.`);
  }
  const notOffered = values.find((value) => !isOffered(select, value, known));
  if (notOffered !== undefined) throw new Error(`The menu "${custom_id}" does not offer "${notOffered}".`);
}

function isOffered(select: APISelectMenuComponent, value: string, known: Resolvable): boolean {
  if (select.type === ComponentType.StringSelect) return select.options.some((option) => option.value === value);
  const optionType = OPTION_TYPES[select.type];
  if (optionType === undefined || !isResolvable(optionType, value, known)) return false;
  if (select.type !== ComponentType.ChannelSelect || !select.channel_types?.length) return true;
  return select.channel_types.includes(known.channels.get(value)?.type ?? -1);
}
