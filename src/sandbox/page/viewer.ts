import type { ChatMessage, Member } from '../discord/chat.ts';

/** Who looks at the page, and where. */
export interface Viewer {
  member: Member;
  /** `null` = direct messages with the bot. */
  guildId: string | null;
  manageGuild: boolean;
}

/** Whether Discord would show this message to the viewer: here, and not somebody else's private reply. */
export function isVisible(message: ChatMessage, { guildId, member }: Viewer): boolean {
  if (message.guildId !== guildId || message.deleted) return false;
  const own = message.member.id === member.id;
  return guildId === null ? own : own || !isPrivate(message);
}

/** A command that the bot never acknowledged is seen by its author alone, like an ephemeral reply. */
export function isPrivate({ ephemeral, messageId }: ChatMessage): boolean {
  return ephemeral || messageId === undefined;
}
