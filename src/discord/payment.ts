import type { Logger } from '../log.ts';
import { words } from '../render/words.ts';
import type { Debt } from '../replies/debt.ts';
import type { Command, Message, Outcome, Parts } from './command.ts';
import { logCommand } from './command-log.ts';
import type { Replies } from './replies.ts';

export interface PaymentOptions {
  commands: readonly Command[];
  parts: Parts;
  replies: Replies;
  log: Logger;
}

/** Pays a debt: renders the outcome, edits the reply, writes the command's line. Never rejects. */
export async function payDebt(options: PaymentOptions, debt: Debt, outcome: Outcome, waitMs: number): Promise<void> {
  const { replies, log } = options;
  const { message, err } = rendered(options, debt, outcome);
  const paid = await replies.edit(debt, message);
  const ended = 'answer' in outcome ? 'answered' : outcome.error.name;
  const source = outcome.asked ? 'service' : 'answer' in outcome ? 'cache' : 'bot';
  logCommand(log, debt, { source, waitMs, outcome: paid ? ended : 'not answered', err });
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
