import type { ChatMessage } from '../../src/sandbox/discord/chat.ts';

/**
 * How a question ended for the member. `not reached`: Discord gave up before any bot could take it, because none was
 * alive or connected in those 3 s. `lost` is what must never be: acknowledged, and then nothing; or not acknowledged by
 * a bot that was there.
 */
export type Ending = 'card' | 'sentence' | 'not reached' | 'lost';

export function endingOf(message: ChatMessage, botWasAway: (fromMs: number, toMs: number) => boolean): Ending {
  if (message.state === 'answered' && !isWaitNotice(message)) return message.embeds.length > 0 ? 'card' : 'sentence';
  const unacknowledged = message.messageId === undefined;
  return unacknowledged && botWasAway(message.typedAtMs, message.typedAtMs + 3_000) ? 'not reached' : 'lost';
}

/** Nothing more will come. */
export function isFinal(message: ChatMessage): boolean {
  return message.state === 'failed' || (message.state === 'answered' && !isWaitNotice(message));
}

function isWaitNotice({ content }: ChatMessage): boolean {
  return content.startsWith('Your turn comes');
}
