import type { ChatMessage } from '../../src/sandbox/discord/chat.ts';
import type { TypedInteraction } from '../../src/sandbox/discord/typed-interaction.ts';
import { finalAnswers, isFinal as isFinalAnswer } from '../support/final-answers.ts';
import { endedUnheard, endedWithBoth, type Troubles } from './disruptions.ts';
import type { Milestones } from './milestones.ts';

/**
 * How a question ended for the member. `lost` is what must never be: acknowledged, and then nothing; or not acknowledged
 * by a bot that was there. `twice` neither: two final answers that differ. Counted apart is what nobody can promise:
 *
 * - `not reached`: no bot was alive or connected in the 3 s after which Discord gives up.
 * - `lost with both`: its process ended when Redis had not got the debt, or Redis forgot it before anybody took over.
 * - `paid again`: its process ended after it had paid, and before Redis could hear of it.
 */
export type Ending = 'card' | 'sentence' | 'not reached' | 'lost with both' | 'paid again' | 'lost' | 'twice';

const LONGEST_FIRST_ANSWER_MS = 3_000;

export function endingOf(typed: TypedInteraction, milestones: Milestones, troubles: Troubles): Ending {
  const { message } = typed;
  const { typedAtMs } = message;
  const { owedAtMs = typedAtMs + LONGEST_FIRST_ANSWER_MS, paidAtMs } = milestones;
  if (message.state === 'answered' && isFinalAnswer(message)) {
    if (!isTwice(typed)) return message.embeds.length > 0 ? 'card' : 'sentence';
    return paidAtMs !== undefined && endedUnheard(paidAtMs, troubles) ? 'paid again' : 'twice';
  }
  const untilMs = typedAtMs + LONGEST_FIRST_ANSWER_MS;
  const wasAway = troubles.ends.some((end) => end.fromMs < untilMs && end.toMs > typedAtMs);
  if (message.messageId === undefined && wasAway) return 'not reached';
  return endedWithBoth(typedAtMs, owedAtMs, troubles) ? 'lost with both' : 'lost';
}

/** Nothing more will come. */
export function isFinal(message: ChatMessage): boolean {
  return message.state === 'failed' || isFinalAnswer(message);
}

/** What was deferred has one answer; a reply at once may be corrected, also more than once. */
function isTwice(typed: TypedInteraction): boolean {
  const { followUps = [] } = typed.message;
  const deferred = typed.history.some(({ state }) => state === 'thinking');
  return followUps.length > 0 || (deferred && finalAnswers(typed) > 1);
}
