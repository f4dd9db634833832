import { type Interaction, PermissionFlagsBits } from 'discord.js';
import type { CardQuery } from '../../model/card.ts';
import { type DeferredReply, REPLY_DEADLINE_MS } from '../../replies/deferred-reply.ts';
import type { Invocation } from './command.ts';

export function toInvocation(interaction: Interaction): Invocation {
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
  };
}

/** @param command completes the reply */
export function toDeferredReply(
  command: string,
  { manageGuild: _, ...invocation }: Invocation,
  query: CardQuery,
  isPrivate: boolean,
): DeferredReply {
  return { ...invocation, command, query, private: isPrivate };
}

/** discord.js throws when an option that is read is missing or of another type: the registration is outdated. */
export function isOptionError(err: unknown): boolean {
  return err instanceof TypeError && 'code' in err && String(err.code).startsWith('CommandInteractionOption');
}
