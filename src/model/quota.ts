import { z } from 'zod';
import { figure, optional, orUndefined, text } from './card.ts';
import { Moment } from './store/rows.ts';

/** What services count requests by. */
export const WINDOWS = ['hour', 'day', 'month'] as const;
export type WindowName = (typeof WINDOWS)[number];

/** The rate-limit headers of one response; an absent or nonsensical header is `undefined`. */
export interface QuotaReading {
  /** Absent: the day. */
  per?: WindowName;
  limit: number | undefined;
  remaining: number | undefined;
  /** Time left until the reset by the service's own clock (its `Date` header); negative when the reset is past. */
  resetInMs: number | undefined;
  /** When the request left and when its answer arrived, on our clock. */
  sentAtMs: number;
  receivedAtMs: number;
}

/** What is known of the requests of a window; all times on our clock. */
export const QuotaState = z.object({
  limit: orUndefined(z.number().nonnegative()),
  remaining: orUndefined(z.number().nonnegative()),
  resetsAtMs: orUndefined(Moment),
  /** When the last answer that was believed arrived. */
  receivedAtMs: Moment,
  /** How many of the spent requests were for watches, which the window would have lost; absent: none. */
  forWatches: z.number().optional(),
});
export type QuotaState = z.infer<typeof QuotaState>;

/** What is known of one window. Absent: of the day, as the service states it. */
export interface WindowQuota extends QuotaState {
  per?: WindowName;
  /** Nobody states it: it is what this bot has counted. */
  isOurCount?: boolean;
  /** It is a day's part of the month. */
  isShareOfMonth?: boolean;
}

/**
 * `pause`: a wait that the service stated, however long; pending lookups sit it out while it is no longer than
 * `LONGEST_WAIT_SECONDS`. The others last long enough that all who wait are answered at once: the window of that name
 * is spent, there is an `outage`, the `key` is refused, or the `plan` does not allow lookups.
 */
export const STOP_REASONS = ['pause', ...WINDOWS, 'outage', 'key', 'plan'] as const;
export type StopReason = (typeof STOP_REASONS)[number];

/** Whether lookups alone are refused. */
export function isRefused(reason: string | undefined): boolean {
  return reason === 'key' || reason === 'plan';
}

/** The window that is spent, where that is why requests do not flow. */
export function spentWindow(reason: string | undefined): WindowName | undefined {
  return WINDOWS.find((window) => window === reason);
}

/** Why requests do not flow, or none but one by which it is found out whether they do again. */
export interface Stop {
  reason: StopReason;
  /** Absent: a window is spent, and nobody knows since when. */
  beganMs?: number;
  /** No request leaves before. */
  untilMs: number;
}

/** The member who sent a command, and where. */
export interface Requester {
  memberId: string;
  /** `undefined` in direct messages. */
  guildId: string | undefined;
  /** The channel of direct messages, where it is known. */
  channelId?: string | undefined;
  /** `false`: no server's install counts, because the member brought the bot along. */
  isInstalled?: boolean | undefined;
  /**
   * How many requests may still be booked for what they confirmed; one object for all cards of the reply and for its
   * row in the journal, which `lookup/booked-request.ts` counts down. Absent: no such limit.
   */
  ceiling?: { left: number };
}

/** On whom every request is booked that leaves for watches alone. No server and no member has this id. */
export const WATCHES = 'watches';
export const WATCHES_REQUESTER: Requester = { memberId: WATCHES, guildId: WATCHES };

/**
 * The Discord server as the ledger and budgets count it: a member's direct messages are a server of their own, and
 * whatever comes without the install of a server is one server together. No server has its id.
 */
export function guildKey({ memberId, guildId, isInstalled }: Requester): string {
  if (isInstalled === false) return 'foreign';
  return guildId ?? `dm:${memberId}`;
}

/**
 * The place as fairness counts it: each Discord server, foreign or not, and each channel of direct messages by itself.
 */
