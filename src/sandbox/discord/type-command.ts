import type { APIApplicationCommand } from 'discord-api-types/v10';

import type { TypedCommand } from './chat.ts';
import type { Conversation } from './conversation.ts';
import type { Conversations } from './conversations.ts';
import type { Gateway } from './gateway.ts';
import type { Lifetimes } from './interaction.ts';
import { interactionPayload } from './interaction-payload.ts';
import { snowflakeTimeMs } from './snowflake.ts';
import { commandLine, typedOptions } from './typed-options.ts';
import { channelId, type World } from './world.ts';

export interface TypingPlace {
  world: World;
  commandsFor(at: { guildId: string | null; manageGuild?: boolean }): APIApplicationCommand[];
  conversations: Conversations;
  gateway: Gateway;
  nextId: () => string;
  lifetimes: Lifetimes;
  origin: string;
}

/** Checks a typed command as Discord's client does and sends it to the bot. @throws Error in plain words. */
export function typeCommand(typed: TypedCommand, place: TypingPlace): Conversation {
  const { world, conversations, gateway, nextId, lifetimes, origin } = place;
  const guildId = typedGuild(typed, world);
  const member = typedMember(typed, world);
  const manageGuild = guildId !== null && typed.manageGuild === true;
  const command = typedName(typed, place.commandsFor({ guildId, manageGuild }));
  const options = typedOptions(command, typed.options ?? {});
  if (!gateway.isKnown) throw new Error('No bot is connected to the emulated Discord.');

  const id = nextId();
  const conversation = conversations.start({
    channelId: channelId(guildId, member.id),
    commandName: command.name,
    lifetimes,
    nextId,
    origin,
    message: {
      interactionId: id,
      messageId: undefined,
      guildId,
      member,
      commandLine: commandLine(command.name, options),
      state: 'sent',
      failure: undefined,
      ephemeral: false,
      edited: false,
      content: '',
      embeds: [],
      typedAtMs: snowflakeTimeMs(id),
      answeredAtMs: undefined,
    },
  });
  const { token } = conversation;
  const payload = interactionPayload({ id, token, member, guildId, manageGuild, command, options }, world);
  gateway.dispatch('INTERACTION_CREATE', guildId, payload);
  return conversation;
}

function typedGuild({ guildId }: TypedCommand, { guilds }: World): string | null {
  if (guildId === null) return null;
  const found = guildId === undefined ? guilds[0] : guilds.find(({ id }) => id === guildId);
  if (!found) throw new Error(`There is no Discord server with the id ${guildId}.`);
  return found.id;
}

function typedMember({ memberId }: TypedCommand, { members }: World) {
  const found = memberId === undefined ? members[0] : members.find(({ id }) => id === memberId);
  if (!found) throw new Error(`There is no member with the id ${memberId}.`);
  return found;
}

/** A guild's own command is taken before the global one of the same name. */
function typedName({ command }: TypedCommand, visible: readonly APIApplicationCommand[]): APIApplicationCommand {
  const named = visible.filter(({ name }) => name === command);
  const found = named.find(({ guild_id }) => guild_id !== undefined) ?? named[0];
  if (!found) throw new Error(`/${command} is not registered, or not visible to this member here.`);
  return found;
}
