import {
  type APIApplicationCommandBasicOption,
  ApplicationCommandOptionType as OptionType,
} from 'discord-api-types/v10';

import { isResolvable, type Resolvable } from './resolvable.ts';

export type OptionValue = string | number | boolean;

/** Why a value is invalid for an option, as the end of a sentence; undefined = valid. */
export function misfit(
  option: APIApplicationCommandBasicOption,
  value: OptionValue,
  known: Resolvable,
): string | undefined {
  if ('choices' in option && option.choices?.length) {
    return option.choices.some((choice) => choice.name === value || choice.value === value)
      ? undefined
      : `is none of ${option.choices.map(({ name }) => name).join(', ')}`;
  }
  switch (option.type) {
    case OptionType.String:
      return textMisfit(value, option.min_length ?? 0, option.max_length ?? 6_000);
    case OptionType.Integer:
      return Number.isSafeInteger(value) ? numberMisfit(value, option) : 'must be a whole number';
    case OptionType.Number:
      return Number.isFinite(value) ? numberMisfit(value, option) : 'must be a number';
    case OptionType.Boolean:
      return typeof value === 'boolean' ? undefined : 'must be true or false';
    case OptionType.Channel:
      return channelMisfit(String(value), option.channel_types, known);
    default:
      return isResolvable(option.type, String(value), known) ? undefined : WANTED[option.type];
  }
}

const WANTED: Record<number, string> = {
  [OptionType.User]: 'must be the id of a member',
  [OptionType.Role]: 'must be the id of a role of this server',
  [OptionType.Mentionable]: 'must be the id of a member or of a role of this server',
  [OptionType.Attachment]: 'must be a file',
};

function channelMisfit(id: string, types: readonly number[] | undefined, { channels }: Resolvable) {
  const found = channels.get(id);
  if (!found) return 'must be the id of a channel of this server';
  return types?.length && !types.includes(found.type) ? 'is not a channel of the wanted kind' : undefined;
}

function textMisfit(value: OptionValue, min: number, max: number): string | undefined {
  if (typeof value !== 'string') return 'must be text';
  const length = [...value].length;
  return length < min || length > max ? `must have ${min} to ${max} characters` : undefined;
}

function numberMisfit(value: OptionValue, { min_value, max_value }: { min_value?: number; max_value?: number }) {
  if (min_value !== undefined && Number(value) < min_value) return `must be at least ${min_value}`;
  if (max_value !== undefined && Number(value) > max_value) return `must be at most ${max_value}`;
  return undefined;
}

/** Members pick a choice by its name; the bot receives its value. */
export function chosen(option: APIApplicationCommandBasicOption, value: OptionValue): OptionValue {
  if (!('choices' in option)) return value;
  return option.choices?.find((choice) => choice.name === value)?.value ?? value;
}
