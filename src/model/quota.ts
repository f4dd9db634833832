import { z } from 'zod';
import { orUndefined } from './card.ts';
import { Moment } from './stored-json.ts';

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

/** Where everything is booked that comes without the install of a server. No server has this id. */
export const FOREIGN = 'foreign';

/** Where every request is booked that leaves for watches alone. No server and no member has this id. */
export const WATCHES = 'watches';
export const WATCHES_REQUESTER: Requester = { memberId: WATCHES, guildId: WATCHES };

/**
 * The Discord server as the ledger and budgets count it: a member's direct messages are a server of their own, and
 * whatever comes without the install of a server is one server together.
 */
export function guildKey({ memberId, guildId, isInstalled }: Requester): string {
  if (isInstalled === false) return FOREIGN;
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
