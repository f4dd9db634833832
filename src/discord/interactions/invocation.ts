import { type ChatInputCommandInteraction, type CommandInteraction, PermissionFlagsBits } from 'discord.js';
import type { CardQuery } from '../../model/card.ts';
import { type DeferredReply, REPLY_DEADLINE_MS } from '../../replies/deferred-reply.ts';
import type { Invocation } from './command.ts';

/** What was asked, without the wire. */
export function toAsked(interaction: CommandInteraction): Invocation {
  const receivedAtMs = Date.now();
  return {
    interactionId: interaction.id,
    applicationId: interaction.applicationId,
    token: interaction.token,
    memberId: interaction.user.id,
    guildId: interaction.guildId ?? undefined,
    locale: interaction.locale,
    receivedAtMs,
    deadlineMs: receivedAtMs + REPLY_DEADLINE_MS,
    manageGuild: interaction.memberPermissions?.has(PermissionFlagsBits.ManageGuild) ?? false,
    // A menu command has none; no command of ours is one, so nobody reads them.
    options: (interaction as ChatInputCommandInteraction).options,
  };
}

/** A question as a debt: plain data, without what only this process can read. */
export function toDeferredReply(
  command: string,
  { options: _, manageGuild: __, ...invocation }: Invocation,
  query: CardQuery,
  isPrivate: boolean,
): DeferredReply {
  return { ...invocation, command, query, private: isPrivate };
}

/** discord.js refuses to read an option that is missing or of another type: an old registration. */
export function isOptionError(err: unknown): boolean {
  return err instanceof TypeError && 'code' in err && String(err.code).startsWith('CommandInteractionOption');
}
