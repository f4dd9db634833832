import type { EmulatedDiscord } from '../../src/sandbox/discord/emulated-discord.ts';
import { isFinal } from '../support/final-answers.ts';

/** When a command reached each stage. */
export interface Milestones {
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
    if (message.state === 'answered' && isFinal(message)) milestones.completedAtMs ??= Date.now();
  });
  return (interactionId) => seen.get(interactionId) ?? {};
}
