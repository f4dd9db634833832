import type { ChatMessage, Member, PlaceContext, Post } from '../discord/chat.ts';

/** A server, direct messages with the bot (context 1), or a group without it (2). */
export interface ShownPlace {
  guildId: string | null;
  context: PlaceContext;
}

/** The member who views the page, and the place. */
export interface Viewer extends ShownPlace {
  member: Member;
  manageGuild: boolean;
}

/** Whether Discord would show this message to the viewer: in this place, and not another member's private reply. */
export function isVisible(message: ChatMessage, { member, ...place }: Viewer): boolean {
  if (!isSame(message, place) || message.deleted || isElsewhere(message)) return false;
  const own = message.member.id === member.id;
  return place.context === 1 ? own : own || !isPrivate(message);
}

/** A member's message is there for everyone at the place; direct messages have one member. */
export function isVisiblePost(post: Post, { member, ...place }: Viewer): boolean {
  return isSame(post, place) && (place.context !== 1 || post.member.id === member.id);
}

export function isSame(one: ShownPlace, other: ShownPlace): boolean {
  return one.guildId === other.guildId && one.context === other.context;
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
