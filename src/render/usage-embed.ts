import type { APIEmbed, APIEmbedField } from 'discord-api-types/v10';
import type { Usage } from '../model/plan.ts';
import type { Bookings, BreakerReason, Stop, WindowQuota } from '../model/quota.ts';
import { DAY_MS, nextUtcMidnightMs } from '../time/utc-day.ts';
import { FRESH_COLOUR, STALE_COLOUR } from './card-embed.ts';
import { formatCount, formatPercent, plainMarkdown } from './formats.ts';
import { formatMessage, type PlainMessageKey, timePast, timeToCome } from './messages.ts';
import { DAY_PICTURE, dayAltText, forecastUsed, type UsageDay } from './usage-day.ts';

export interface UsageView {
  stop: Stop | undefined;
  /** A request is under way to find out whether that is over. */
  isProbing: boolean;
  /** The last request failed. */
  hasFailed: boolean;
  /** The process cannot reach the Redis that it shares its quota over. */
  isStoreAway: boolean;
  /** Why there is no newer report, as a text; `undefined` when nothing is missing. */
  missing: string | undefined;
  /** What answers have taught of the service's limiter; without one of them it is as the plan says. */
  learned: { window: number | undefined; capacity: number | undefined };
  figures: UsageFigures;
  /** Those besides the day's. */
  windows: readonly (WindowQuota & { runsOutAtMs: number | undefined })[];
  /** When the last report came; `undefined` before the first. */
  reportAtMs: number | undefined;
  /** When the day's requests will be spent at the present rate, if they will. */
  runsOutAtMs: number | undefined;
  /** Since 00:00 UTC, without what was sent for watches. */
  everybody: Bookings;
  /** Requests for watches, since then. */
  spentOnWatches: number;
  /** The Discord server's part of that; a cap that is `undefined` is none. */
  server: Bookings & { cap: number | undefined; memberCap: number | undefined };
  /** The part of all foreign places together; `undefined` for members who may not see it. */
  foreign: (Bookings & { cap: number | undefined }) | undefined;
  /** Who caused most requests in this server; empty for members who may not see it. */
  topMembers: readonly { memberId: string; requests: number }[];
  /** Today by hour; `undefined` when nothing was counted, and then there is no picture. */
  day: UsageDay | undefined;
  /** Cards. */
  waitingNow: number;
  nowMs: number;
  locale: string;
}

const BAR_CELLS = 10;
/** Younger figures need no date. */
const OLD_AFTER_MS = 60_000;

const REASONS = {
  pause: 'pausing',
  hour: 'daySpent',
  day: 'daySpent',
  month: 'daySpent',
  outage: 'down',
  key: 'keyRefused',
  plan: 'keyRefused',
} as const satisfies Record<BreakerReason, string>;

/** A line that may be missing. */
type Line = string | false | undefined;

/** What is left of the quota, where it is known, and what is missing, where it is not. */
export function usageEmbed(view: UsageView): APIEmbed {
  const { missing, learned, day, topMembers, waitingNow, locale } = view;
  const troubles = [troubleText(view), view.isStoreAway && formatMessage(locale, 'usageStoreAway')].filter(Boolean);
  const state = troubles.length > 0 ? troubles : [formatMessage(locale, 'working')];
  return {
    title: formatMessage(locale, 'usageTitle'),
    description: [...state, learnedText(learned, locale), missing].filter(Boolean).join('\n'),
    color: troubles.length === 0 && missing === undefined ? FRESH_COLOUR : STALE_COLOUR,
    fields: [
      ...field(locale, 'today', todayLines(view)),
      ...view.windows.flatMap((window) => windowField(window, view)),
      ...field(locale, 'fromMemory', [memoryText(view)]),
      ...field(locale, 'waiting', [waitingNow > 0 && formatMessage(locale, 'waitingCards', { cards: waitingNow })]),
      ...field(locale, 'serverToday', serverLines(view)),
      ...field(locale, 'foreignToday', [foreignText(view)]),
      ...field(
        locale,
        'topMembers',
        topMembers.map((top) => `<@${top.memberId}> ${formatCount(locale, top.requests)}`),
      ),
      ...reportFields(view),
      ...field(locale, 'byHour', day ? dayLines(day, locale) : []),
    ],
    ...(day && { image: { url: `attachment://${DAY_PICTURE}`, description: dayAltText(day, locale) } }),
    footer: { text: formatMessage(locale, 'usageFooter') },
  };
}

