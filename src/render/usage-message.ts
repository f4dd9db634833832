import type { APIEmbed } from 'discord-api-types/v10';
import type { Message, MessageFile } from '../model/message.ts';
import type { Usage } from '../model/plan.ts';
import type { Bookings, Stop, StopReason, WindowQuota } from '../model/quota.ts';
import { DAY_MS, HOUR_MS, nextUtcMidnightMs } from '../time/utc-day.ts';
import { encodePng } from './canvas.ts';
import { FRESH_COLOUR, STALE_COLOUR } from './card-embed.ts';
import { busiestOf, type DayView, dayPicture } from './day-picture.ts';
import { formatCount, formatPercent, joined, type Line, plainMarkdown, timestamp } from './formats.ts';
import { formatMessage, fullMinuteMs, type PlainMessageKey, timePast, timeToCome } from './messages.ts';

/** Requests of a window or a period, as far as they are known. */
type Figures = NonNullable<Usage['requests']>;

/** A window, and when nothing will remain of it at the present rate, if that is before its reset. */
export interface UsageWindow extends Partial<WindowQuota>, Pick<Figures, 'used'> {
  runsOutAtMs?: number | undefined;
}

/** Everything that is known for `/usage`. */
export interface UsageView {
  stop?: Stop | undefined;
  /** A request is under way to find out whether that is over. */
  isProbing: boolean;
  /** Absent: the last request has not failed. */
  trouble?: object | undefined;
  /** Absent: the Redis that several processes share their quota over can be reached, or there is none. */
  storeAwaitedUntilMs?: number | undefined;
  /** What answers have taught of the service's limiter; without one of them it is as the plan says. */
  learned: { window: number | undefined; capacity: number | undefined };
  /** Why there is no newer report, as a text; `undefined` when nothing is missing. */
  missing: string | undefined;
  /** What is left of the day; nothing before the first answer. */
  today: UsageWindow;
  /** The other windows. */
  windows: readonly UsageWindow[];
  /** The last report; `undefined` before the first. */
  report: { usage: Usage; atMs: number } | undefined;
  /** Today's counts by UTC hour up to the present one. */
  hours: DayView['hours'];
  /** The part of these that left for watches. */
  ofWatches: Pick<Bookings, 'requests' | 'saved'>;
  /** The Discord server's part of them; a cap that is `undefined` is none. */
  server: Bookings & { cap: number | undefined; memberCap: number | undefined };
  /** The part of all foreign places together; `undefined` for members who may not see it. */
  foreign: (Bookings & { cap: number | undefined }) | undefined;
  /** Who caused most requests in this server; empty for members who may not see it. */
  topMembers: readonly { memberId: string; requests: number }[];
  /** Cards. */
  waitingNow: number;
  nowMs: number;
  locale: string;
}

/** What is left of the quota, where it is known, and what is missing, where it is not; with a picture of the day. */
export async function usageMessage(view: UsageView): Promise<Message> {
  const day = dayOf(view);
  const picture = day && (await pictureOf(day, view.locale));
  return { embeds: [usageEmbed(view, day, picture)], ...(picture && { files: [picture] }) };
}

/** The day as text and picture show it. */
interface UsageDay extends DayView {
  /** Nothing will remain by then; otherwise the forecast is of the end of the day. */
  runsOutAtMs: number | undefined;
}

/** A reset further than this from midnight UTC is not of the day that the ledger counts. */
const SAME_DAY_MS = HOUR_MS;

/** @returns `undefined` when nothing was counted */
function dayOf({ hours, today, nowMs }: UsageView): UsageDay | undefined {
  if (busiestOf(hours).total === 0) return undefined;
  const endsAtMs = nextUtcMidnightMs(nowMs);
  const share = (atMs: number) => 1 - (endsAtMs - atMs) / DAY_MS;
  const { resetsAtMs = endsAtMs } = today;
  const isOfDay = Math.abs(resetsAtMs - endsAtMs) <= SAME_DAY_MS;
  const { used, limit, runsOutAtMs }: UsageWindow = isOfDay ? { ...today, ...complete(today) } : {};
  const dayShare = share(nowMs);
  const byThen = runsOutAtMs === undefined ? steadily(used, limit, dayShare) : limit;
  const forecast = byThen ? { dayShare: share(runsOutAtMs ?? endsAtMs), used: byThen } : undefined;
  return { hours, used, limit, dayShare, forecast, runsOutAtMs };
}

