import type { APIEmbed, APIEmbedField } from 'discord-api-types/v10';
import type { Bookings, Breaker, BreakerReason } from '../model/quota.ts';
import { age, formatCount, plainMarkdown } from './formats.ts';
import { formatMessage, fromTime, type PlainMessageKey } from './messages.ts';
import type { UsageFigures } from './usage-figures.ts';

export interface UsageView {
  breaker: Breaker;
  /** Why there is no newer report, as a text; `undefined` when nothing is missing. */
  missing: string | undefined;
  /** What answers have taught of the service's limiter; without one of them it is as the plan says. */
  learned: { window: number | undefined; capacity: number | undefined };
  figures: UsageFigures;
  /** When the last report came; `undefined` before the first. */
  reportAtMs: number | undefined;
  /** When the day's requests will be spent at the present rate, if they will. */
  runsOutAtMs: number | undefined;
  /** Since 00:00 UTC. */
  everybody: Bookings;
  /** The Discord server's part of that; a cap that is `undefined` is none. */
  server: Bookings & { cap: number | undefined; memberCap: number | undefined };
  /** Who caused most requests in this server; empty for members who may not see it. */
  topMembers: readonly { memberId: string; requests: number }[];
  waitingNow: number;
  nowMs: number;
  locale: string;
}

const COLOUR = 0x5865f2;
const WARNING_COLOUR = 0xf0b232;
const BAR_CELLS = 20;

const REASONS = {
  pause: 'breakerPause',
  day: 'breakerDay',
  outage: 'breakerOutage',
  key: 'breakerKey',
} as const satisfies Record<BreakerReason, PlainMessageKey>;

/** What is left of the quota, where it is known, and what is missing, where it is not. */
export function usageEmbed(view: UsageView): APIEmbed {
  const { breaker, missing, learned, locale, everybody, waitingNow, figures, reportAtMs } = view;
  const isWell = breaker.reason === undefined && breaker.failures === 0 && missing === undefined;
  return {
    title: formatMessage(locale, 'usageTitle'),
    description: [stateText(view), learnedText(learned, locale), missing].filter(Boolean).join('\n'),
    color: isWell ? COLOUR : WARNING_COLOUR,
    fields: [
      ...todayFields(view),
      ...reportFields(view),
      field(locale, 'savedToday', formatMessage(locale, 'saved', { requests: everybody.saved }), true),
      field(locale, 'waitingNow', formatCount(locale, waitingNow), true),
      ...(figures.report && reportAtMs !== undefined ? [field(locale, 'reportFrom', age(reportAtMs), true)] : []),
      ...serverFields(view),
    ],
    footer: { text: formatMessage(locale, 'usageFooter') },
  };
}

/** Whether requests flow at this second, and if not, why and until when. */
function stateText({ breaker, nowMs, locale }: UsageView): string {
  const { reason, failures } = breaker;
  if (reason) return `${formatMessage(locale, REASONS[reason])} ${probeText(breaker, nowMs, locale)}`;
  return formatMessage(locale, failures === 0 ? 'requestsFlow' : 'requestFailed');
}

function learnedText({ window, capacity }: UsageView['learned'], locale: string): string | undefined {
  if (window !== undefined) return formatMessage(locale, 'learnedWindow', { requests: window });
  return capacity === undefined ? undefined : formatMessage(locale, 'learnedBurst', { requests: capacity });
}

/** The breaker stays open until a probe has succeeded, however long that has been due. */
function probeText({ state, sinceMs, untilMs }: Breaker, nowMs: number, locale: string): string {
  const since = age(sinceMs);
  if (state === 'halfOpen') return formatMessage(locale, 'probeUnderWay', { since });
  if (untilMs <= nowMs) return formatMessage(locale, 'probeDue', { since });
  return formatMessage(locale, 'probeAt', { since, from: fromTime(locale, untilMs, nowMs) });
}

function todayFields({ figures, runsOutAtMs, nowMs, locale }: UsageView): APIEmbedField[] {
  const { limit, remaining, resetsAtMs } = figures.today;
  if (remaining === undefined && limit === undefined) {
    return [field(locale, 'today', formatMessage(locale, 'todayUnknown'))];
  }
  const left = { remaining: figure(locale, remaining), limit: figure(locale, limit) };
  const lines = [
    remaining !== undefined && limit !== undefined && bar(remaining, limit),
    formatMessage(locale, 'leftOf', left),
    resetsAtMs !== undefined && formatMessage(locale, 'allBack', { from: fromTime(locale, resetsAtMs, nowMs) }),
    runsOutAtMs !== undefined && formatMessage(locale, 'goneAt', { from: fromTime(locale, runsOutAtMs, nowMs) }),
  ];
  return [field(locale, 'today', lines.filter(Boolean).join('\n'))];
}

function reportFields({ figures, locale }: UsageView): APIEmbedField[] {
  const { plan, period } = figures.report ?? {};
  const fields: APIEmbedField[] = [];
  if (plan !== undefined) {
    fields.push(field(locale, 'plan', plainMarkdown(plan, 100) || formatMessage(locale, 'unnamedPlan'), true));
  }
  if (period !== undefined) {
    const days = { start: day(period.startMs), end: day(period.endMs) };
    fields.push(field(locale, 'period', formatMessage(locale, 'periodFromTo', days), true));
  }
  if (figures.inPeriod !== undefined) {
    const { used, limit, remaining } = figures.inPeriod;
    const shown = { used: figure(locale, used), limit: figure(locale, limit), remaining: figure(locale, remaining) };
    const lines = [
      used !== undefined && limit !== undefined && bar(used, limit),
      formatMessage(locale, 'usedOf', shown),
    ];
    fields.push(field(locale, 'inThisPeriod', lines.filter(Boolean).join('\n')));
  }
  return fields;
}

function serverFields({ server, topMembers, locale }: UsageView): APIEmbedField[] {
  const { cap, memberCap, requests, saved } = server;
  const lines = [
    cap === undefined
      ? formatMessage(locale, 'serverRequests', { requests, saved })
      : formatMessage(locale, 'serverRequestsOfBudget', { requests, cap, saved }),
    memberCap !== undefined && formatMessage(locale, 'memberCap', { requests: memberCap }),
  ];
  const top = topMembers.map(({ memberId, requests }) => `<@${memberId}> ${formatCount(locale, requests)}`);
  return [
    field(locale, 'serverToday', lines.filter(Boolean).join('\n')),
    ...(top.length > 0 ? [field(locale, 'mostRequestsToday', top.join('\n'))] : []),
  ];
}

/** Such as `▰▰▰▱▱▱ 50 %`; what is out of range is drawn as empty or full. */
export function bar(part: number, whole: number): string {
  const share = whole > 0 ? Math.min(1, Math.max(0, part / whole)) : 0;
  const filled = Math.round(share * BAR_CELLS);
  return `${'▰'.repeat(filled)}${'▱'.repeat(BAR_CELLS - filled)} ${Math.round(share * 100)} %`;
}

function field(locale: string, name: PlainMessageKey, value: string, inline = false): APIEmbedField {
  return { name: formatMessage(locale, name), value, inline };
}

function figure(locale: string, value: number | undefined): string {
  return value === undefined ? '?' : formatCount(locale, value);
}

function day(atMs: number | undefined): string {
  return atMs === undefined ? '?' : `<t:${Math.floor(atMs / 1000)}:d>`;
}
