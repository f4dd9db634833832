import type { Refusal } from './api-error.ts';
import type { Callback } from './callback-rules.ts';
import type { ChatState, Trigger } from './chat.ts';

/** How long an interaction may wait for its first answer, and how long its token lives after it was typed. */
export interface Lifetimes {
  ackMs: number;
  tokenMs: number;
}

// interactions/receiving-and-responding, "Interaction callback"
export const DISCORD_LIFETIMES: Lifetimes = { ackMs: 3_000, tokenMs: 900_000 };

/**
 * The life of one interaction. `unanswered` was never acknowledged in time; `expired` still showed "thinking…"
 * when its token died; `deleted` had its reply removed.
 */
export type Phase = 'sent' | 'thinking' | 'answered' | 'unanswered' | 'expired' | 'deleted';

export interface Life {
  phase: Phase;
  typedAtMs: number;
}

/** What becomes of the first answer, or why Discord refuses it. */
export function acknowledge(
  { phase, typedAtMs }: Life,
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

/** Why Discord refuses a call of the interaction's webhook; undefined = it does not. */
export function webhookRefusal({ phase, typedAtMs }: Life, nowMs: number, { tokenMs }: Lifetimes): Refusal | undefined {
  if (phase === 'sent' || phase === 'unanswered') return 'unknownWebhook';
  if (phase === 'expired' || nowMs - typedAtMs >= tokenMs) return 'invalidWebhookToken';
  return undefined;
}

/** When a phase ends by itself, ms after typing, and what follows; undefined = it lasts. */
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

// Discord's client's words
const UNANSWERED: Record<Trigger, string> = {
  command: 'The application did not respond',
  menu: 'The application did not respond',
  component: 'This interaction failed',
  modal: 'Something went wrong. Try again.',
};

/** What the chat shows for a phase. */
export function shown(phase: Phase, trigger: Trigger): { state: ChatState; failure: string | undefined } {
  return { state: STATES[phase], failure: failureOf(phase, trigger) };
}

function failureOf(phase: Phase, trigger: Trigger): string | undefined {
  if (phase === 'unanswered') return UNANSWERED[trigger];
  // Discord itself goes on showing "thinking…"; a chat that is watched by tests says that no answer can come.
  return phase === 'expired' ? 'The application did not respond before its token expired' : undefined;
}
