import {
  type APIApplicationCommandBasicOption,
  type APIApplicationCommandOption,
  ApplicationCommandOptionType,
} from 'discord-api-types/v10';
import type { Whereabouts } from './discord/chat.ts';
import type { EmulatedDiscord } from './discord/emulated-discord.ts';
import type { ShownCommand, ShownOption } from './page-protocol.ts';

type Declared = Pick<ReturnType<EmulatedDiscord['commandsFor']>[number], 'name' | 'description' | 'options'>;
type People = Pick<EmulatedDiscord, 'members' | 'rolesOf' | 'channelsOf'>;

/** The commands that a member can type there, with each subcommand separately; file options are omitted. */
export function shownCommands(discord: Pick<EmulatedDiscord, 'commandsFor'> & People, at: Whereabouts): ShownCommand[] {
  return discord.commandsFor(at).flatMap((declared) => callables(declared, discord, at.guildId ?? null));
}

function callables(declared: Declared, people: People, guildId: string | null): ShownCommand[] {
  const { name, description, options = [] } = declared;
  const inner = options.filter(isSubcommand);
  if (inner.length > 0) {
    return inner.flatMap((sub) => callables({ ...sub, name: `${name} ${sub.name}` } as Declared, people, guildId));
  }
  const basic = options as APIApplicationCommandBasicOption[];
  return [{ name, description, options: basic.flatMap((option) => shownOption(option, people, guildId) ?? []) }];
}

function isSubcommand({ type }: APIApplicationCommandOption): boolean {
  return type === ApplicationCommandOptionType.Subcommand || type === ApplicationCommandOptionType.SubcommandGroup;
}

function shownOption(
  option: APIApplicationCommandBasicOption,
  people: People,
  guildId: string | null,
): ShownOption | undefined {
  const { name, description, required = false } = option;
  const autocomplete = 'autocomplete' in option && option.autocomplete === true;
  const common = { name, description, required, autocomplete, choices: [], min: undefined, max: undefined };
  switch (option.type) {
    case ApplicationCommandOptionType.Attachment:
      return undefined;
    case ApplicationCommandOptionType.Boolean:
      return { ...common, kind: 'boolean' };
    case ApplicationCommandOptionType.String:
      return { ...common, kind: 'string', choices: choicesOf(option), min: option.min_length, max: option.max_length };
    case ApplicationCommandOptionType.Integer:
      return { ...common, kind: 'integer', choices: choicesOf(option), min: option.min_value, max: option.max_value };
    case ApplicationCommandOptionType.Number:
      return { ...common, kind: 'number', choices: choicesOf(option), min: option.min_value, max: option.max_value };
    default:
      return { ...common, kind: 'string', choices: thingsOf(option.type, people, guildId) };
  }
}

function choicesOf(option: { choices?: ShownOption['choices'] }): ShownOption['choices'] {
  return (option.choices ?? []).map(({ name, value }) => ({ name, value }));
}

/** Members, roles and channels are chosen by name and sent by id. */
function thingsOf(
  type: ApplicationCommandOptionType,
  { members, rolesOf, channelsOf }: People,
  guildId: string | null,
): ShownOption['choices'] {
  const roles = guildId === null ? [] : rolesOf(guildId);
  const channels = guildId === null ? [] : channelsOf(guildId);
  const things = new Map<ApplicationCommandOptionType, readonly { id: string; name: string }[]>([
    [ApplicationCommandOptionType.User, members],
    [ApplicationCommandOptionType.Role, roles],
    [ApplicationCommandOptionType.Channel, channels],
    [ApplicationCommandOptionType.Mentionable, [...members, ...roles]],
  ]);
  return (things.get(type) ?? []).map(({ id, name }) => ({ name, value: id }));
}
