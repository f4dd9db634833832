import { KeyRefused, RateLimited, ServiceDown, UnexpectedAnswer } from '../errors.ts';
import type { Pacer, RequestOutcome, Turn } from '../quota/pacer.ts';

/**
 * Sends one request in its turn, and gives the turn back with what became of it.
 *
 * @param isAnswer errors that are answers like any other to this kind of request
 */
export async function inTurn<T>(
  pacer: Pacer,
  turn: Turn,
  send: () => Promise<T>,
  isAnswer: (error: unknown) => boolean = () => false,
): Promise<T> {
  try {
    const answer = await send();
    await pacer.settle(turn, { kind: 'answered' });
    return answer;
  } catch (error) {
    await pacer.settle(turn, isAnswer(error) ? { kind: 'answered' } : outcomeOf(error));
    throw error;
  }
}

function outcomeOf(error: unknown): RequestOutcome {
  if (error instanceof RateLimited) {
    return { kind: 'rate limited', statedMs: error.seconds === undefined ? undefined : error.seconds * 1000 };
  }
  if (error instanceof ServiceDown) return { kind: 'down', statedMs: error.retryAfterMs };
  if (error instanceof KeyRefused) return { kind: 'key refused' };
  // An answer that does not fit is an answer all the same; anything else is no news of the service.
  return { kind: error instanceof UnexpectedAnswer ? 'answered' : 'abandoned' };
}