export function placeKey({ memberId, guildId, channelId }: Requester): string {
  return guildId ?? `dm:${channelId ?? memberId}`;
}

/** Requests and answers of one member, one Discord server or all, on one UTC day. */
export interface Bookings {
  /** Requests that were answered or are under way. */
  requests: number;
  /** Requests that were refused with 429, or whose connection was never made. */
  refused: number;
  /** Answers without a request of their own: from the cache, or by joining a pending lookup. */
  saved: number;
}

/** What a plan allows; without a number of requests it counts by no such window. */
export interface PlanLimits {
  requestsPerMinute: number;
  /** Requests that may be sent at once after a quiet time. */
  burst: number;
  requestsPerHour?: number | undefined;
  requestsPerDay?: number | undefined;
  requestsPerMonth?: number | undefined;
  /** Requests are counted by a fixed minute, so that there is no burst beyond it. */
  isWindow?: boolean;
}

/** The plans of a card service by their names, the one first that counts until answers tell which it is. */
export type Plans = Readonly<Record<string, PlanLimits>>;

/** Where a plan states no pace, or a description no plan: a judgement of what any service takes. */
export const UNSTATED: PlanLimits = { requestsPerMinute: 120, burst: 5 };

/** What the operator configured; `auto` follows the daily limit that the service reports. */
export interface PlanSetting {
  plan: string;
  plans: Plans;
  /** Every answer states the day: until one does, nothing is known of it. */
  isDayStated?: boolean;
  /** Instead of the plan's day; budgets go by it until answers state one. */
  requestsPerDay?: number | undefined;
  /** Instead of the plan's month. */
  requestsPerMonth?: number | undefined;
  /** The day on which a month begins whose reset is not stated, 1 to 28; 1 unless given. */
  monthBegins?: number;
  /** What is beyond the month costs money. */
  isBilled?: boolean;
  requestsPerMinute?: number | undefined;
  burst?: number | undefined;
}

/** How many requests each window has; absent: it is none, or that is not known. */
export type WindowLimits = { readonly [per in WindowName]?: number | undefined };

/** What a plan and the operator say of windows. */
export function windowsUnder(
  limits: Partial<PlanLimits>,
  { requestsPerDay = limits.requestsPerDay, requestsPerMonth = limits.requestsPerMonth }: PlanSetting,
): WindowLimits {
  return { hour: limits.requestsPerHour, day: requestsPerDay, month: requestsPerMonth };
}

/** The same by the configuration alone. */
export function plannedWindows(setting: PlanSetting): WindowLimits {
  const { plan, plans } = setting;
  return windowsUnder((plan === 'auto' ? Object.values(plans)[0] : plans[plan]) ?? {}, setting);
}

/** How fast a bucket fills and how much it holds. */
export interface Pace {
  /** One token comes in this time. */
  intervalMs: number;
  /** Tokens that a full bucket holds. */
  capacity: number;
  /** Requests of a fixed minute, which the service counts by in place of a bucket; absent: it has a bucket. */
  window?: number | undefined;
}

/** Upstream requests that one member, one Discord server, or all foreign places together may cause per UTC day. */
export interface BudgetSetting {
  /** `undefined` = no cap. */
  guildDaily: number | undefined;
  /** `undefined` = a tenth of the day; 0 = no cap. */
  memberDaily: number | undefined;
  /** `undefined` = a fifth of the day; 0 = members cannot bring the bot along. */
  foreignDaily: number | undefined;
}

const count = optional(figure.pipe(z.int()));

/** The plan's usage report. The interface names no required field, so each may be absent. */
export const Usage = z.object({
  plan: optional(text),
  period: optional(z.object({ startMs: optional(z.number()), endMs: optional(z.number()) })),
  requests: optional(z.object({ used: count, limit: count, remaining: count })),
});
export type Usage = z.infer<typeof Usage>;
