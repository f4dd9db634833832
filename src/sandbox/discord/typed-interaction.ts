import type { ChatMessage } from './chat.ts';
import type { Conversation } from './conversation.ts';

/** A command that was typed, as the one who typed it watches it. */
export interface TypedInteraction {
  readonly id: string;
  /** Latest snapshot. */
  readonly message: ChatMessage;
  /** Every snapshot so far, the last hundred at most. */
  readonly history: readonly ChatMessage[];
  /**
   * The first snapshot, past or future, that fits.
   * Rejects with a sentence and the history after `timeoutMs` (default 10,000).
   */
  until(fits: (message: ChatMessage) => boolean, timeoutMs?: number): Promise<ChatMessage>;
  /** The first snapshot that is answered (with a notice to wait, too) or failed. */
  settled(timeoutMs?: number): Promise<ChatMessage>;
}

const PATIENCE_MS = 10_000;

export function typedInteraction(conversation: Conversation): TypedInteraction {
  return {
    id: conversation.message.interactionId,
    get message() {
      return conversation.message;
    },
    get history() {
      return conversation.history;
    },
    until: (fits, timeoutMs = PATIENCE_MS) => until(conversation, fits, timeoutMs),
    settled: (timeoutMs = PATIENCE_MS) =>
      until(conversation, ({ state }) => state === 'answered' || state === 'failed', timeoutMs),
  };
}

async function until(
  conversation: Conversation,
  fits: (message: ChatMessage) => boolean,
  timeoutMs: number,
): Promise<ChatMessage> {
  const past = conversation.history.find(fits);
  if (past) return past;
  const { promise, resolve, reject } = Promise.withResolvers<ChatMessage>();
  const unsubscribe = conversation.subscribe((message) => fits(message) && resolve(message));
  const timer = setTimeout(() => reject(new Error(inVain(conversation, timeoutMs))), timeoutMs);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    unsubscribe();
  }
}

function inVain({ message, history }: Conversation, timeoutMs: number): string {
  const lines = history.map(({ state, content, embeds, failure }) =>
    JSON.stringify({ state, content, embeds, failure }),
  );
  return `${message.commandLine} did not get there within ${timeoutMs} ms. Its history:\n${lines.join('\n')}`;
}
