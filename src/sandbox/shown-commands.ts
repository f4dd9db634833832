import { ApplicationCommandOptionType as OptionType } from 'discord-api-types/v10';

import type { Whereabouts } from './discord/chat.ts';
import type { CommandOption } from './discord/command-option-rules.ts';
import type { EmulatedDiscord } from './discord/emulated-discord.ts';
import type { ShownCommand, ShownOption } from './page-protocol.ts';

const KINDS: Readonly<Record<CommandOption['type'], ShownOption['kind']>> = {
  [OptionType.String]: 'string',
  [OptionType.Integer]: 'integer',
  [OptionType.Number]: 'number',
  [OptionType.Boolean]: 'boolean',
};

/** The commands that a member can type there. */
export function shownCommands(discord: Pick<EmulatedDiscord, 'commandsFor'>, at: Whereabouts): ShownCommand[] {
  return discord.commandsFor(at).map(({ name, description, options = [] }) => ({
    ...{ name, description },
    options: (options as CommandOption[]).map(shownOption), // as they were registered
  }));
}

function shownOption(option: CommandOption): ShownOption {
  const { name, description, type, required = false, autocomplete = false, choices = [] } = option;
  return {
    ...{ kind: KINDS[type], name, description, required, autocomplete },
    choices: choices.map((choice) => ({ name: choice.name, value: choice.value })),
    min: option.min_length ?? option.min_value,
    max: option.max_length ?? option.max_value,
  };
}
