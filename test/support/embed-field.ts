import type { ChatMessage } from '../../sandbox/discord/chat.ts';

/** The value of the field with this name in the embed of a reply. */
export function field({ embeds }: ChatMessage, name: string): string | undefined {
  return embeds[0]?.fields?.find((present) => present.name === name)?.value;
}
