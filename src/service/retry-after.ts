import { type Answer, Source } from '../model/field-source.ts';
import { httpDateMs, timeLeft } from './rate-limit-headers.ts';

const RETRY_AFTER = new Source('header:Retry-After');
const MESSAGE = new Source('message');

/** Under a hundred times, two different waits are stated; from there on, one wait in two units. */
const LEAST_MILLISECONDS_PER_SECOND = 100;

/**
 * The wait that an answer states, such as a 429 or a 503: the larger of what `wait` leads to (seconds, a Unix time, or ISO
 * 8601) and the header `Retry-After` (seconds, also decimal, a Unix time, or an HTTP date). Anything else is ignored, and
 * so is what is past or over a month ahead. A `wait` of about 1,000 times the header, or of the seconds in the body's
 * message, is in milliseconds.
 *
 * @param serviceNowMs the service's own clock (its `Date` header), to which a time is relative
 * @returns `undefined` when neither states a wait
 */
export function statedWaitSeconds(answer: Answer, serviceNowMs: number, wait?: Source): number | undefined {
  const fromHeader = toCome(timeLeft(RETRY_AFTER.textIn(answer), serviceNowMs, httpDateMs));
  const stated = wait?.textIn(answer);
  const inSeconds = [fromHeader, messageSeconds(MESSAGE.textIn(answer))];
  const isInThousandths = inSeconds.some((seconds) => isInMilliseconds(Number(stated), seconds));
  const fromSource = toCome(timeLeft(isInThousandths ? `${Number(stated) / 1000}` : stated, serviceNowMs));
  return fromHeader === undefined ? fromSource : Math.max(fromHeader, fromSource ?? 0);
}

function toCome(leftMs: number | undefined): number | undefined {
  return leftMs === undefined || leftMs < 0 ? undefined : leftMs / 1000;
}

/** From the error's message, such as "Retry after 7 seconds". */
function messageSeconds(message = ''): number | undefined {
  const [, figure] = /(\d{1,9}(?:\.\d{1,9})?) ?s(?:ec(?:ond)?s?)?\b/i.exec(message) ?? [];
  return figure === undefined ? undefined : Number(figure);
}

/** Whole seconds are rounded, so up to 1 s off. */
function isInMilliseconds(figure: number, seconds: number | undefined): boolean {
  if (seconds === undefined || figure < LEAST_MILLISECONDS_PER_SECOND * Math.max(1, seconds)) return false;
  return Math.abs(figure / 1000 - seconds) <= Math.max(1, seconds / 10);
}