/** The rate of the day so far, unless that contradicts that requests will not run out. */
function steadily(used: number | undefined, limit: number | undefined, dayShare: number): number | undefined {
  if (!used || dayShare < HOUR_MS / DAY_MS) return undefined; // a burst is no rate
  const byTheEnd = Math.round(used / dayShare);
  return limit !== undefined && byTheEnd >= limit ? undefined : byTheEnd;
}

/** The picture, and what it shows in words for those who cannot see it: at most 1,024 characters. */
async function pictureOf(day: UsageDay, locale: string): Promise<MessageFile> {
  const { used, limit, hours, forecast, runsOutAtMs } = day;
  const count = (value: number | undefined) => (value === undefined ? '' : formatCount(locale, value));
  const [all, busiest] = [sumOf(hours), busiestOf(hours)];
  const description = formatMessage(locale, 'dayPicture', {
    known: used === undefined || limit === undefined ? 'no' : 'yes',
    used: count(used),
    limit: count(limit),
    sent: all.requests,
    saved: all.saved,
    hour: String(busiest.hour),
    requests: busiest.requests,
    fromMemory: busiest.saved,
    forecast: forecast === undefined ? 'none' : runsOutAtMs === undefined ? 'steady' : 'runsOut',
    later: count(forecast?.used),
    time: runsOutAtMs === undefined ? '' : new Date(fullMinuteMs(runsOutAtMs)).toISOString().slice(11, 16),
  });
  const data = await encodePng(dayPicture(day, (each) => formatCount(locale, each)));
  return { name: 'day.png', contentType: 'image/png', data, description };
}

function usageEmbed(view: UsageView, day: UsageDay | undefined, picture: MessageFile | undefined): APIEmbed {
  const { missing, waitingNow, topMembers, locale } = view;
  const report = reported(view);
  const isAway = view.storeAwaitedUntilMs !== undefined;
  const trouble = joined([troubleText(view, report), isAway && formatMessage(locale, 'usageStoreAway')]);
  const field = (name: PlainMessageKey, lines: readonly Line[]) => {
    return { name: formatMessage(locale, name), value: joined(lines) };
  };
  const fields = [
    field('today', todayLines(view, day)),
    ...view.windows.map((window) => {
      const lines = [usedText(window, locale), ...endLines(window, view), ourCount(window, locale)];
      return field(window.per === 'hour' ? 'thisHour' : 'thisMonth', lines);
    }),
    field('fromMemory', [memoryText(view)]),
    field('waiting', [waitingNow > 0 && formatMessage(locale, 'waitingCards', { cards: waitingNow })]),
    field('serverToday', serverLines(view)),
    field('foreignToday', [foreignText(view)]),
    field(
      'topMembers',
      topMembers.map((top) => `<@${top.memberId}> ${formatCount(locale, top.requests)}`),
    ),
    field('plan', planLines(view, report)),
    field('inThisPeriod', periodLines(view, report)),
    field('byHour', day ? busiestLines(day, locale) : []),
  ];
  return {
    title: formatMessage(locale, 'usageTitle'),
    description: joined([trouble || formatMessage(locale, 'working'), learnedText(view), missing]),
    color: trouble || missing ? STALE_COLOUR : FRESH_COLOUR,
    fields: fields.filter(({ value }) => value),
    ...(picture && { image: { url: `attachment://${picture.name}`, description: picture.description } }),
    footer: { text: formatMessage(locale, 'usageFooter') },
  };
}

/**
 * What the report tells beyond the figures of the day, which the limiter has. A period that was over on arrival shows
 * that our clock is wrong; without one, it is the UTC day in which the report arrived.
 *
 * @returns `undefined` when the period is over, or the plan has been changed since
 */
