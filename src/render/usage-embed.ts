import type { APIEmbed, APIEmbedField } from 'discord-api-types/v10';
import type { Bookings, BreakerReason, Stop, WindowQuota } from '../model/quota.ts';
import { FRESH_COLOUR, STALE_COLOUR } from './card-embed.ts';
import { formatCount, formatPercent, plainMarkdown } from './formats.ts';
import { formatMessage, type PlainMessageKey, timePast, timeToCome } from './messages.ts';
import { DAY_PICTURE, dayAltText, forecastUsed, type UsageDay } from './usage-day.ts';
import { minus, type UsageFigures } from './usage-figures.ts';

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

/** What is left of the quota, where it is known, and what is missing, where it is not. */
export function usageEmbed(view: UsageView): APIEmbed {
  const { missing, learned, day, locale } = view;
  const troubles = troubleLines(view);
  const state = troubles.length > 0 ? troubles : [formatMessage(locale, 'working')];
  return {
    title: formatMessage(locale, 'usageTitle'),
    description: [...state, learnedText(learned, locale), missing].filter(Boolean).join('\n'),
    color: troubles.length === 0 && missing === undefined ? FRESH_COLOUR : STALE_COLOUR,
    fields: [
      field(locale, 'today', todayLines(view)),
      ...windowFields(view),
      field(locale, 'fromMemory', [memoryText(view)]),
      ...(view.waitingNow > 0
        ? [field(locale, 'waiting', [formatMessage(locale, 'waitingCards', { cards: view.waitingNow })])]
        : []),
      field(locale, 'serverToday', serverLines(view)),
      ...foreignFields(view),
      ...topMembersFields(view),
      ...reportFields(view),
      ...(day ? [field(locale, 'byHour', dayLines(day, locale))] : []),
    ],
    ...(day && { image: { url: `attachment://${DAY_PICTURE}`, description: dayAltText(day, locale) } }),
    footer: { text: formatMessage(locale, 'usageFooter') },
  };
}

/** Why requests do not flow at this second, and until when; empty when they do. */
function troubleLines(view: UsageView): string[] {
  const { stop, isStoreAway, locale } = view;
  const away = isStoreAway ? [formatMessage(locale, 'usageStoreAway')] : [];
  if (stop) return [stoppedText(view, stop), ...away];
  const spent = spentQuota(view);
  if (spent) return [spentText(view, spent), ...away];
  if (view.figures.inPeriod?.remaining === 0) return [formatMessage(locale, 'periodSpent'), ...away];
  if (view.hasFailed) return [formatMessage(locale, 'oneFailure'), ...away];
  return away;
}

/** The window that leaves nothing, by a report that the limiter does not know of, too. */
function spentQuota({ figures, windows }: UsageView): Pick<WindowQuota, 'per' | 'resetsAtMs'> | undefined {
  return figures.today.remaining === 0 ? figures.today : windows.find(({ remaining }) => remaining === 0);
}

function spentText(
  { nowMs, locale }: UsageView,
  { per = 'day', resetsAtMs }: Pick<WindowQuota, 'per' | 'resetsAtMs'>,
): string {
  return formatMessage(locale, 'daySpent', { per, ...timeToCome(resetsAtMs, nowMs) });
}

/** Of each window besides the day: a bar, when it resets, and whether we count it ourselves. */
function windowFields({ windows, nowMs, locale }: UsageView): APIEmbedField[] {
  return windows.map((window) => {
    const { per, limit, remaining } = window;
    const used = usedLines(locale, { used: minus(limit, remaining), limit, remaining });
    const toCome = remaining === 0 ? [] : endLines(window, nowMs, locale); // the state has said until when
    return field(locale, per === 'hour' ? 'thisHour' : 'thisMonth', [...used, ...toCome, ...ourCount(window, locale)]);
  });
}

/** When it resets, and when nothing will remain if that is before. */
function endLines(
  { resetsAtMs, runsOutAtMs }: { resetsAtMs?: number | undefined; runsOutAtMs: number | undefined },
  nowMs: number,
  locale: string,
): string[] {
  return [
    ...(resetsAtMs === undefined ? [] : [formatMessage(locale, 'resets', timeToCome(resetsAtMs, nowMs))]),
    ...(runsOutAtMs === undefined ? [] : [formatMessage(locale, 'runsOut', timeToCome(runsOutAtMs, nowMs))]),
  ];
}

function ourCount({ isOurCount }: Pick<WindowQuota, 'isOurCount'>, locale: string): string[] {
  return isOurCount ? [`-# ${formatMessage(locale, 'ourCount')}`] : [];
}

function stoppedText({ isProbing, nowMs, locale }: UsageView, stop: Stop): string {
  const { reason, beganMs = nowMs, untilMs } = stop;
  // It lasts until a probe has succeeded, however long that has been due.
  const times = isProbing ? { when: 'trying', time: '' } : timeToCome(untilMs, nowMs);
  return formatMessage(locale, REASONS[reason], { per: reason, since: timePast(beganMs, nowMs), ...times });
}

function learnedText({ window, capacity }: UsageView['learned'], locale: string): string | undefined {
  if (window !== undefined) return formatMessage(locale, 'learnedWindow', { requests: window });
  return capacity === undefined ? undefined : formatMessage(locale, 'learnedBurst', { requests: capacity });
}

