import type { EmulatedDiscord } from '../../src/sandbox/discord/emulated-discord.ts';
import { isFinal } from '../support/final-answers.ts';

/** When a question got how far, by its interaction's id. */
export interface Milestones {
  /** The member sees "thinking…": until then its debt had been written down, or could not be. */
  owedAtMs?: number;
  /** The first final answer. */
  paidAtMs?: number;
}

export function watchMilestones(discord: EmulatedDiscord): (interactionId: string) => Milestones {
  const seen = new Map<string, Milestones>();
  discord.onMessage((message) => {
    const milestones = seen.get(message.interactionId) ?? {};
    seen.set(message.interactionId, milestones);
    if (message.state === 'thinking') milestones.owedAtMs ??= Date.now();
    if (message.state === 'answered' && isFinal(message)) milestones.paidAtMs ??= Date.now();
  });
  return (interactionId) => seen.get(interactionId) ?? {};
}
