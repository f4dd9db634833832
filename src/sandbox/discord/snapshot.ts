import { MessageFlags } from 'discord-api-types/v10';

import { standingFiles } from './attachment-links.ts';
import type { ChatMessage, FollowUp, MessageBody } from './chat.ts';
import { type Phase, shown } from './interaction.ts';
import type { Reply } from './message-rules.ts';
import type { SentMessage, SentMessages } from './sent-messages.ts';

/** The snapshot for the chat after a change. */
export function nextSnapshot(before: ChatMessage, phase: Phase, sent: SentMessages, nowMs: number): ChatMessage {
  const { original, followUps } = sent;
  return {
    ...before,
    ...shown(phase, before.trigger),
    ...(original && { messageId: original.id, ...shownBody(original.reply) }),
    ...(original && phase !== 'deleted' && { ephemeral: original.ephemeral, edited: original.edited }),
    answeredAtMs: before.answeredAtMs ?? (phase === 'answered' ? nowMs : undefined),
    ...(phase === 'deleted' && { deleted: true }),
    ...((followUps.length > 0 || before.followUps) && { followUps: followUps.map(shownFollowUp) }),
  };
}

function shownFollowUp({ id, ephemeral, edited, reply }: SentMessage): FollowUp {
  return { messageId: id, ephemeral, edited, ...shownBody(reply) };
}

function shownBody({ content, embeds, components, attachments, flags }: Reply): MessageBody {
  const shownEmbeds = flags & MessageFlags.SuppressEmbeds ? [] : embeds; // resources/message, "Message Flags"
  return { content, embeds: shownEmbeds, components, attachments: standingFiles(attachments, embeds) };
}
