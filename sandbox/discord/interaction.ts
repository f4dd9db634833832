import type { Refusal } from './api-error.ts';
import type { Callback } from './callback-rules.ts';
import type { ChatState, Trigger } from './chat.ts';

/** How long an interaction may wait for its first answer, and how long its token is valid after it was typed. */
export interface Lifetimes {
  ackMs: number;
  tokenMs: number;
}

// interactions/receiving-and-responding, "Interaction callback"
export const DISCORD_LIFETIMES: Lifetimes = { ackMs: 3_000, tokenMs: 900_000 };

/**
 * The state of one interaction. `unanswered`: not acknowledged in time; `expired`: it still showed "thinking…" when its
 * token expired; `deleted`: the reply was deleted.
 */
export type Phase = 'sent' | 'thinking' | 'answered' | 'unanswered' | 'expired' | 'deleted';

export interface InteractionState {
  phase: Phase;
  typedAtMs: number;
}

/** The phase after the first answer, or why Discord refuses it. */
export function acknowledge(
  { phase, typedAtMs }: InteractionState,
  kind: Callback['kind'],
  nowMs: number,
  { ackMs, tokenMs }: Lifetimes,
): { phase: Phase } | { refusal: Refusal } {
  const ageMs = nowMs - typedAtMs;
  if (phase === 'unanswered' || ageMs >= tokenMs) return { refusal: 'unknownInteraction' };
  if (phase !== 'sent') return { refusal: 'alreadyAcknowledged' };
  if (ageMs > ackMs) return { refusal: 'unknownInteraction' };
  return { phase: kind === 'defer' ? 'thinking' : 'answered' };
}

/** Why Discord refuses a call of the interaction's webhook; undefined = accepted. */
export function webhookRefusal(
  { phase, typedAtMs }: InteractionState,
  nowMs: number,
  { tokenMs }: Lifetimes,
): Refusal | undefined {
  if (phase === 'sent' || phase === 'unanswered') return 'unknownWebhook';
  if (phase === 'expired' || nowMs - typedAtMs >= tokenMs) return 'invalidWebhookToken';
  return undefined;
}

/** When a phase times out, ms after typing, and the phase that follows; undefined = no timeout. */
export function timeLimit(phase: Phase, { ackMs, tokenMs }: Lifetimes): { afterMs: number; next: Phase } | undefined {
  if (phase === 'sent') return { afterMs: ackMs, next: 'unanswered' };
  if (phase === 'thinking') return { afterMs: tokenMs, next: 'expired' };
  return undefined;
}

const STATES: Record<Phase, ChatState> = {
  sent: 'sent',
  thinking: 'thinking',
  answered: 'answered',
  deleted: 'answered',
  unanswered: 'failed',
  expired: 'failed',
};

// The sentences of Discord's client
const UNANSWERED: Partial<Record<Trigger, string>> = {
  command: 'The application did not respond',
  menu: 'The application did not respond',
  component: 'This interaction failed',
  modal: 'Something went wrong. Try again.',
};

/** The state that the chat shows for a phase. */
export function shown(phase: Phase, trigger: Trigger): { state: ChatState; failure: string | undefined } {
  return { state: STATES[phase], failure: failureOf(phase, trigger) };
}

function failureOf(phase: Phase, trigger: Trigger): string | undefined {
  if (phase === 'unanswered') return UNANSWERED[trigger];
  // Discord keeps showing "thinking…"; this chat reports that no answer can follow, for the tests that watch it.
  return phase === 'expired' ? 'The application did not respond before its token expired' : undefined;
}
