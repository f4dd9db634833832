import type { Breaker, BreakerReason } from '../model/quota.ts';
import { age, fromTime } from './times.ts';

/** The state of the way to the card service at this second, in words for people. */
export function usageState(breaker: Breaker, nowMs: number): { words: string; isWell: boolean } {
  const { reason, failures } = breaker;
  if (reason) return { words: `${REASONS[reason]} ${nextTry(breaker, nowMs)}`, isWell: false };
  if (failures === 0) return { words: 'Requests go out as cards are asked for.', isWell: true };
  return { words: 'The card service did not answer just now. Requests still go out.', isWell: false };
}

const REASONS: Record<BreakerReason, string> = {
  pause: 'The card service asked us to wait.',
  day: "Today's requests to the card service are used up.",
  outage: 'The card service does not answer.',
  key: "The card service does not accept this bot's API key: check CARD_SERVICE_API_KEY.",
};

/** The breaker stays open until a probe has succeeded, however long that has been due. */
function nextTry({ state, sinceMs, untilMs }: Breaker, nowMs: number): string {
  const last = `Last tried ${age(sinceMs)}`;
  if (state === 'halfOpen') return `${last}; a new try is under way.`;
  return untilMs <= nowMs ? `${last}; the next question tries again.` : `${last}, next ${fromTime(untilMs, nowMs)}.`;
}
