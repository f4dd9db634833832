import { KeyRefused, RateLimited, ServiceDown, UnexpectedAnswer } from '../model/errors.ts';
import type { Limiter, Permit, RequestOutcome } from '../quota/limiter.ts';

/**
 * Sends one request in its turn, and gives the turn back with what became of it.
 *
 * @param isAnswer errors that are answers like any other to this kind of request
 */
export async function withPermit<T>(
  limiter: Limiter,
  permit: Permit,
  send: () => Promise<T>,
  isAnswer: (error: unknown) => boolean = () => false,
): Promise<T> {
  try {
    const answer = await send();
    await limiter.release(permit, { kind: 'answered' });
    return answer;
  } catch (error) {
    await limiter.release(permit, isAnswer(error) ? { kind: 'answered' } : outcomeOf(error));
    throw error;
  }
}

function outcomeOf(error: unknown): RequestOutcome {
  if (error instanceof RateLimited) {
    return { kind: 'rateLimited', statedMs: error.seconds === undefined ? undefined : error.seconds * 1000 };
  }
  if (error instanceof ServiceDown) return { kind: 'serviceDown', statedMs: error.retryAfterMs };
  if (error instanceof KeyRefused) return { kind: 'keyRefused' };
  // An answer that does not fit is an answer all the same; anything else is no news of the service.
  return { kind: error instanceof UnexpectedAnswer ? 'answered' : 'abandoned' };
}
