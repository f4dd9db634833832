import type { EmulatedDiscord } from '../../sandbox/discord/emulated-discord.ts';
import type { TypedInteraction } from '../../sandbox/discord/typed-interaction.ts';
import { finalAnswers, isFinal } from '../support/final-answers.ts';
import type { Gap } from './bot.ts';

/**
 * How a command ended for the member. Two endings must not occur. `lost`: acknowledged but never answered, or not
 * acknowledged by a connected bot. `twice`: two final answers that differ. Two are excused, because no design prevents
 * them:
 *
 * - `not received`: no bot was connected within the 3 s after which Discord gives up.
 * - `excused`: it was completed again because the bot ended before that was recorded. Which of these are right is for the
 *   simulator to say, which knows of every call whether it had an effect; here it is judged by times.
 */
export type Ending = 'card' | 'sentence' | 'not received' | 'excused' | 'lost' | 'twice';

const LONGEST_FIRST_ANSWER_MS = 3_000;
/** For an edit whose answer is lost: the next try is rate limited for up to 2 s, and a stop waits 1.2 s for it. */
const RECORDED_MS = 2_000;
/** @returns when an interaction had its first final answer, by its id */
export function watchCompletions(discord: EmulatedDiscord): ReadonlyMap<string, number> {
  const completedAtMs = new Map<string, number>();
  discord.onMessage((message) => {
    const { interactionId: id } = message;
    if (message.state === 'answered' && isFinal(message) && !completedAtMs.has(id)) completedAtMs.set(id, Date.now());
  });
  return completedAtMs;
}

export function endingOf(typed: TypedInteraction, completedAtMs = Number.NaN, gaps: readonly Gap[] = []): Ending {
  const { message } = typed;
  if (message.state === 'answered' && isFinal(message)) {
    if (!isTwice(typed)) return message.embeds.length > 0 ? 'card' : 'sentence';
    const mayBeUnrecorded = gaps.some(
      ({ fromMs, toMs }) => fromMs - RECORDED_MS < completedAtMs && completedAtMs < toMs,
    );
    return mayBeUnrecorded ? 'excused' : 'twice';
  }
  const { typedAtMs } = message;
  const isGap = gaps.some(({ fromMs, toMs }) => toMs > typedAtMs && fromMs < typedAtMs + LONGEST_FIRST_ANSWER_MS);
  return message.messageId === undefined && isGap ? 'not received' : 'lost';
}

/** A deferred reply has one answer; an immediate reply with a stale copy may be edited several times. */
function isTwice(typed: TypedInteraction): boolean {
  const { followUps = [] } = typed.message;
  const deferred = typed.history.some(({ state }) => state === 'thinking');
  return followUps.length > 0 || (deferred && finalAnswers(typed) > 1);
}
