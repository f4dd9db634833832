import type { UsageKnown } from '../src/lookup/usage-reports.ts';
import type { MessageFile } from '../src/model/message.ts';
import {
  type Bookings,
  type Stop,
  type StopReason,
  type Usage,
  WATCHES_REQUESTER,
  type WindowQuota,
} from '../src/model/quota.ts';
import { requestsLately, runsOutAtMs, totalOf } from '../src/quota/ledger.ts';
import { isOfDay, leastOf } from '../src/quota/windows.ts';
import { encodePng } from '../src/render/canvas.ts';
import { FRESH_COLOUR, STALE_COLOUR } from '../src/render/card-embed.ts';
import { busiestOf, type DayView, dayPicture } from '../src/render/day-picture.ts';
import { age, formatCount, formatPercent, joined, type Line, plainMarkdown, timestamp } from '../src/render/formats.ts';
import { formatMessage, fullMinuteMs, type PlainMessageKey, timePast, timeToCome } from '../src/render/messages.ts';
import { DAY_MS, HOUR_MS, nextUtcMidnightMs } from '../src/time.ts';
import type { Command, Message, Services, Use } from './command.ts';

/**
 * A report that takes longer than this after the command is shown as a correction. Discord allows 3 s for the first
 * reply, which includes a wait when its own rate limit delays that reply.
 */
const LONGEST_WAIT_MS = 1_500;

export default {
  data: { name: 'usage', isForManagers: true },

  async ask(use, services) {
    const { receivedAtMs, requester, locale } = use;
    const { now, later } = await services.usage.ask(requester, receivedAtMs + LONGEST_WAIT_MS - Date.now());
    return {
      kind: 'reply',
      isPrivate: true,
      source: now.report && now.report.atMs >= receivedAtMs ? 'service' : 'bot',
      message: await shown(now, use, services, later && formatMessage(locale, 'reportOnItsWay')),
      ...(later && { correction: later.then((known) => shown(known, use, services)) }),
    };
  },
} satisfies Command;

function whyMissing({ report, missing }: UsageKnown, { locale }: Use, { usage }: Services): string | undefined {
  if (usage.offer === 'needsKey') return formatMessage(locale, 'reportNeedsKey');
  if (usage.offer === 'none') return undefined;
  if (missing === 'notRequested' || (!missing && !report)) return formatMessage(locale, 'reportNotAsked');
  return missing && formatMessage(locale, 'reportFailed', { since: age(missing.atMs), why: missing.error.name });
}

