import { type APIApplicationCommandOption, ApplicationCommandOptionType } from 'discord-api-types/v10';
import type { ShownCommand, ShownOption } from './page-protocol.ts';
import type { PageDiscord } from './page-sources.ts';

/** The declarations as the page's composer needs them; options of a kind that it cannot ask for are left out. */
export function shownCommands(declarations: ReturnType<PageDiscord['commandsFor']>): ShownCommand[] {
  return declarations.map(({ name, description, options = [] }) => ({
    name,
    description,
    options: options.flatMap((option) => shownOption(option) ?? []),
  }));
}

function shownOption(option: APIApplicationCommandOption): ShownOption | undefined {
  const { name, description, required = false } = option;
  const common = { name, description, required, choices: [], min: undefined, max: undefined };
  switch (option.type) {
    case ApplicationCommandOptionType.Boolean:
      return { ...common, kind: 'boolean' };
    case ApplicationCommandOptionType.String:
      return { ...common, kind: 'string', choices: choicesOf(option), min: option.min_length, max: option.max_length };
    case ApplicationCommandOptionType.Integer:
      return { ...common, kind: 'integer', choices: choicesOf(option), min: option.min_value, max: option.max_value };
    case ApplicationCommandOptionType.Number:
      return { ...common, kind: 'number', choices: choicesOf(option), min: option.min_value, max: option.max_value };
    default:
      return undefined;
  }
}

function choicesOf(option: { choices?: { name: string; value: string | number }[] }): ShownOption['choices'] {
  return (option.choices ?? []).map(({ name, value }) => ({ name, value }));
}
