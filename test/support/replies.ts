import type { ChatMessage } from '../../sandbox/discord/chat.ts';
import type { TypedInteraction } from '../../sandbox/discord/conversation.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import { LANGUAGES } from '../../src/render/languages.ts';
import { formatMessage } from '../../src/render/messages.ts';

/** Whether it is a sentence that a card or another sentence follows, in any language; of lists, in English. */
export function isOnTheWay(content: string): boolean {
  if (/on (?:its|their) way|should be here/.test(content)) return true;
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

/** The value of the field with this name in the embed of a reply. */
export function field({ embeds }: ChatMessage, name: string): string | undefined {
  return embeds[0]?.fields?.find((present) => present.name === name)?.value;
}

/** A button, or a menu, which has options in place of a label. */
interface Part {
  label?: string;
  placeholder?: string;
  custom_id: string;
  options?: readonly { value: string }[];
}

/** The buttons and menus of a reply. */
export function parts({ components }: ChatMessage): Part[] {
  return (components as { components: Part[] }[]).flatMap((row) => row.components);
}

export function labels(message: ChatMessage): (string | undefined)[] {
  return parts(message).map(({ label }) => label);
}

/** Presses a button, as the member whom the message answers or as another. @throws Error when there is none */
export function press(
  { discord }: Pick<Sandbox, 'discord'>,
  message: ChatMessage,
  label: string,
  memberId?: string,
): TypedInteraction {
  const button = parts(message).find((part) => part.label === label);
  if (!button || message.messageId === undefined) throw new Error(`no button "${label}"`);
  const { messageId } = message;
  return discord.click({ messageId, customId: button.custom_id, ...(memberId && { memberId }) });
}

/** Chooses in the first menu that offers the value. @throws Error when there is none */
export function choose({ discord }: Pick<Sandbox, 'discord'>, message: ChatMessage, value: string): TypedInteraction {
  const menu = parts(message).find(({ options }) => options?.some((option) => option.value === value));
  if (!menu || message.messageId === undefined) throw new Error(`no menu with "${value}"`);
  return discord.choose({ messageId: message.messageId, customId: menu.custom_id, values: [value] });
}
