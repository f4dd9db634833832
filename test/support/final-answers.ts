import type { ChatMessage } from '../../sandbox/discord/chat.ts';
import type { TypedInteraction } from '../../sandbox/discord/typed-interaction.ts';
import { LANGUAGES } from '../../src/render/languages.ts';
import { formatMessage } from '../../src/render/messages.ts';

/** Whether it is a sentence that a card or another sentence follows, in any language. */
function isOnTheWay(content: string): boolean {
  const [time = ''] = /<t:\d+:[tT]>/.exec(content) ?? [];
  return LANGUAGES.some((language) =>
    [formatMessage(language, 'stillAsking'), formatMessage(language, 'permitAt', { time })].includes(content),
  );
}

/** Whether the member sees a card or a final sentence: neither "thinking…" nor the notice of a wait. */
export function isFinal({ state, embeds, content }: ChatMessage): boolean {
  return state === 'answered' && (embeds.length > 0 || (content !== '' && !isOnTheWay(content)));
}

/** What a list cost and what is left of the day, once all of its cards have come: below the last of them. */
export function endOfList({ embeds }: Pick<ChatMessage, 'embeds'>): string | undefined {
  return /(?:[\d,]+ new lookups? used|[\d,]+ of [\d,]+ new lookups? left today).*/.exec(
    embeds.at(-1)?.footer?.text ?? '',
  )?.[0];
}

/** Whether a list shows what it ends with: that line, or what it could not show. */
export function hasListEnded(message: ChatMessage): boolean {
  return endOfList(message) !== undefined || /^Not (?:found|shown):/m.test(message.content);
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