/** None without a line. */
function field(locale: string, name: PlainMessageKey, lines: readonly Line[]): APIEmbedField[] {
  const value = lines.filter(Boolean).join('\n');
  return value ? [{ name: formatMessage(locale, name), value }] : [];
}

/** Why requests do not flow at this second, and until when. */
function troubleText(view: UsageView): Line {
  const { stop, figures, windows, hasFailed, nowMs, locale } = view;
  if (stop) return stoppedText(view, stop);
  // By a report that the limiter does not know of, too.
  const spent = figures.today.remaining === 0 ? figures.today : windows.find(({ remaining }) => remaining === 0);
  if (spent) {
    const { per = 'day', resetsAtMs }: Pick<WindowQuota, 'per' | 'resetsAtMs'> = spent;
    return formatMessage(locale, 'daySpent', { per, ...timeToCome(resetsAtMs, nowMs) });
  }
  if (figures.inPeriod?.remaining === 0) return formatMessage(locale, 'periodSpent');
  return hasFailed && formatMessage(locale, 'oneFailure');
}

function stoppedText({ isProbing, nowMs, locale }: UsageView, { reason, beganMs = nowMs, untilMs }: Stop): string {
  // It lasts until a probe has succeeded, however long that has been due.
  const times = isProbing ? { when: 'trying', time: '' } : timeToCome(untilMs, nowMs);
  return formatMessage(locale, REASONS[reason], { per: reason, since: timePast(beganMs, nowMs), ...times });
}

function learnedText({ window, capacity }: UsageView['learned'], locale: string): Line {
  if (window !== undefined) return formatMessage(locale, 'learnedWindow', { requests: window });
  return capacity !== undefined && formatMessage(locale, 'learnedBurst', { requests: capacity });
}

function todayLines(view: UsageView): Line[] {
  const { stop, figures, runsOutAtMs, day, spentOnWatches, nowMs, locale } = view;
  const { used: spent, limit, remaining, resetsAtMs, atMs } = figures.today;
  if ((spent ?? limit ?? remaining) === undefined) return [formatMessage(locale, 'todayUnknown')];
  const isOver = stop?.reason === 'day' || remaining === 0; // the state has said until when
  const later = isOver ? undefined : forecastUsed(day);
  return [
    usedText(locale, figures.today),
    spentOnWatches > 0 && formatMessage(locale, 'spentOnWatches', { requests: spentOnWatches }),
    ...(isOver ? [] : endLines({ resetsAtMs, runsOutAtMs }, view)),
    later !== undefined && formatMessage(locale, 'usedByReset', { used: formatCount(locale, later) }),
    asOf(atMs, nowMs, locale),
    ourCount(figures.today, locale),
  ];
}

/** Of a window besides the day: a bar, when it resets, and whether we count it ourselves. */
function windowField(window: UsageView['windows'][number], view: UsageView): APIEmbedField[] {
  const { per, limit, remaining } = window;
  return field(view.locale, per === 'hour' ? 'thisHour' : 'thisMonth', [
    usedText(view.locale, { used: minus(limit, remaining), limit, remaining }),
    ...(remaining === 0 ? [] : endLines(window, view)), // the state has said until when
    ourCount(window, view.locale),
  ]);
}

/** What the picture shows, in words. */
function dayLines({ busiest: { hour, ...counts } }: UsageDay, locale: string): Line[] {
  const busiest = formatMessage(locale, 'busiestHour', { hour: String(hour), ...counts });
  return [busiest, `-# ${formatMessage(locale, 'dayLegend')}`];
}

