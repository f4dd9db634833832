import type { ChatMessage } from '../../sandbox/discord/chat.ts';
import type { TypedInteraction } from '../../sandbox/discord/conversation.ts';
import { isFinal, press, type World } from './world.ts';

/** Three lines that are clear, one that is not, and headings. */
export const LIST =
  'Deck\nBig Things (5)\n4x Wick, Who Waits\n1 Moth Cartographer (base1) 2\n2 base1-3\n\nSideboard\n1 Nobody Knows This';

function opened({ discord }: World, memberId?: string): Promise<ChatMessage> {
  return discord.type({ command: 'cards', ...(memberId && { memberId }) }).until(({ modal }) => modal !== undefined);
}

async function submitted(world: World, text: string, memberId?: string): Promise<TypedInteraction> {
  const { interactionId } = await opened(world, memberId);
  return world.discord.submit({ interactionId, values: { text } });
}

/** What the member, the first one unless given, sees of a list that was pasted into the form of `/cards`. */
export async function pasted(world: World, text: string, memberId?: string): Promise<ChatMessage> {
  return (await submitted(world, text, memberId)).until(isFinal);
}

/** What the member sees once the prices of a list are fetched. */
export function fetched(world: World, estimate: ChatMessage): Promise<ChatMessage> {
  return press(world, estimate, 'Fetch the prices').until(isFinal);
}

export const textOf = ({ embeds: [embed] }: ChatMessage) => embed?.description ?? '';