function todayLines(view: UsageView): string[] {
  const { stop, figures, runsOutAtMs, day, spentOnWatches, nowMs, locale } = view;
  const { used: spent, limit, remaining, resetsAtMs, atMs } = figures.today;
  if ((spent ?? limit ?? remaining) === undefined) return [formatMessage(locale, 'todayUnknown')];
  const ofWatches = spentOnWatches > 0 ? [formatMessage(locale, 'spentOnWatches', { requests: spentOnWatches })] : [];
  const used = [...usedLines(locale, figures.today), ...ofWatches];
  const asOf = [...ageLines(atMs, nowMs, locale), ...ourCount(figures.today, locale)];
  if (stop?.reason === 'day' || remaining === 0) return [...used, ...asOf]; // the state has said until when
  const later = forecastUsed(day);
  const toCome = [
    ...endLines({ resetsAtMs, runsOutAtMs }, nowMs, locale),
    later !== undefined && formatMessage(locale, 'usedByReset', { used: formatCount(locale, later) }),
  ];
  return [...used, ...toCome.filter((line) => line !== false), ...asOf];
}

/** What the picture shows, in words. */
function dayLines({ busiest: { hour, requests, saved } }: UsageDay, locale: string): string[] {
  return [
    formatMessage(locale, 'busiestHour', { hour: String(hour), requests, saved }),
    `-# ${formatMessage(locale, 'dayLegend')}`,
  ];
}

/** A bar of what is used, and the figures, as far as they are known; something of them is. */
function usedLines(locale: string, { used, limit, remaining }: NonNullable<UsageFigures['inPeriod']>): string[] {
  const shown = { used: figure(locale, used), limit: figure(locale, limit), remaining: figure(locale, remaining) };
  if (used !== undefined && limit !== undefined)
    return [bar(locale, used, limit), formatMessage(locale, 'usedOf', shown)];
  return [
    formatMessage(locale, used !== undefined ? 'usedOnly' : limit !== undefined ? 'limitOnly' : 'leftOnly', shown),
  ];
}

function memoryText({ everybody: { saved, requests }, locale }: UsageView): string {
  if (saved + requests === 0) return formatMessage(locale, 'nothingAsked');
  const share = Math.floor((saved / (saved + requests)) * 100) / 100;
  return formatMessage(locale, 'savedOf', { percent: formatPercent(locale, share), saved });
}

function serverLines({ server, locale }: UsageView): string[] {
  const { memberCap } = server;
  const caused = causedText(server, locale);
  return memberCap === undefined ? [caused] : [caused, formatMessage(locale, 'memberCap', { requests: memberCap })];
}

/** Nothing while nobody has used the bot there today, nor when members cannot bring it along. */
function foreignFields({ foreign, locale }: UsageView): APIEmbedField[] {
  if (!foreign || foreign.cap === 0 || foreign.requests + foreign.saved === 0) return [];
  return [field(locale, 'foreignToday', [causedText(foreign, locale)])];
}

function causedText({ cap, requests, saved }: NonNullable<UsageView['foreign']>, locale: string): string {
  return cap === undefined
    ? formatMessage(locale, 'serverRequests', { requests, saved })
    : formatMessage(locale, 'serverRequestsOfBudget', { requests, cap, saved });
}

function topMembersFields({ topMembers, locale }: UsageView): APIEmbedField[] {
  if (topMembers.length === 0) return [];
  const lines = topMembers.map(({ memberId, requests }) => `<@${memberId}> ${formatCount(locale, requests)}`);
  return [field(locale, 'topMembers', lines)];
}

/** The plan, and its period where that is not the day. */
function reportFields({ figures, reportAtMs, nowMs, locale }: UsageView): APIEmbedField[] {
  const { report, period, inPeriod } = figures;
  if (!report) return [];
  const aged = (name: PlainMessageKey, lines: readonly string[]) =>
    lines.length === 0 ? [] : [field(locale, name, [...lines, ...ageLines(reportAtMs, nowMs, locale)])];
  const { plan } = report;
  const span = period && { start: day(period.startMs), end: day(period.endMs) };
  return [
    ...aged('plan', plan === undefined ? [] : [plainMarkdown(plan, 100) || formatMessage(locale, 'unnamedPlan')]),
    ...aged('inThisPeriod', [
      ...(span ? [formatMessage(locale, 'periodFromTo', span)] : []),
      ...(inPeriod ? usedLines(locale, inPeriod) : []),
    ]),
  ];
}

/** Such as `▰▰▰▰▰▱▱▱▱▱ 50%`; what is out of range is drawn as empty or full. */
export function bar(locale: string, part: number, whole: number): string {
  const share = whole > 0 ? Math.min(1, Math.max(0, part / whole)) : 0;
  const filled = Math.round(share * BAR_CELLS);
  return `${'▰'.repeat(filled)}${'▱'.repeat(BAR_CELLS - filled)} ${formatPercent(locale, Math.round(share * 100) / 100)}`;
}

/** How old a figure is, once that is worth a line. */
function ageLines(atMs: number | undefined, nowMs: number, locale: string): string[] {
  if (atMs === undefined || nowMs - atMs < OLD_AFTER_MS) return [];
  return [`-# ${formatMessage(locale, 'asOf', { since: timePast(atMs, nowMs) })}`];
}

function field(locale: string, name: PlainMessageKey, lines: readonly string[]): APIEmbedField {
  return { name: formatMessage(locale, name), value: lines.join('\n') };
}

function figure(locale: string, value: number | undefined): string {
  return value === undefined ? '?' : formatCount(locale, value);
}

function day(atMs: number | undefined): string {
  return atMs === undefined ? '?' : `<t:${Math.floor(atMs / 1000)}:d>`;
}
