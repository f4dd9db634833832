import type { Logger } from '../log.ts';
import { words } from '../render/words.ts';
import type { Debt, Outcome } from '../replies/debt.ts';
import type { Command, Message, Parts } from './command.ts';
import { logCommand } from './command-log.ts';
import type { Replies } from './replies.ts';

export interface PaymentOptions {
  commands: readonly Command[];
  parts: Parts;
  replies: Replies;
  log: Logger;
}

/**
 * The payment of a debt: rendered now, so that however often it is sent it is the same answer. Sending it edits the
 * reply and, once that is settled, writes the command's line; it never rejects.
 *
 * @returns sends it, and gives `false` when Discord could not be reached: worth another try
 */
export function payment(options: PaymentOptions, debt: Debt, outcome: Outcome, waitMs: number): () => Promise<boolean> {
  const { replies, log } = options;
  const { message, err } = rendered(options, debt, outcome);
  const ended = 'answer' in outcome ? 'answered' : outcome.error.name;
  const source = outcome.asked ? 'service' : 'answer' in outcome ? 'cache' : 'bot';
  return async () => {
    const result = await replies.edit(debt, message);
    // What Discord finds fault with must not leave "thinking…" there for ever.
    const plain = result === 'refused' ? await replies.edit(debt, { content: words.broken }) : undefined;
    if (result === 'failed' || plain === 'failed') return false;
    const shown = result === 'edited' ? ended : plain === 'edited' ? 'broken' : 'not answered';
    logCommand(log, debt, { source, waitMs, outcome: shown, err });
    return true;
  };
}

function rendered(
  { commands, parts }: PaymentOptions,
  debt: Debt,
  outcome: Outcome,
): { message: Message; err?: unknown } {
  try {
    const pay = commands.find(({ data }) => data.name === debt.command)?.pay;
    return { message: pay ? pay(debt, outcome, parts) : { content: words.unknownCommand } };
  } catch (err) {
    return { message: { content: words.broken }, err };
  }
}
