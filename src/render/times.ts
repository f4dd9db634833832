import { formatMessage } from './messages.ts';

// Discord writes a moment such as <t:1795226601:t> in each member's language and time zone. Its relative style goes on
// when the moment is past ("Try again 18 seconds ago"), so it is used only for what is past already.

const MINUTE_MS = 60_000;
/** A `Date` header gives whole seconds, so a reset is known to one. */
const KNOWN_TO_MS = 1_000;
/** Further away, a clock time could be of today or of tomorrow. */
const WITHOUT_DATE_MS = 20 * 3600 * 1000;

/**
 * From when on something is possible, with its preposition: "at 14:05", with the date when that is over 20 hours away,
 * "now" when it is past. Rounded up to a full minute, since a clock time shows no seconds and a member who comes too early
 * is refused again.
 */
export function fromTime(locale: string, atMs: number, nowMs = Date.now()): string {
  if (atMs <= nowMs) return formatMessage(locale, 'now');
  const minuteMs = Math.ceil((atMs - KNOWN_TO_MS) / MINUTE_MS) * MINUTE_MS;
  return minuteMs - nowMs > WITHOUT_DATE_MS
    ? formatMessage(locale, 'onDate', { time: `<t:${minuteMs / 1000}:f>` })
    : formatMessage(locale, 'atTime', { time: clockTime(minuteMs) });
}

/** The minute in which something happens today. */
export function clockTime(atMs: number): string {
  return `<t:${Math.ceil(atMs / 1000)}:t>`;
}

/** A moment that is past: never shown as one to come. */
export function age(atMs: number): string {
  return `<t:${Math.floor(atMs / 1000)}:R>`;
}
