import type { Services } from '../../../commands/services.ts';
import { formatMessage } from '../../render/messages.ts';
import type { DeferredReply, Outcome } from '../../replies/deferred-reply.ts';
import type { Command, Message } from './command.ts';

/**
 * What a deferred reply shows in the end, by the command that deferred it; a sentence when there is no such command any
 * more, or when it throws `err`.
 */
export function renderCompletion(
  commands: readonly Command[],
  services: Services,
  reply: DeferredReply,
  outcome: Outcome,
): { message: Message; err?: unknown } {
  const sentence = (key: 'unknownCommand' | 'broken') => ({ content: formatMessage(reply.locale, key) });
  try {
    const command = commands.find(({ data, complete }) => data.name === reply.command && complete);
    return { message: command?.complete?.(reply, outcome, services) ?? sentence('unknownCommand') };
  } catch (err) {
    return { message: sentence('broken'), err };
  }
}
