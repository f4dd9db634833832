import type { Services } from '../../../commands/services.ts';
import { formatMessage } from '../../render/messages.ts';
import type { ReplyRenderer } from '../../replies/completion.ts';
import type { DeferredReply, Outcome } from '../../replies/deferred-reply.ts';
import type { Command, Message } from './command.ts';

/** Renders a completed reply by the command that deferred it. */
export class CompletionRenderer implements ReplyRenderer {
  readonly #commands: readonly Command[];
  readonly #services: Services;

  constructor(commands: readonly Command[], services: Services) {
    this.#commands = commands;
    this.#services = services;
  }

  /** @returns a sentence when there is no such command any more, or when it throws `err` */
  render(reply: DeferredReply, outcome: Outcome): { message: Message; err?: unknown } {
    const sentence = (key: 'unknownCommand' | 'broken') => ({ content: formatMessage(reply.locale, key) });
    try {
      const command = this.#commands.find(({ data, complete }) => data.name === reply.command && complete);
      return { message: command?.complete?.(reply, outcome, this.#services) ?? sentence('unknownCommand') };
    } catch (err) {
      return { message: sentence('broken'), err };
    }
  }
}
