import { DAY_MS, HOUR_MS, nextUtcMidnightMs } from '../time/utc-day.ts';
import { type DayView, dayPicture } from './day-picture.ts';
import { formatCount } from './formats.ts';
import { formatMessage, fullMinuteMs } from './messages.ts';
import { encodePng } from './png.ts';
import type { UsageFigures } from './usage-figures.ts';

export interface UsageDay extends DayView {
  /** When the requests will be spent at the present rate, if they will. */
  runsOutAtMs: number | undefined;
  /** The hour with the most requests and answers from memory. */
  busiest: { hour: number; requests: number; saved: number };
}

/** An embed shows the picture of the day by this name. */
export const DAY_PICTURE = 'day.png';

/** A reset further than this from midnight UTC is not of the day that the ledger counts. */
const SAME_DAY_MS = HOUR_MS;

/**
 * The day by hour, from figures that the message shows, too.
 *
 * @returns `undefined` when nothing was counted
 */
export function usageDay(
  hours: DayView['hours'],
  { used, limit, resetsAtMs }: UsageFigures['today'],
  runsOutAtMs: number | undefined,
  nowMs: number,
): UsageDay | undefined {
  const busiest = hours
    .map((counts, hour) => ({ hour, ...counts }))
    .reduce((a, b) => (b.requests + b.saved > a.requests + a.saved ? b : a), { hour: 0, requests: 0, saved: 0 });
  if (busiest.requests + busiest.saved === 0) return undefined;
  const endsAtMs = nextUtcMidnightMs(nowMs);
  const share = (atMs: number) => 1 - (endsAtMs - atMs) / DAY_MS;
  const drawn = { hours, busiest, dayShare: share(nowMs) };
  if (resetsAtMs !== undefined && Math.abs(resetsAtMs - endsAtMs) > SAME_DAY_MS) {
    return { ...drawn, used: undefined, limit: undefined, forecast: undefined, runsOutAtMs: undefined };
  }
  const forecast =
    runsOutAtMs !== undefined && limit !== undefined
      ? { dayShare: share(runsOutAtMs), used: limit }
      : steadyForecast(used, limit, drawn.dayShare);
  return { ...drawn, used, limit, forecast, runsOutAtMs };
}

/** The rate of the day so far, unless that contradicts that requests will not run out. */
function steadyForecast(used: number | undefined, limit: number | undefined, dayShare: number): DayView['forecast'] {
  if (!used || dayShare < HOUR_MS / DAY_MS) return undefined; // a burst is no rate
  const byTheEnd = Math.round(used / dayShare);
  return limit !== undefined && byTheEnd >= limit ? undefined : { dayShare: 1, used: byTheEnd };
}

/** The requests that will be used by the end of the day, where that is drawn and they do not run out. */
export function forecastUsed(day: UsageDay | undefined): number | undefined {
  return day?.runsOutAtMs === undefined ? day?.forecast?.used : undefined;
}

/** What the picture shows, in words, for those who cannot see it. At most 1,024 characters. */
export function dayAltText(day: UsageDay, locale: string): string {
  const count = (value: number | undefined) => (value === undefined ? '' : formatCount(locale, value));
  const sum = (what: 'requests' | 'saved') => day.hours.reduce((total, hour) => total + hour[what], 0);
  return formatMessage(locale, 'dayPicture', {
    known: day.used === undefined || day.limit === undefined ? 'no' : 'yes',
    used: count(day.used),
    limit: count(day.limit),
    sent: sum('requests'),
    saved: sum('saved'),
    hour: String(day.busiest.hour),
    requests: day.busiest.requests,
    fromMemory: day.busiest.saved,
    forecast: day.forecast === undefined ? 'none' : day.runsOutAtMs === undefined ? 'steady' : 'runsOut',
    later: count(forecastUsed(day)),
    time: day.runsOutAtMs === undefined ? '' : new Date(fullMinuteMs(day.runsOutAtMs)).toISOString().slice(11, 16),
  });
}

/** The picture as a file of the message. */
export async function dayFile(day: UsageDay, locale: string) {
  const data = await encodePng(dayPicture(day, (count) => formatCount(locale, count)));
  return { name: DAY_PICTURE, contentType: 'image/png', data, description: dayAltText(day, locale) };
}
