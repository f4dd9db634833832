import type { ChatMessage } from './chat.ts';
import type { Conversation } from './conversation.ts';

/** A typed command, as its member sees it. */
export interface TypedInteraction {
  readonly id: string;
  /** The latest snapshot. */
  readonly message: ChatMessage;
  /** Every snapshot so far, the last hundred at most. */
  readonly history: readonly ChatMessage[];
  /**
   * Resolves to the first snapshot, past or future, that matches.
   * Rejects with a sentence and the history after `timeoutMs` (default 30,000).
   */
  until(fits: (message: ChatMessage) => boolean, timeoutMs?: number): Promise<ChatMessage>;
  /** Resolves to the first snapshot that is answered or failed; the notice of a wait counts as answered. */
  settled(timeoutMs?: number): Promise<ChatMessage>;
}

const PATIENCE_MS = 60_000;

export function typedInteraction(conversation: Conversation): TypedInteraction {
  return {
    id: conversation.message.interactionId,
    get message() {
      return conversation.message;
    },
    get history() {
      return conversation.course.history;
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
  const past = conversation.course.history.find(fits);
  if (past) return past;
  const { promise, resolve, reject } = Promise.withResolvers<ChatMessage>();
  const unsubscribe = conversation.course.subscribe((message) => fits(message) && resolve(message));
  const timer = setTimeout(() => reject(new Error(timeoutMessage(conversation, timeoutMs))), timeoutMs);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    unsubscribe();
  }
}

function timeoutMessage({ message, course: { history } }: Conversation, timeoutMs: number): string {
  const lines = history.map(({ state, content, embeds, failure }) =>
    JSON.stringify({ state, content, embeds, failure }),
  );
  return `${message.commandLine} did not match within ${timeoutMs} ms. Its history:\n${lines.join('\n')}`;
}
