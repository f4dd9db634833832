import type { APIEmbed, APIEmbedField } from 'discord-api-types/v10';
import type { Bookings } from '../model/quota.ts';
import { formatCount } from './numbers.ts';
import { plainMarkdown } from './text.ts';
import { age, fromTime } from './times.ts';
import type { UsageFigures } from './usage-figures.ts';

export interface UsageView {
  /** Whether requests flow, and why not. */
  state: { words: string; isWell: boolean };
  /** Why there is no newer report, in words for people; `undefined` when nothing is missing. */
  missing: string | undefined;
  figures: UsageFigures;
  /** When the last report came; `undefined` before the first. */
  reportAtMs: number | undefined;
  /** When the day's requests will be gone at the present rate, if they will. */
  runsOutAtMs: number | undefined;
  /** Since 00:00 UTC. */
  everybody: Bookings;
  /** The Discord server's part of that; `undefined` caps are none. */
  server: Bookings & { cap: number | undefined; memberCap: number | undefined };
  /** Who caused most requests in this server; empty for who may not know. */
  topMembers: readonly { memberId: string; requests: number }[];
  waitingNow: number;
  nowMs: number;
  locale: string;
}

const COLOUR = 0x5865f2;
const WARNING_COLOUR = 0xf0b232;
const BAR_CELLS = 20;

/** What is left of the quota, where it is known, and what is missing, where it is not. */
export function usageEmbed(view: UsageView): APIEmbed {
  const { state, missing } = view;
  return {
    title: 'Requests to the card service',
    description: [state.words, missing].filter(Boolean).join('\n'),
    color: state.isWell && missing === undefined ? COLOUR : WARNING_COLOUR,
    fields: [
      ...todayFields(view),
      ...reportFields(view),
      { name: 'Saved today', value: savedWords(view), inline: true },
      { name: 'Waiting now', value: formatCount(view.waitingNow, view.locale), inline: true },
      ...freshnessField(view),
      ...serverFields(view),
    ],
    footer: {
      text: 'Saved: answered from the cache instead of a request. Counted since 00:00 UTC, in all servers and in this one',
    },
  };
}

/** Such as `▰▰▰▱▱▱ 50 %`; what is out of range is drawn as empty or full. */
export function bar(part: number, whole: number): string {
  const share = whole > 0 ? Math.min(1, Math.max(0, part / whole)) : 0;
  const filled = Math.round(share * BAR_CELLS);
  return `${'▰'.repeat(filled)}${'▱'.repeat(BAR_CELLS - filled)} ${Math.round(share * 100)} %`;
}

function todayFields({ figures, runsOutAtMs, nowMs, locale }: UsageView): APIEmbedField[] {
  const { limit, remaining, resetsAtMs } = figures.today;
  if (remaining === undefined && limit === undefined) {
    return [{ name: 'Today', value: 'not known before the first answer of the day', inline: false }];
  }
  const lines = [
    remaining !== undefined && limit !== undefined && bar(remaining, limit),
    `${known(remaining, locale)} of ${known(limit, locale)} left`,
    resetsAtMs !== undefined && `all back ${fromTime(resetsAtMs, nowMs)}`,
    runsOutAtMs !== undefined && `at the present rate gone ${fromTime(runsOutAtMs, nowMs)}`,
  ];
  return [{ name: 'Today', value: lines.filter(Boolean).join('\n'), inline: false }];
}

function reportFields({ figures, locale }: UsageView): APIEmbedField[] {
  const { plan, period } = figures.report ?? {};
  const { used, limit, remaining } = figures.inPeriod ?? {};
  const fields: (APIEmbedField | false)[] = [
    plan !== undefined && { name: 'Plan', value: plainMarkdown(plan, 100) || 'unnamed', inline: true },
    period !== undefined && { name: 'Period', value: `${day(period.startMs)} – ${day(period.endMs)}`, inline: true },
    figures.inPeriod !== undefined && {
      name: 'In this period',
      value: [
        used !== undefined && limit !== undefined && bar(used, limit),
        `${known(used, locale)} of ${known(limit, locale)} used, ${known(remaining, locale)} left`,
      ]
        .filter(Boolean)
        .join('\n'),
      inline: false,
    },
  ];
  return fields.filter((present) => present !== false);
}

function freshnessField({ figures, reportAtMs }: UsageView): APIEmbedField[] {
  if (!figures.report || reportAtMs === undefined) return [];
  return [{ name: 'Report from', value: age(reportAtMs), inline: true }];
}

function serverFields({ server, topMembers, locale }: UsageView): APIEmbedField[] {
  const { cap, memberCap } = server;
  const ofShare = cap === undefined ? '' : ` of its share of ${formatCount(cap, locale)}`;
  const lines = [
    `${requestWords(server.requests, locale)}${ofShare}, ${formatCount(server.saved, locale)} answered from the cache`,
    memberCap !== undefined && `at most ${requestWords(memberCap, locale)} for each member`,
  ];
  const top = topMembers.map(({ memberId, requests }) => `<@${memberId}> ${formatCount(requests, locale)}`);
  return [
    { name: 'This server today', value: lines.filter(Boolean).join('\n'), inline: false },
    ...(top.length > 0 ? [{ name: 'Most requests today', value: top.join('\n'), inline: false }] : []),
  ];
}

function savedWords({ everybody, locale }: UsageView): string {
  return requestWords(everybody.saved, locale);
}

function requestWords(count: number, locale: string): string {
  return `${formatCount(count, locale)} ${count === 1 ? 'request' : 'requests'}`;
}

function known(value: number | undefined, locale: string): string {
  return value === undefined ? '?' : formatCount(value, locale);
}

function day(atMs: number | undefined): string {
  return atMs === undefined ? '?' : `<t:${Math.floor(atMs / 1000)}:d>`;
}
