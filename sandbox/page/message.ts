import '@skyra/discord-components-core/discord-command.js';
import '@skyra/discord-components-core/discord-message.js';
import type { APIAttachment } from 'discord-api-types/v10';
import type { ChatMessage, FollowUp, Post } from '../discord/chat.ts';
import { avatarOf, BOT_NAME, botAvatar } from './avatars.ts';
import { type ActionsBelow, belowMessage } from './components.ts';
import { element, linkTo } from './element.ts';
import { embedElement } from './embed.ts';
import { markdown, type Reader } from './markdown-view.ts';
import { modalElement } from './modal.ts';
import { usePageStyle } from './shadow-style.ts';
import { isPrivate } from './viewer.ts';

export interface MessageView {
  reader: Reader;
  /** The names of the context menu commands of a message. */
  menu: readonly string[];
  actions: MessageActions;
  dismiss(): void;
}

/** The actions of a reader on a message. */
export interface MessageActions extends ActionsBelow {
  /** Submits the form with which the bot answered; `done` is called when Discord has accepted it. */
  submit(interactionId: string, values: Record<string, string>, done: () => void): void;
}

/** One command and its reply, or what the bot wrote by itself. */
export function messageElement(message: ChatMessage, view: MessageView): HTMLElement {
  const { reader, dismiss } = view;
  const made = element('discord-message', {
    author: BOT_NAME,
    avatar: botAvatar(),
    bot: true,
    timestamp: clockText(message.answeredAtMs ?? message.typedAtMs, reader.locale),
    edited: message.edited,
    ephemeral: isPrivate(message) && message.state !== 'sent',
    dismissMessageClicked: dismiss,
  });
  usePageStyle(made);
  made.dataset.state = message.state;
  if (message.trigger !== 'message') made.append(commandElement(message));
  made.append(...body(message, view));
  if (made.ephemeral) void made.updateComplete.then(() => makeDismissReachable(made));
  return made;
}

/** What the member did: the line of a slash command, otherwise the label of what was clicked. */
function commandElement({ trigger, member, commandLine }: ChatMessage): HTMLElement {
  if (trigger !== 'command') {
    return element(
      'div',
      { slot: 'reply', className: 'quiet used', title: commandLine },
      `${member.name}: ${commandLine}`,
    );
  }
  const made = element('discord-command', {
    slot: 'reply',
    author: member.name,
    avatar: avatarOf(member.name),
    command: commandLine.replace(/^\//, ''),
    title: commandLine,
  });
  usePageStyle(made);
  return made;
}

function body(message: ChatMessage, view: MessageView): Node[] {
  switch (message.state) {
    case 'sent':
      return [element('span', { className: 'quiet' }, 'Sending command…')];
    case 'thinking':
      return [thinking()];
    case 'failed':
      return [element('span', { className: 'failed' }, message.failure ?? 'The application did not respond')];
    case 'answered':
      if (message.modal) {
        const submit = (values: Record<string, string>) => {
          view.actions.submit(message.interactionId, values, view.dismiss);
        };
        return [modalElement(message.modal, submit)];
      }
      return [message, ...(message.followUps ?? [])].flatMap((part) => contents(part, view));
  }
}

function contents(part: ChatMessage | FollowUp, { reader, menu, actions }: MessageView): Node[] {
  const { messageId, content, embeds, attachments, components } = part;
  const shown = [
    markdown(content, reader),
    ...embeds.map((embed) => embedElement(embed, reader)),
    ...attachments.map((attachment) => attachmentElement(attachment, reader.locale)),
  ];
  if (messageId === undefined) return shown;

  return [...shown, ...belowMessage(messageId, components, menu, actions)];
}

/** A message that a member wrote. */
export function postElement({ messageId, member, content, postedAtMs }: Post, view: MessageView): HTMLElement {
  const { reader, menu, actions } = view;
  const timestamp = clockText(postedAtMs, reader.locale);
  const made = element('discord-message', { author: member.name, avatar: avatarOf(member.name), timestamp });
  usePageStyle(made);
  made.append(markdown(content, reader), ...belowMessage(messageId, [], menu, actions));
  return made;
}

function attachmentElement(attachment: APIAttachment, locale: string): HTMLElement {
  const { url, filename, size, content_type, description } = attachment;
  const isPicture = content_type?.startsWith('image/') === true;
  const shown = isPicture
    ? element('img', { src: url, alt: description ?? filename })
    : element('span', {}, linkTo(url, filename), ` ${size.toLocaleString(locale)} bytes`);
  return element('div', { slot: 'attachments', className: 'attachment' }, shown);
}

function thinking(): HTMLElement {
  const dots = element('span', { className: 'dots', ariaHidden: 'true' });
  return element('span', { className: 'quiet thinking' }, dots, `${BOT_NAME} is thinking…`);
}

function clockText(ms: number, locale: string): string {
  const when = new Date(ms);
  const today = when.toDateString() === new Date().toDateString();
  return when.toLocaleString(locale, today ? { timeStyle: 'short' } : { dateStyle: 'short', timeStyle: 'short' });
}

/** The component's "Dismiss message" handles keys, but cannot be focused. */
function makeDismissReachable(message: HTMLElementTagNameMap['discord-message']): void {
  const link = message.shadowRoot?.querySelector<HTMLElement>('.discord-message-ephemeral-link');
  if (!link) return;
  link.tabIndex = 0;
  link.addEventListener('keydown', (event) => {
    if (event.key === 'Enter') message.dismissMessageClicked();
  });
}
