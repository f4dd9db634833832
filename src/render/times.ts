// Discord writes a moment such as <t:1795226601:t> in each member's language and time zone. Its relative style goes on
// when the moment is past ("Try again 18 seconds ago"), so that is only for what is past already.

const MINUTE_MS = 60_000;
const KNOWN_TO_MS = 1_000;
/** Further away, a clock time could be of today or of tomorrow. */
const WITHOUT_DATE_MS = 20 * 3600 * 1000;

/**
 * From when on something is to be had, with its preposition: "at 14:05", with the date when that is over 20 hours away,
 * "now" when it is past. A full minute, since a clock time shows no seconds and nobody should come too early; not the
 * next one for the part of a second by which a reset is known (a `Date` header gives whole ones).
 */
export function fromTime(atMs: number, nowMs = Date.now()): string {
  if (atMs <= nowMs) return 'now';
  const minuteMs = Math.ceil((atMs - KNOWN_TO_MS) / MINUTE_MS) * MINUTE_MS;
  return minuteMs - nowMs > WITHOUT_DATE_MS ? `on <t:${minuteMs / 1000}:f>` : `at ${clockTime(minuteMs)}`;
}

/** The minute in which something happens today. */
export function clockTime(atMs: number): string {
  return `<t:${Math.ceil(atMs / 1000)}:t>`;
}

/** A moment that is past: never shown as one to come. */
export function age(atMs: number): string {
  return `<t:${Math.floor(atMs / 1000)}:R>`;
}
