import type { Services } from '../../../commands/services.ts';
import type { Logger } from '../../log.ts';
import { formatMessage } from '../../render/messages.ts';
import type { DeferredReply, Outcome } from '../../replies/deferred-reply.ts';
import type { ReplyEdits } from '../rest/reply-edits.ts';
import type { Command, Message } from './command.ts';
import { logCommand } from './command-log.ts';

export interface CompletionOptions {
  commands: readonly Command[];
  services: Services;
  replyEdits: ReplyEdits;
  log: Logger;
}

/**
 * The payment of a debt: rendered now, so that however often it is sent it is the same answer. Sending it edits the
 * reply and, once that is settled, writes the command's line; it never rejects.
 *
 * @returns sends it, and gives `false` when Discord could not be reached: worth another try
 */
export function completion(
  options: CompletionOptions,
  deferred: DeferredReply,
  outcome: Outcome,
  waitMs: number,
): () => Promise<boolean> {
  const { replyEdits, log } = options;
  const { message, err } = rendered(options, deferred, outcome);
  const ended = 'answer' in outcome ? 'answered' : outcome.error.name;
  const source = outcome.requested ? 'service' : 'answer' in outcome ? 'cache' : 'bot';
  return async () => {
    const result = await replyEdits.edit(deferred, message);
    // What Discord finds fault with must not leave "thinking…" there for ever.
    const content = formatMessage(deferred.locale, 'broken');
    const plain = result === 'refused' ? await replyEdits.edit(deferred, { content }) : undefined;
    if (result === 'failed' || plain === 'failed') return false;
    const shown = result === 'edited' ? ended : plain === 'edited' ? 'broken' : 'not answered';
    logCommand(log, deferred, { source, waitMs, outcome: shown, err });
    return true;
  };
}

function rendered(
  { commands, services }: CompletionOptions,
  deferred: DeferredReply,
  outcome: Outcome,
): { message: Message; err?: unknown } {
  try {
    const complete = commands.find(({ data }) => data.name === deferred.command)?.complete;
    if (complete) return { message: complete(deferred, outcome, services) };
    return { message: { content: formatMessage(deferred.locale, 'unknownCommand') } };
  } catch (err) {
    return { message: { content: formatMessage(deferred.locale, 'broken') }, err };
  }
}
