import '@skyra/discord-components-core/discord-message.js';
import type { Post } from '../discord/chat.ts';
import { avatarOf } from './avatars.ts';
import { element } from './element.ts';
import { markdown } from './markdown-view.ts';
import { clockText, type MessageView, menuElement } from './message.ts';
import { usePageStyle } from './shadow-style.ts';

/** A message that a member wrote. */
export function postElement(post: Post, { reader, menu, actions }: MessageView): HTMLElement {
  const { messageId, member, content, postedAtMs } = post;
  const timestamp = clockText(postedAtMs, reader.locale);
  const made = element('discord-message', { author: member.name, avatar: avatarOf(member.name), timestamp });
  usePageStyle(made);
  made.append(markdown(content, reader));
  const apps = menu.length > 0 ? [menuElement(menu, (command) => actions.pick(messageId, command))] : [];
  if (apps.length > 0) made.append(element('div', { slot: 'components' }, ...apps));
  return made;
}
