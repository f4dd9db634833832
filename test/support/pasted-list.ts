import type { ChatMessage } from '../../sandbox/discord/chat.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import { isFinal, press, type World } from './world.ts';

/** Three lines that are clear, one that is not, and headings. */
export const LIST =
  'Deck\nBig Things (5)\n4x Wick, Who Waits\n1 Moth Cartographer (base1) 2\n2 base1-3\n\nSideboard\n1 Nobody Knows This';

/** A list as it is pasted into the form of `/cards`. */
export async function submitted({ discord }: Pick<Sandbox, 'discord'>, text: string, memberId?: string) {
  const typed = discord.type({ command: 'cards', ...(memberId && { memberId }) });
  const { interactionId } = await typed.until(({ modal }) => modal !== undefined);
  return discord.submit({ interactionId, values: { text } });
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
