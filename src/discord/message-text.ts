import type { Message } from 'discord.js';

type Text = Pick<Message, 'content'> &
  Partial<Pick<Message, 'embeds' | 'attachments' | 'components' | 'poll'>> & {
    messageSnapshots?: Message['messageSnapshots'] | null;
  };

/**
 * The text of a message, with that of its embeds, its components, its files, its poll, and the messages that it
 * forwards.
 */
export function textOf({ content, embeds = [], components = [], attachments, poll, messageSnapshots }: Text): string {
  const ofEmbeds = embeds.flatMap(({ title, description, fields, footer, author }) => [
    ...[author?.name, title, description],
    ...fields.flatMap(({ name, value }) => [name, value]),
    footer?.text,
  ]);
  const ofFiles = attachments?.map(({ title, name, description }) => [title ?? fileTitle(name), description]) ?? [];
  const forwarded = messageSnapshots?.map((snapshot) => textOf(snapshot)) ?? [];
  const ofPoll = [poll?.question.text, ...(poll?.answers.map(({ text }) => text) ?? [])];
  const texts = [content, ...ofEmbeds, ...displayed({ components }), ...ofFiles.flat(), ...ofPoll, ...forwarded];
  return texts.filter(Boolean).join('\n');
}

/** The texts that a component shows, those of the components in it included; labels are none. */
function displayed(component: object): string[] {
  const { content, components = [] } = component as { content?: string; components?: readonly object[] };
  return [...(content ? [content] : []), ...components.flatMap((each) => displayed(each))];
}

/** Without its ending, and with the blanks that Discord has replaced; those of a photo's number stay. */
function fileTitle(name: string): string {
  return name.replace(/\.\w+$/, '').replace(/(?<=\p{L})_(?=\p{L})/gu, ' ');
}
