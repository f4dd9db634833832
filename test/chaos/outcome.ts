import type { ChatMessage } from '../../src/sandbox/discord/chat.ts';
import type { EmulatedDiscord } from '../../src/sandbox/discord/emulated-discord.ts';
import type { TypedInteraction } from '../../src/sandbox/discord/typed-interaction.ts';
import { finalAnswers, isFinal as isFinalAnswer } from '../support/final-answers.ts';
import { cutOffUnrecorded, type Disruptions, endedInRepeat, endedUnrecorded, lostWithRedis } from './disruptions.ts';

/** When a command reached each stage. */
interface Milestones {
  /** The member sees "thinking…": the deferred reply has been written to the journal, or could not be. */
  deferredAtMs?: number;
  /** The first final answer. */
  completedAtMs?: number;
}

/** @returns the milestones of an interaction, by its id */
export function watchMilestones(discord: EmulatedDiscord): (interactionId: string) => Milestones {
  const seen = new Map<string, Milestones>();
  discord.onMessage((message) => {
    const milestones = seen.get(message.interactionId) ?? {};
    seen.set(message.interactionId, milestones);
    if (message.state === 'thinking') milestones.deferredAtMs ??= Date.now();
    if (message.state === 'answered' && isFinalAnswer(message)) milestones.completedAtMs ??= Date.now();
  });
  return (interactionId) => seen.get(interactionId) ?? {};
}

/**
 * How a command ended for the member. Two endings must not occur. `lost`: acknowledged but never answered, or not
 * acknowledged by a connected bot. `twice`: two final answers that differ. Three are excused, because no design prevents
 * them:
 *
 * - `not received`: no bot was connected within the 3 s after which Discord gives up.
 * - `lost with Redis`: its process ended before Redis had the deferred reply, or Redis lost it before a takeover.
 * - `completed again`: its process ended after it had completed the reply, before it could record that; or it was cut off
 *   from Redis then, or Discord's answer to the edit was lost, and the process that took the reply over replaced its
 *   sentence. A card must not be replaced.
 */
export type Ending = 'card' | 'sentence' | 'not received' | 'lost with Redis' | 'completed again' | 'lost' | 'twice';

const LONGEST_FIRST_ANSWER_MS = 3_000;

export function endingOf(typed: TypedInteraction, milestones: Milestones, disruptions: Disruptions): Ending {
  const { message } = typed;
  const { typedAtMs } = message;
  const { deferredAtMs = typedAtMs + LONGEST_FIRST_ANSWER_MS, completedAtMs } = milestones;
  if (message.state === 'answered' && isFinalAnswer(message)) {
    if (!isTwice(typed)) return message.embeds.length > 0 ? 'card' : 'sentence';
    return completedAtMs !== undefined && isUnrecorded(typed, completedAtMs, disruptions) ? 'completed again' : 'twice';
  }
  const untilMs = typedAtMs + LONGEST_FIRST_ANSWER_MS;
  const wasDisconnected = disruptions.ends.some((end) => end.fromMs < untilMs && end.toMs > typedAtMs);
  if (message.messageId === undefined && wasDisconnected) return 'not received';
  return lostWithRedis(typedAtMs, deferredAtMs, disruptions) ? 'lost with Redis' : 'lost';
}

/** Whether nothing more will follow. */
export function isFinal(message: ChatMessage): boolean {
  return message.state === 'failed' || isFinalAnswer(message);
}

/** A deferred reply has one answer; an immediate reply with a stale copy may be edited several times. */
function isTwice(typed: TypedInteraction): boolean {
  const { followUps = [] } = typed.message;
  const deferred = typed.history.some(({ state }) => state === 'thinking');
  return followUps.length > 0 || (deferred && finalAnswers(typed) > 1);
}

function isUnrecorded(typed: TypedInteraction, completedAtMs: number, disruptions: Disruptions): boolean {
  if (endedUnrecorded(completedAtMs, disruptions)) return true;
  if (replacesCard(typed)) return false;
  return cutOffUnrecorded(completedAtMs, disruptions) || endedInRepeat(completedAtMs, disruptions);
}

function replacesCard({ history, message }: TypedInteraction): boolean {
  const shown = history.filter(isFinalAnswer).map(({ embeds }) => JSON.stringify(embeds));
  const changes = shown.filter(
    (embeds, index) => index > 0 && embeds !== shown[index - 1] && shown[index - 1] !== '[]',
  );
  return changes.length > 0 || (message.followUps?.length ?? 0) > 0;
}
