import type { ChatMessage, FollowUp } from './chat.ts';
import { type Phase, SHOWN } from './interaction.ts';
import type { SentMessage, SentMessages } from './sent-messages.ts';

/** What the chat shows after a change. */
export function nextSnapshot(before: ChatMessage, phase: Phase, sent: SentMessages, nowMs: number): ChatMessage {
  const { original, followUps } = sent;
  return {
    ...before,
    ...SHOWN[phase],
    ...(original && { messageId: original.id, content: original.reply.content, embeds: original.reply.embeds }),
    ...(original && phase !== 'deleted' && { ephemeral: original.ephemeral, edited: original.edited }),
    answeredAtMs: before.answeredAtMs ?? (phase === 'answered' ? nowMs : undefined),
    ...(phase === 'deleted' && { deleted: true }),
    ...((followUps.length > 0 || before.followUps) && { followUps: followUps.map(shownFollowUp) }),
  };
}

function shownFollowUp({ id, ephemeral, edited, reply: { content, embeds } }: SentMessage): FollowUp {
  return { messageId: id, ephemeral, edited, content, embeds };
}
