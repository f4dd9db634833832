import type { Outcomes } from '../src/lookup/outcomes.ts';
import type { Asked, Invocation } from '../src/model/invocation.ts';
import { formatMessage } from '../src/render/messages.ts';
import card from './card.ts';
import cards from './cards.ts';
import type { Command, Message, Services } from './command.ts';
import lookUpCards from './look-up-cards.ts';
import privacy from './privacy.ts';
import usage from './usage.ts';

/** Every command: the one list that is registered and handled. */
export const commands = [card, cards, lookUpCards, usage, privacy] satisfies readonly Command[];

/**
 * What a reply shows by the command that asked for its cards; a sentence when there is no such command any more, or when it
 * throws, with the error for the log.
 */
export function replyRenderer(of: readonly Command[], { limiter, currency }: Pick<Services, 'limiter' | 'currency'>) {
  return (
    { command, locale, asked }: Invocation & { asked: Asked },
    outcomes: Outcomes,
  ): { message: Message; err?: unknown } => {
    const show = of.find(({ data }) => data.name === command)?.show;
    if (!show) return { message: { content: formatMessage(locale, 'unknownCommand') } };
    try {
      return { message: show(asked, outcomes, { locale, quota: limiter.quota(), currency }) };
    } catch (err) {
      return { message: { content: formatMessage(locale, 'broken') }, err };
    }
  };
}
