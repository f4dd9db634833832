import type { EmulatedDiscord } from '../../sandbox/discord/emulated-discord.ts';
import type { TypedInteraction } from '../../sandbox/discord/typed-interaction.ts';
import { finalAnswers, isFinal } from '../support/final-answers.ts';

/** A time in which a process, or Redis, was not there. */
export interface Trouble {
  what: 'process' | 'redis';
  /** Which process; Redis is for all of them. */
  process?: number;
  /** For the reader of a report. */
  how: string;
  fromMs: number;
  toMs: number;
}

/**
 * How a command ended for the member. Two endings must not occur. `lost`: acknowledged but never answered, or not
 * acknowledged by a connected bot. `twice`: two final answers that differ. Two are excused, because no design prevents
 * them:
 *
 * - `not received`: no bot was connected within the 3 s after which Discord gives up.
 * - `excused`: its process ended while Redis may not have had its deferred reply, or it was completed again because a
 *   process ended, or was without Redis, before that was recorded. Which of these are right is for the simulator to say,
 *   which knows of every call whether it had an effect; here it is judged by times.
 */
export type Ending = 'card' | 'sentence' | 'not received' | 'excused' | 'lost' | 'twice';

const LONGEST_FIRST_ANSWER_MS = 3_000;
/** For an edit whose answer is lost: the next try is rate limited for up to 2 s, and a stop waits 1.2 s for it. */
const RECORDED_MS = 2_000;
/** A process that is told to stop has, by then, ended; one that is killed, at once. */
const STOPPED_MS = 5_000;
/** A process has noticed by then that Redis is back, and written what it could not: with a heartbeat, a second later. */
const REWRITTEN_MS = 4_000;

/** @returns when an interaction had its first final answer, by its id */
export function watchCompletions(discord: EmulatedDiscord): ReadonlyMap<string, number> {
  const completedAtMs = new Map<string, number>();
  discord.onMessage((message) => {
    const { interactionId: id } = message;
    if (message.state === 'answered' && isFinal(message) && !completedAtMs.has(id)) completedAtMs.set(id, Date.now());
  });
  return completedAtMs;
}

/** @param shard of the command; a process of that number has it */
export function endingOf(
  typed: TypedInteraction,
  shard: number,
  completedAtMs = Number.NaN,
  troubles: readonly Trouble[] = [],
): Ending {
  const { message } = typed;
  const { typedAtMs } = message;
  if (message.state === 'answered' && isFinal(message)) {
    if (!isTwice(typed)) return message.embeds.length > 0 ? 'card' : 'sentence';
    const mayBeUnrecorded = troubles.some(({ what, fromMs, toMs }) => {
      const untilMs = toMs + (what === 'redis' ? REWRITTEN_MS : 0);
      return fromMs - RECORDED_MS < completedAtMs && completedAtMs < untilMs;
    });
    return mayBeUnrecorded ? 'excused' : 'twice';
  }
  const untilMs = typedAtMs + LONGEST_FIRST_ANSWER_MS;
  const ends = troubles.filter(({ what, toMs }) => what === 'process' && toMs > typedAtMs);
  const itsEnds = ends.filter(({ process }) => process === shard);
  if (message.messageId === undefined && itsEnds.some(({ fromMs }) => fromMs < untilMs)) return 'not received';
  const isRedisAway = (sinceMs: number, toMs: number) =>
    troubles.some((each) => each.what === 'redis' && each.fromMs < toMs && each.toMs + REWRITTEN_MS > sinceMs);
  const mayBeUnwritten =
    isRedisAway(typedAtMs, untilMs) && ends.some(({ fromMs }) => isRedisAway(fromMs, fromMs + STOPPED_MS));
  return itsEnds.length > 0 && mayBeUnwritten ? 'excused' : 'lost';
}

/** A deferred reply has one answer; an immediate reply with a stale copy may be edited several times. */
function isTwice(typed: TypedInteraction): boolean {
  const { followUps = [] } = typed.message;
  const deferred = typed.history.some(({ state }) => state === 'thinking');
  return followUps.length > 0 || (deferred && finalAnswers(typed) > 1);
}