async function shown(
  known: UsageKnown,
  use: Use,
  services: Services,
  missing = whyMissing(known, use, services),
): Promise<Message> {
  const { requester, manageGuild, locale } = use;
  const { limiter, ledger, budget, lookupQueue } = services;
  const [hours, ofWatches, server, foreign, topMembers] = await Promise.all([
    ledger.hours(),
    ledger.guildToday(WATCHES_REQUESTER),
    ledger.guildToday(requester),
    manageGuild ? ledger.guildToday({ ...requester, isInstalled: false }) : undefined,
    manageGuild ? ledger.topMembers(requester, 5) : [],
  ]);
  const nowMs = Date.now();
  const view = limiter.view();
  const lately = requestsLately(hours, nowMs);
  const withEnd = (window: WindowQuota) => ({
    ...window,
    runsOutAtMs: runsOutAtMs(window, nowMs, isOfDay(window) ? lately : undefined),
  });
  const ofDay = leastOf(view.windows.filter(isOfDay));
  const caps = budget.caps(requester);
  return usageMessage({
    ...view,
    missing,
    report: known.report,
    hours,
    ofWatches,
    topMembers,
    nowMs,
    locale,
    today: {
      ...(ofDay && withEnd(ofDay)),
      // Nobody tells how many there are in a day.
      ...(budget.day === undefined && { used: totalOf(hours).requests }),
    },
    windows: view.windows.filter((window) => !isOfDay(window)).map(withEnd),
    server: { ...server, cap: caps.guild, memberCap: caps.member },
    foreign: foreign && { ...foreign, cap: budget.caps({ isInstalled: false }).guild },
    waitingNow: lookupQueue.length,
  });
}

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
  const { missing, waitingNow, topMembers, server, foreign, locale } = view;
  const day = dayOf(view);
  const picture = day && (await pictureOf(day, locale));
  const report = reported(view);
  const { plan } = report ?? {};
  const { hour, ...counts } = busiestOf(view.hours);
  const busiest = formatMessage(locale, 'busiestHour', { hour: String(hour), ...counts });
  const reportedAt = asOf(view.report?.atMs, view);
  const trouble = joined([
    troubleText(view, report),
    view.storeAwaitedUntilMs !== undefined && formatMessage(locale, 'usageStoreAway'),
  ]);
  const field = (name: PlainMessageKey, lines: readonly Line[]) => {
    return { name: formatMessage(locale, name), value: joined(lines) };
  };
  const fields = [
    field('today', windowLines(view.today, view, day)),
    ...view.windows.map((window) => field(window.per === 'hour' ? 'thisHour' : 'thisMonth', windowLines(window, view))),
    field('fromMemory', [memoryText(view)]),
    field('waiting', [waitingNow > 0 && formatMessage(locale, 'waitingCards', { cards: waitingNow })]),
    field('serverToday', [
      causedText(server, locale),
      server.memberCap !== undefined && formatMessage(locale, 'memberCap', { requests: server.memberCap }),
    ]),
    // Nothing while nobody has used the bot there today, nor when members cannot bring it along.
    field('foreignToday', [
      foreign && foreign.cap !== 0 && foreign.requests + foreign.saved > 0 && causedText(foreign, locale),
    ]),
    field(
      'topMembers',
      topMembers.map((top) => `<@${top.memberId}> ${formatCount(locale, top.requests)}`),
    ),
    field(
      'plan',
      plan === undefined ? [] : [plainMarkdown(plan, 100) || formatMessage(locale, 'unnamedPlan'), reportedAt],
    ),
    field('inThisPeriod', periodLines(report, reportedAt, locale)),
    field('byHour', day ? [busiest, `-# ${formatMessage(locale, 'dayLegend')}`] : []), // the picture in words
  ];
  const embed = {
    title: formatMessage(locale, 'usageTitle'),
    description: joined([trouble || formatMessage(locale, 'working'), learnedText(view), missing]),
    color: trouble || missing ? STALE_COLOUR : FRESH_COLOUR,
    fields: fields.filter(({ value }) => value),
    ...(picture && { image: { url: `attachment://${picture.name}`, description: picture.description } }),
    footer: { text: formatMessage(locale, 'usageFooter') },
  };
  return { embeds: [embed], ...(picture && { files: [picture] }) };
}

/** The day as text and picture show it; nothing will remain by `runsOutAtMs`, or the forecast is of its end. */
type UsageDay = DayView & Pick<UsageWindow, 'runsOutAtMs'>;

/** @returns `undefined` when nothing was counted */
function dayOf({ hours, today, nowMs }: UsageView): UsageDay | undefined {
  if (busiestOf(hours).total === 0) return undefined;
  const endsAtMs = nextUtcMidnightMs(nowMs);
  const share = (atMs: number) => 1 - (endsAtMs - atMs) / DAY_MS;
  const { resetsAtMs = endsAtMs } = today;
  const isOfDay = Math.abs(resetsAtMs - endsAtMs) <= HOUR_MS; // otherwise it is another than the ledger counts
  const { used, limit, runsOutAtMs }: UsageWindow = isOfDay ? { ...today, ...complete(today) } : {};
  const dayShare = share(nowMs);
  // The rate of the day so far, unless that contradicts that requests will not run out; a burst is no rate.
  const byTheEnd = used && dayShare >= HOUR_MS / DAY_MS ? Math.round(used / dayShare) : undefined;
  const steadily = (byTheEnd ?? 0) >= (limit ?? Infinity) ? undefined : byTheEnd;
  const byThen = runsOutAtMs === undefined ? steadily : limit;
  const forecast = byThen ? { dayShare: share(runsOutAtMs ?? endsAtMs), used: byThen } : undefined;
  return { hours, used, limit, dayShare, forecast, runsOutAtMs };
}

