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
  if (message.guildId !== guildId || message.deleted || isElsewhere(message)) return false;
  const own = message.member.id === member.id;
  return guildId === null ? own : own || !isPrivate(message);
}

/** A command that the bot never acknowledged is seen by its author alone, like an ephemeral reply. */
export function isPrivate({ ephemeral, messageId }: ChatMessage): boolean {
  return ephemeral || messageId === undefined;
}

/** The answer to a click may be a change of the message that holds the button; while none came, the button shows it. */
function isElsewhere({ trigger, state, updatesSource, followUps = [] }: ChatMessage): boolean {
  const isClick = trigger === 'component' || trigger === 'modal';
  return (isClick && state === 'sent') || (updatesSource === true && state !== 'failed' && followUps.length === 0);
}
