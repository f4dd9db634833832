import { KeyRefused, meaningOf, UnexpectedAnswer } from '../model/errors.ts';

/** The next answer for an id would hardly fit either. */
const UNEXPECTED_MS = 5 * 60_000;
/** A refused key may be tried this often, and so may an id that alone was refused. */
const REFUSED_MS = 60_000;

/** How long no request is sent for a card after this error, as long as other cards may be requested. 0: not at all. */
export function restMs(error: unknown): number {
  if (error instanceof UnexpectedAnswer) return UNEXPECTED_MS;
  if (error instanceof KeyRefused) return REFUSED_MS;
  return meaningOf(error).statedMs ?? 0; // of a 503 with `Retry-After`
}
