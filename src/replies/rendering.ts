import { type Command, replyLocale, type Services, type View, withDelete } from '../../commands/command.ts';
import type { Outcomes } from '../lookup/lookups.ts';
import type { AskedList } from '../model/invocation.ts';
import type { Message } from '../model/message.ts';
import { formatMessage, type PlainMessageKey } from '../render/messages.ts';
import type { CardsReply } from './ports.ts';

/**
 * What the reply shows so far, or in the end; `err` when its command cannot render it.
 *
 * @param isPrivate whether the member alone sees it; as was asked, unless given
 */
export type RenderReply = (
  reply: CardsReply,
  outcomes: Outcomes,
  isPrivate?: boolean,
) => Promise<{ message: Message; err?: unknown }>;

export interface RenderingOptions extends Pick<Services, 'limiter' | 'currency' | 'display'> {
  commands: readonly Command[];
  /** Renders a pasted list, from what is kept of its cards. */
  showList?(reply: CardsReply, list: AskedList, outcomes: Outcomes, view: View): Promise<Message>;
}

/**
 * What a reply shows by the command that asked for its cards, in the language of whom it is for; a sentence when there
 * is no such command any more, or when it throws, with the error for the log.
 */
export function replyRenderer({ commands, limiter, currency, display, showList }: RenderingOptions): RenderReply {
  return async (reply, outcomes, isPrivate = reply.asked.isPrivate) => {
    const { command, canReplyPublicly, asked } = reply;
    const show = commands.find(({ data }) => data.name === command)?.show;
    if (!show) return { message: sentenceOf(reply, 'unknownCommand', isPrivate) };
    try {
      const locale = replyLocale(reply, isPrivate, asked.language);
      const view = { locale, quota: limiter.view().quota, currency, display, canReplyPublicly, isPrivate };
      if (asked.list && showList) return { message: await showList(reply, asked.list, outcomes, view) };
      return { message: show(asked, outcomes, view) };
    } catch (err) {
      return { message: sentenceOf(reply, 'broken', isPrivate), err };
    }
  };
}

/** A sentence in place of what cannot be shown. */
export function sentenceOf(reply: CardsReply, key: PlainMessageKey, isPrivate = reply.asked.isPrivate): Message {
  const locale = replyLocale(reply, isPrivate, reply.asked.language);
  return withDelete({ content: formatMessage(locale, key) }, { locale, isPrivate });
}
