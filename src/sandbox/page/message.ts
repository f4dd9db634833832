import '@skyra/discord-components-core/discord-command.js';
import '@skyra/discord-components-core/discord-message.js';
import type { ChatMessage } from '../discord/chat.ts';
import { avatarOf, botAvatar } from './avatars.ts';
import { element } from './element.ts';
import { embedElement } from './embed.ts';
import { markdown, type Reader } from './markdown-view.ts';
import { isPrivate } from './viewer.ts';

export interface MessageView {
  botName: string;
  reader: Reader;
  dismiss(): void;
}

/** One command and its reply. */
export function messageElement(message: ChatMessage, { botName, reader, dismiss }: MessageView): HTMLElement {
  const made = element('discord-message', {
    author: botName,
    avatar: botAvatar(),
    bot: true,
    timestamp: clockText(message.answeredAtMs ?? message.typedAtMs, reader.locale),
    edited: message.edited,
    ephemeral: isPrivate(message) && message.state !== 'sent',
    dismissMessageClicked: dismiss,
  });
  made.dataset.state = message.state;
  made.append(commandElement(message), ...body(message, botName, reader));
  if (made.ephemeral) void made.updateComplete.then(() => makeDismissReachable(made));
  return made;
}

function commandElement({ member, commandLine }: ChatMessage): HTMLElement {
  return element('discord-command', {
    slot: 'reply',
    author: member.name,
    avatar: avatarOf(member.name),
    command: commandLine.replace(/^\//, ''),
    title: commandLine,
  });
}

function body(message: ChatMessage, botName: string, reader: Reader): Node[] {
  switch (message.state) {
    case 'sent':
      return [element('span', { className: 'quiet' }, 'Sending command…')];
    case 'thinking':
      return [thinking(botName)];
    case 'failed':
      return [element('span', { className: 'failed' }, message.failure ?? 'The application did not respond')];
    case 'answered':
      return [message, ...(message.followUps ?? [])].flatMap(({ content, embeds }) => [
        markdown(content, reader),
        ...embeds.map((embed) => embedElement(embed, reader)),
      ]);
  }
}

function thinking(botName: string): HTMLElement {
  const dots = element('span', { className: 'dots', ariaHidden: 'true' });
  dots.append(element('i'), element('i'), element('i'));
  return element('span', { className: 'quiet thinking' }, dots, `${botName} is thinking…`);
}

function clockText(ms: number, locale: string): string {
  const when = new Date(ms);
  const today = when.toDateString() === new Date().toDateString();
  return when.toLocaleString(locale, today ? { timeStyle: 'short' } : { dateStyle: 'short', timeStyle: 'short' });
}

/** The component's "Dismiss message" listens to the keyboard, but cannot be reached by it. */
function makeDismissReachable(message: HTMLElementTagNameMap['discord-message']): void {
  const link = message.shadowRoot?.querySelector<HTMLElement>('.discord-message-ephemeral-link');
  if (!link) return;
  link.tabIndex = 0;
  link.addEventListener('keydown', (event) => {
    if (event.key === 'Enter') message.dismissMessageClicked();
  });
}
