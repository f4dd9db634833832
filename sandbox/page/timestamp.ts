/** Discord's timestamp styles (reference.md, "Timestamp Styles"); the default is `f`. */
export const TIMESTAMP_STYLES = ['t', 'T', 'd', 'D', 'f', 'F', 's', 'S', 'R'] as const;
export type TimestampStyle = (typeof TIMESTAMP_STYLES)[number];

const FORMATS: Record<Exclude<TimestampStyle, 'R'>, Intl.DateTimeFormatOptions> = {
  t: { timeStyle: 'short' },
  T: { timeStyle: 'medium' },
  d: { dateStyle: 'short' },
  D: { dateStyle: 'long' },
  f: { dateStyle: 'long', timeStyle: 'short' },
  F: { dateStyle: 'full', timeStyle: 'short' },
  s: { dateStyle: 'short', timeStyle: 'short' },
  S: { dateStyle: 'short', timeStyle: 'medium' },
};

const UNITS = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const;

/**
 * The text for a `<t:seconds:style>` at `nowMs`.
 *
 * @param view `timeZone`: IANA name, default: the browser's time zone
 */
export function timestampText(
  seconds: number,
  style: TimestampStyle,
  { locale, nowMs, timeZone }: { locale: string; nowMs: number; timeZone?: string },
): string {
  if (style !== 'R') return new Intl.DateTimeFormat(locale, { ...FORMATS[style], timeZone }).format(seconds * 1000);
  const secondsFromNow = seconds - Math.round(nowMs / 1000);
  const distance = Math.abs(secondsFromNow);
  const [unit, length] = UNITS.find(([, seconds]) => distance >= seconds) ?? (['second', 1] as const);
  const count = Math.floor(distance / length) * Math.sign(secondsFromNow);
  return new Intl.RelativeTimeFormat(locale, { numeric: count === 0 ? 'auto' : 'always' }).format(count, unit);
}