/** The picture, and what it shows in words for those who cannot see it: at most 1,024 characters. */
async function pictureOf(day: UsageDay, locale: string): Promise<MessageFile> {
  const { used, limit, hours, forecast, runsOutAtMs } = day;
  const [all, busiest] = [totalOf(hours), busiestOf(hours)];
  const description = formatMessage(locale, 'dayPicture', {
    known: used === undefined || limit === undefined ? 'no' : 'yes',
    used: formatCount(locale, used),
    limit: formatCount(locale, limit),
    sent: all.requests,
    saved: all.saved,
    hour: String(busiest.hour),
    requests: busiest.requests,
    fromMemory: busiest.saved,
    forecast: forecast === undefined ? 'none' : runsOutAtMs === undefined ? 'steady' : 'runsOut',
    later: formatCount(locale, forecast?.used),
    time: runsOutAtMs === undefined ? '' : new Date(fullMinuteMs(runsOutAtMs)).toISOString().slice(11, 16),
  });
  const canvas = dayPicture(day, (each) => formatCount(locale, each));
  return { name: 'day.png', contentType: 'image/png', data: await encodePng(canvas), description };
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
  const requests = window ?? capacity;
  const key = window === undefined ? 'learnedBurst' : 'learnedWindow';
  return requests !== undefined && formatMessage(locale, key, { requests });
}

/**
 * How much of a window is used, when it resets, and when nothing will remain if that is before. Once that is so, the
 * state says until when.
 */
function windowLines(window: UsageWindow, view: UsageView, day?: UsageDay): Line[] {
  const { remaining, resetsAtMs, runsOutAtMs, isOurCount } = window;
  const { ofWatches, nowMs, locale } = view;
  const isToday = window === view.today;
  const used = usedText(window, locale);
  if (isToday && !used) return [formatMessage(locale, 'todayUnknown')];
  const ends = [
    resetsAtMs !== undefined && formatMessage(locale, 'resets', timeToCome(resetsAtMs, nowMs)),
    runsOutAtMs !== undefined && formatMessage(locale, 'runsOut', timeToCome(runsOutAtMs, nowMs)),
    day?.forecast &&
      day.runsOutAtMs === undefined &&
      formatMessage(locale, 'usedByReset', { used: formatCount(locale, day.forecast.used) }),
  ];
  return [
    used,
    isToday && ofWatches.requests > 0 && formatMessage(locale, 'spentOnWatches', { requests: ofWatches.requests }),
    ...(remaining === 0 ? [] : ends),
    isOurCount ? `-# ${formatMessage(locale, 'ourCount')}` : isToday && asOf(window.receivedAtMs, view),
  ];
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
  const shown = {
    used: formatCount(locale, used),
    limit: formatCount(locale, limit),
    remaining: formatCount(locale, remaining),
  };
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
  const all = totalOf(hours);
  const [requests, saved] = [all.requests - ofWatches.requests, all.saved - ofWatches.saved];
  if (saved + requests === 0) return formatMessage(locale, 'nothingAsked');
  const share = Math.floor((saved / (saved + requests)) * 100) / 100;
  return formatMessage(locale, 'savedOf', { percent: formatPercent(locale, share), saved });
}

function causedText({ cap, requests, saved }: NonNullable<UsageView['foreign']>, locale: string): string {
  const key = cap === undefined ? 'serverRequests' : 'serverRequestsOfBudget';
  return formatMessage(locale, key, { requests, cap: cap ?? '', saved });
}

/** The period of the plan, where that is not the day. */
function periodLines({ period, requests = {} }: Usage = {}, reportedAt: Line, locale: string): Line[] {
  const used = usedText(requests, locale);
  if (!period && !used) return [];
  const dateOf = (atMs: number | undefined) => (atMs === undefined ? '?' : timestamp(atMs, 'd'));
  const span = period && { start: dateOf(period.startMs), end: dateOf(period.endMs) };
  return [span && formatMessage(locale, 'periodFromTo', span), used, reportedAt];
}
