import type { Outcomes } from '../src/lookup/outcomes.ts';
import type { Asked, Invocation } from '../src/model/invocation.ts';
import { formatMessage } from '../src/render/messages.ts';
import type { Command, Message } from './command.ts';
import type { Services } from './services.ts';

/**
 * What a reply shows by the command that asked for its cards; a sentence when there is no such command any more, or when it
 * throws, with the error for the log.
 */
export function replyRenderer(
  commands: readonly Command[],
  { limiter, currency }: Pick<Services, 'limiter' | 'currency'>,
) {
  return (
    { command, locale, asked }: Invocation & { asked: Asked },
    outcomes: Outcomes,
  ): { message: Message; err?: unknown } => {
    const show = commands.find(({ data }) => data.name === command)?.show;
    if (!show) return { message: { content: formatMessage(locale, 'unknownCommand') } };
    try {
      return { message: show(asked, outcomes, { locale, quota: limiter.quota(), currency }) };
    } catch (err) {
      return { message: { content: formatMessage(locale, 'broken') }, err };
    }
  };
}
