import type { ChatMessage } from '../../src/sandbox/discord/chat.ts';
import type { TypedInteraction } from '../../src/sandbox/discord/typed-interaction.ts';

/** Sentences that a card or another sentence follows. */
const ON_THE_WAY = /^(?:You're in line|Still asking the card service…$)/;

/** Whether the member sees a card or a final sentence: neither "thinking…" nor the notice of a wait. */
export function isFinal({ state, embeds, content }: ChatMessage): boolean {
  return state === 'answered' && (embeds.length > 0 || (content !== '' && !ON_THE_WAY.test(content)));
}

/** The first final answer: the card's title or the sentence. */
export async function finalAnswer(typed: TypedInteraction, timeoutMs = 60_000): Promise<string> {
  const { embeds, content } = await typed.until((message) => isFinal(message) || message.state === 'failed', timeoutMs);
  return embeds[0]?.title ?? content;
}

/** Counts final answers that differ from the previous one, and follow-up messages. 1 is correct. */
export function finalAnswers({ history, message }: TypedInteraction): number {
  const shown = history.filter(isFinal).map(({ content, embeds }) => JSON.stringify([content, embeds]));
  const changes = shown.filter((text, index) => text !== shown[index - 1]).length;
  return changes + (message.followUps?.length ?? 0);
}