/** When it resets, and when nothing will remain if that is before. */
function endLines(
  { resetsAtMs, runsOutAtMs }: { resetsAtMs?: number | undefined; runsOutAtMs: number | undefined },
  { nowMs, locale }: UsageView,
): Line[] {
  return [
    resetsAtMs !== undefined && formatMessage(locale, 'resets', timeToCome(resetsAtMs, nowMs)),
    runsOutAtMs !== undefined && formatMessage(locale, 'runsOut', timeToCome(runsOutAtMs, nowMs)),
  ];
}

function ourCount({ isOurCount }: Pick<WindowQuota, 'isOurCount'>, locale: string): Line {
  return isOurCount && `-# ${formatMessage(locale, 'ourCount')}`;
}

/** How old a figure is, once that is worth a line. */
function asOf(atMs: number | undefined, nowMs: number, locale: string): Line {
  if (atMs === undefined || nowMs - atMs < OLD_AFTER_MS) return undefined;
  return `-# ${formatMessage(locale, 'asOf', { since: timePast(atMs, nowMs) })}`;
}

/** A bar of what is used, and the figures, as far as they are known; something of them is. */
function usedText(locale: string, { used, limit, remaining }: Figures): string {
  const figure = (value: number | undefined) => (value === undefined ? '?' : formatCount(locale, value));
  const shown = { used: figure(used), limit: figure(limit), remaining: figure(remaining) };
  if (used === undefined) return formatMessage(locale, limit === undefined ? 'leftOnly' : 'limitOnly', shown);
  if (limit === undefined) return formatMessage(locale, 'usedOnly', shown);
  return `${bar(locale, used, limit)}\n${formatMessage(locale, 'usedOf', shown)}`;
}

/** Such as `▰▰▰▰▰▱▱▱▱▱ 50%`; what is out of range is drawn as empty or full. */
export function bar(locale: string, part: number, whole: number): string {
  const share = whole > 0 ? Math.min(1, Math.max(0, part / whole)) : 0;
  const filled = Math.round(share * BAR_CELLS);
  return `${'▰'.repeat(filled)}${'▱'.repeat(BAR_CELLS - filled)} ${formatPercent(locale, Math.round(share * 100) / 100)}`;
}

function memoryText({ everybody: { saved, requests }, locale }: UsageView): string {
  if (saved + requests === 0) return formatMessage(locale, 'nothingAsked');
  const share = Math.floor((saved / (saved + requests)) * 100) / 100;
  return formatMessage(locale, 'savedOf', { percent: formatPercent(locale, share), saved });
}