function reported({ report, today, nowMs }: UsageView): Usage | undefined {
  if (!report) return undefined;
  const { plan, period, requests = {} } = report.usage;
  const { startMs, endMs } = period ?? {};
  const isOverAtMs = endMs ?? nextUtcMidnightMs(report.atMs);
  if (report.atMs < isOverAtMs && nowMs >= isOverAtMs) return undefined;
  const isOfOther = requests.limit !== undefined && requests.limit !== (today.limit ?? requests.limit);
  const isOfDay = startMs === undefined || endMs === undefined ? !isOfOther : endMs - startMs <= DAY_MS;
  if (!isOfDay) return { plan, period, requests: complete(requests) };
  return isOfOther ? undefined : { plan };
}

const REASONS = {
  pause: 'pausing',
  hour: 'daySpent',
  day: 'daySpent',
  month: 'daySpent',
  outage: 'down',
  key: 'keyRefused',
  plan: 'keyRefused',
} as const satisfies Record<StopReason, string>;

/** Why requests do not flow at this second, and until when. */
function troubleText({ stop, isProbing, trouble, nowMs, locale }: UsageView, report: Usage | undefined): Line {
  if (stop) {
    const { reason, beganMs = nowMs, untilMs } = stop;
    // It lasts until a probe has succeeded, however long that has been due.
    const times = isProbing ? { when: 'trying', time: '' } : timeToCome(untilMs, nowMs);
    return formatMessage(locale, REASONS[reason], { per: reason, since: timePast(beganMs, nowMs), ...times });
  }
  if (report?.requests?.remaining === 0) return formatMessage(locale, 'periodSpent');
  return trouble !== undefined && formatMessage(locale, 'oneFailure');
}

function learnedText({ learned: { window, capacity }, locale }: UsageView): Line {
  if (window !== undefined) return formatMessage(locale, 'learnedWindow', { requests: window });
  return capacity !== undefined && formatMessage(locale, 'learnedBurst', { requests: capacity });
}

function todayLines(view: UsageView, day: UsageDay | undefined): Line[] {
  const { today, ofWatches, locale } = view;
  const used = usedText(today, locale);
  if (!used) return [formatMessage(locale, 'todayUnknown')];
  return [
    used,
    ofWatches.requests > 0 && formatMessage(locale, 'spentOnWatches', { requests: ofWatches.requests }),
    ...endLines(today, view, day),
    !today.isOurCount && asOf(today.receivedAtMs, view),
    ourCount(today, locale),
  ];
}

/** When a window resets, and when nothing will remain if that is before. Once that is so, the state says until when. */
function endLines(
  { remaining, resetsAtMs, runsOutAtMs }: UsageWindow,
  { nowMs, locale }: UsageView,
  day?: UsageDay,
): Line[] {
  if (remaining === 0) return [];
  return [
    resetsAtMs !== undefined && formatMessage(locale, 'resets', timeToCome(resetsAtMs, nowMs)),
    runsOutAtMs !== undefined && formatMessage(locale, 'runsOut', timeToCome(runsOutAtMs, nowMs)),
    day?.forecast &&
      day.runsOutAtMs === undefined &&
      formatMessage(locale, 'usedByReset', { used: formatCount(locale, day.forecast.used) }),
  ];
}

function ourCount({ isOurCount }: UsageWindow, locale: string): Line {
  return isOurCount && `-# ${formatMessage(locale, 'ourCount')}`;
}

/** Younger figures need no date. */
const OLD_AFTER_MS = 60_000;

function asOf(atMs = Infinity, { nowMs, locale }: UsageView): Line {
  return nowMs - atMs >= OLD_AFTER_MS && `-# ${formatMessage(locale, 'asOf', { since: timePast(atMs, nowMs) })}`;
}

