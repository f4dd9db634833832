import type { ChatMessage, Member, Post } from '../discord/chat.ts';

/** The member who views the page, and the server, or `null` for direct messages with the bot. */
export interface Viewer {
  member: Member;
  guildId: string | null;
  manageGuild: boolean;
}

/** Whether Discord would show this message to the viewer: in this place, and not another member's private reply. */
export function isVisible(message: ChatMessage, { member, guildId }: Viewer): boolean {
  if (message.guildId !== guildId || message.deleted || isElsewhere(message)) return false;
  return message.member.id === member.id || (guildId !== null && !isPrivate(message));
}

/** A member's message is there for everyone at the place; direct messages have one member. */
export function isVisiblePost(post: Post, { member, guildId }: Viewer): boolean {
  return post.guildId === guildId && (guildId !== null || post.member.id === member.id);
}

/** A command that the bot never acknowledged is visible to its author alone, like an ephemeral reply. */
export function isPrivate({ ephemeral, messageId }: ChatMessage): boolean {
  return ephemeral || messageId === undefined;
}

/** The answer to a click may be a change of the button's message; until it arrives, the button shows the state. */
function isElsewhere({ trigger, state, updatesSource, followUps = [] }: ChatMessage): boolean {
  const isClick = trigger === 'component' || trigger === 'modal';
  return (isClick && state === 'sent') || (updatesSource === true && state !== 'failed' && followUps.length === 0);
}