function serverLines({ server, locale }: UsageView): Line[] {
  const { memberCap } = server;
  const capped = memberCap !== undefined && formatMessage(locale, 'memberCap', { requests: memberCap });
  return [causedText(server, locale), capped];
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

/** The plan, and its period where that is not the day. */
function reportFields({ figures, reportAtMs, nowMs, locale }: UsageView): APIEmbedField[] {
  const { report, period, inPeriod } = figures;
  if (!report) return [];
  const aged = (name: PlainMessageKey, ...lines: Line[]) =>
    field(locale, name, lines.some(Boolean) ? [...lines, asOf(reportAtMs, nowMs, locale)] : []);
  const { plan } = report;
  const span = period && { start: day(period.startMs), end: day(period.endMs) };
  return [
    ...aged('plan', plan !== undefined && (plainMarkdown(plan, 100) || formatMessage(locale, 'unnamedPlan'))),
    ...aged(
      'inThisPeriod',
      span && formatMessage(locale, 'periodFromTo', span),
      inPeriod && usedText(locale, inPeriod),
    ),
  ];
}

function day(atMs: number | undefined): string {
  return atMs === undefined ? '?' : `<t:${Math.floor(atMs / 1000)}:d>`;
}

// What /usage shows of the day and of the plan's period.

interface Figures {
  used: number | undefined;
  limit: number | undefined;
  remaining: number | undefined;
}

export interface UsageFigures {
  /** What is left of the day; `atMs`: when the service said so, `undefined` while nothing is known. */
  today: Figures & { resetsAtMs: number | undefined; atMs: number | undefined; isOurCount?: boolean };
  /** `undefined` when it is out of date. */
  report: Usage | undefined;
  /** The report's period and figures when that is not the day. */
  period: Usage['period'];
  inPeriod: Figures | undefined;
}

export interface UsageKnowledge {
  report: { usage: Usage; atMs: number } | undefined;
  /** The day's. */
  quota: WindowQuota | undefined;
  /** What this bot has counted today of a service that tells of no day. */
  counted?: number | undefined;
  nowMs: number;
}

/** Headers and body of one answer arrive this close together (default of CARD_SERVICE_TIMEOUT_MS). */
const SAME_ANSWER_MS = 10_000;

/**
 * Every figure from one source, so that none contradicts another. When the report's period is a day, it and the headers
 * describe the same figures; then limit and remaining are taken together from the newer of the two, and from the
 * headers when both came with one answer.
 */
export function usageFigures({ report, quota, counted, nowMs }: UsageKnowledge): UsageFigures {
  const headers = {
    used: minus(quota?.limit, quota?.remaining) ?? counted,
    limit: quota?.limit,
    remaining: quota?.remaining,
    resetsAtMs: quota?.resetsAtMs,
    atMs: isStated(quota) ? quota.receivedAtMs : undefined,
    ...(quota?.isOurCount && { isOurCount: true }),
  };
  const ofTheDay = { period: undefined, inPeriod: undefined };
  if (!report || isOver(report, nowMs)) return { today: headers, report: undefined, ...ofTheDay };

  const { usage, atMs } = report;
  if (!isOfTheDay(usage, quota)) {
    return { today: headers, report: usage, period: usage.period, inPeriod: complete(usage.requests) };
  }
  const headersAreNewer = isStated(quota) && quota.receivedAtMs >= atMs - SAME_ANSWER_MS;
  if (headersAreNewer) return { today: headers, report: isContradicted(usage, quota) ? undefined : usage, ...ofTheDay };

  const { limit = headers.limit, remaining } = complete(usage.requests) ?? {};
  const resetsAtMs = usage.period?.endMs ?? quota?.resetsAtMs;
  return { today: { used: minus(limit, remaining), limit, remaining, resetsAtMs, atMs }, report: usage, ...ofTheDay };
}

/**
 * A report without a period counts for the UTC day in which it arrived. A period that is over on arrival shows that our
 * clock is wrong, and the report is kept.
 */
function isOver({ usage, atMs }: { usage: Usage; atMs: number }, nowMs: number): boolean {
  const endMs = usage.period?.endMs ?? nextUtcMidnightMs(atMs);
  return atMs < endMs && nowMs >= endMs;
}

function isOfTheDay({ period, requests }: Usage, quota: WindowQuota | undefined): boolean {
  if (period?.startMs !== undefined && period.endMs !== undefined) return period.endMs - period.startMs <= DAY_MS;
  return requests?.limit === undefined || quota?.limit === undefined || requests.limit === quota.limit;
}

/** The plan was changed since the report arrived. */
function isContradicted({ requests }: Usage, { limit }: WindowQuota): boolean {
  return requests?.limit !== undefined && limit !== undefined && requests.limit !== limit;
}

function isStated(quota: WindowQuota | undefined): quota is WindowQuota {
  return !quota?.isOurCount && (quota?.remaining !== undefined || quota?.limit !== undefined);
}

/**
 * A missing figure is computed from the others; `used` and `limit` take precedence over `remaining`. `undefined`: none.
 */
function complete(requests: Usage['requests']): Figures | undefined {
  if (!requests) return undefined;
  const { limit } = requests;
  const { used = minus(limit, requests.remaining) } = requests;
  const remaining = minus(limit, used) ?? requests.remaining;
  return used === undefined && limit === undefined && remaining === undefined ? undefined : { used, limit, remaining };
}

export function minus(whole: number | undefined, part: number | undefined): number | undefined {
  return whole === undefined || part === undefined ? undefined : Math.max(0, whole - part);
}