/** A bar of what is used, and the figures, as far as they are known. */
function usedText(figures: Figures, locale: string): Line {
  const { used, limit, remaining } = complete(figures);
  if ((used ?? limit ?? remaining) === undefined) return undefined;
  const figure = (value: number | undefined) => (value === undefined ? '?' : formatCount(locale, value));
  const shown = { used: figure(used), limit: figure(limit), remaining: figure(remaining) };
  if (used === undefined) return formatMessage(locale, limit === undefined ? 'leftOnly' : 'limitOnly', shown);
  if (limit === undefined) return formatMessage(locale, 'usedOnly', shown);
  return `${bar(locale, used, limit)}\n${formatMessage(locale, 'usedOf', shown)}`;
}

/** A missing figure is computed from the others; `used` and `limit` take precedence over `remaining`. */
function complete({ limit, remaining, used = minus(limit, remaining) }: Figures): Figures {
  return { used, limit, remaining: minus(limit, used) ?? remaining };
}

function minus(whole: number | undefined, part: number | undefined): number | undefined {
  return whole === undefined || part === undefined ? undefined : Math.max(0, whole - part);
}

const BAR_CELLS = 10;

/** Such as `▰▰▰▰▰▱▱▱▱▱ 50%`; what is out of range is drawn as empty or full. */
export function bar(locale: string, part: number, whole: number): string {
  const share = whole > 0 ? Math.min(1, Math.max(0, part / whole)) : 0;
  const filled = Math.round(share * BAR_CELLS);
  return `${'▰'.repeat(filled)}${'▱'.repeat(BAR_CELLS - filled)} ${formatPercent(locale, Math.round(share * 100) / 100)}`;
}

/** What members asked for and were saved, without what was sent for watches. */
function memoryText({ hours, ofWatches, locale }: UsageView): string {
  const all = sumOf(hours);
  const [requests, saved] = [all.requests - ofWatches.requests, all.saved - ofWatches.saved];
  if (saved + requests === 0) return formatMessage(locale, 'nothingAsked');
  const share = Math.floor((saved / (saved + requests)) * 100) / 100;
  return formatMessage(locale, 'savedOf', { percent: formatPercent(locale, share), saved });
}

function sumOf(hours: DayView['hours']) {
  const sum = (what: 'requests' | 'saved') => hours.reduce((total, hour) => total + hour[what], 0);
  return { requests: sum('requests'), saved: sum('saved') };
}

function serverLines({ server, locale }: UsageView): Line[] {
  const { memberCap: requests } = server;
  return [causedText(server, locale), requests !== undefined && formatMessage(locale, 'memberCap', { requests })];
}

/** Nothing while nobody has used the bot there today, nor when members cannot bring it along. */
function foreignText({ foreign, locale }: UsageView): Line {
  return foreign && foreign.cap !== 0 && foreign.requests + foreign.saved > 0 && causedText(foreign, locale);
}

function causedText({ cap, requests, saved }: NonNullable<UsageView['foreign']>, locale: string): string {
  return cap === undefined
    ? formatMessage(locale, 'serverRequests', { requests, saved })
    : formatMessage(locale, 'serverRequestsOfBudget', { requests, cap, saved });
}

function planLines(view: UsageView, { plan }: Usage = {}): Line[] {
  if (plan === undefined) return [];
  return [plainMarkdown(plan, 100) || formatMessage(view.locale, 'unnamedPlan'), asOf(view.report?.atMs, view)];
}

/** The period of the plan, where that is not the day. */
function periodLines(view: UsageView, { period, requests = {} }: Usage = {}): Line[] {
  const used = usedText(requests, view.locale);
  if (!period && !used) return [];
  const dateOf = (atMs: number | undefined) => (atMs === undefined ? '?' : timestamp(atMs, 'd'));
  const span = period && { start: dateOf(period.startMs), end: dateOf(period.endMs) };
  return [span && formatMessage(view.locale, 'periodFromTo', span), used, asOf(view.report?.atMs, view)];
}

/** What the picture shows, in words. */
function busiestLines({ hours }: UsageDay, locale: string): Line[] {
  const { hour, ...counts } = busiestOf(hours);
  const busiest = formatMessage(locale, 'busiestHour', { hour: String(hour), ...counts });
  return [busiest, `-# ${formatMessage(locale, 'dayLegend')}`];
}
