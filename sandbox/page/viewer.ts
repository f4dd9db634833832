import type { ChatMessage } from '../discord/chat.ts';

/** The member who views the page, and the server, or `null` for direct messages with the bot. */
export interface Viewer {
  memberId: string;
  guildId: string | null;
  manageGuild: boolean;
}

/** Whether Discord would show this message to the viewer: in this place, and not another member's private reply. */
export function isVisible(message: ChatMessage, { memberId, guildId }: Pick<Viewer, 'memberId' | 'guildId'>): boolean {
  const { trigger, state, updatesSource, followUps = [] } = message;
  const isClick = trigger === 'component' || trigger === 'modal';
  // The answer to a click may be a change of the button's message; until it arrives, the button shows the state
  const isElsewhere = (isClick && state === 'sent') || (updatesSource && state !== 'failed' && followUps.length === 0);
  if (message.guildId !== guildId || message.deleted || isElsewhere) return false;
  return message.member.id === memberId || (guildId !== null && !isPrivate(message));
}

/** A command that the bot never acknowledged is visible to its author alone, like an ephemeral reply. */
export function isPrivate({ ephemeral, messageId }: ChatMessage): boolean {
  return ephemeral || messageId === undefined;
}
