import type { ChatMessage } from '../../sandbox/discord/chat.ts';
import type { TypedInteraction } from '../../sandbox/discord/typed-interaction.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';

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
