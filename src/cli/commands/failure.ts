import { DiscordAPIError, HTTPError, RateLimitError } from 'discord.js';
import { z } from 'zod';
import { networkCode } from '../request.ts';
import { inviteLink, portalPage } from './report.ts';

/** The facts that an explanation may name. */
export interface FailureContext {
  /** `undefined` for the global commands. */
  guildId: string | undefined;
  apiUrl: string;
  /** `undefined` until Discord has answered with it. */
  applicationId: string | undefined;
}

/**
 * What went wrong and what to do about it. Contains no token. Codes: "Opcodes and Status Codes" in Discord's
 * documentation.
 *
 * @returns `undefined` when the error is a bug
 */
export function explainFailure(error: unknown, context: FailureContext): string | undefined {
  if (error instanceof RateLimitError) {
    const waitMs = error.retryAfter || error.timeToReset;
    return error.method === 'PUT' ? tooOften(waitMs) : `Discord asks to wait. ${tryAgain(waitMs)}.`;
  }
  if (error instanceof DiscordAPIError) return refused(error, context);
  if (error instanceof HTTPError)
    return `Discord has a problem of its own (${error.status}). Try again in a few minutes.`;
  if (isOtherAnswer(error)) return notDiscord(context.apiUrl);
  const code = networkCode(error);
  return code === undefined
    ? undefined
    : `Can't reach Discord at ${context.apiUrl} (${code}). Check the connection, and DISCORD_API_URL if it is set.`;
}

/** What a failure says. `wait`: to come later. `nothing`: Discord cannot be reached, or has a problem of its own. */
export function failureSays(error: unknown): 'what is wrong' | 'wait' | 'nothing' {
  if (error instanceof RateLimitError) return 'wait';
  return error instanceof DiscordAPIError || isOtherAnswer(error) ? 'what is wrong' : 'nothing';
}

/** Something else than Discord answers with other fields, with no JSON at all, or with nothing. */
function isOtherAnswer(error: unknown): boolean {
  return error instanceof z.ZodError || error instanceof SyntaxError;
}

function refused(error: DiscordAPIError, context: FailureContext): string {
  if (error.code === undefined) {
    // A page of whatever is in between: Discord's own errors have codes.
    return error.status === 403
      ? `Something in front of Discord refuses this machine (403). Check DISCORD_API_URL if it is set, and the network's firewall.`
      : notDiscord(context.apiUrl);
  }
  if (error.status === 401) {
    return 'Discord refuses the token. Put a new one into DISCORD_TOKEN: Developer Portal, your application, Bot, Reset Token.';
  }
  const words = REFUSALS[error.code];
  if (words) return words(error, context);
  if (error.status === 404) return notDiscord(context.apiUrl);
  return `Discord said no: ${error.message} (${error.status}, code ${error.code}).`;
}

/** By Discord's code. */
const REFUSALS: Readonly<Record<number | string, (error: DiscordAPIError, context: FailureContext) => string>> = {
  10004: (_, context) => missingAccess(context), // unknown guild
  50001: (_, context) => missingAccess(context),
  30032: () =>
    'Discord allows 100 slash commands globally and 100 in a server, and this would be more. Remove some first.',
  30034: () => tooOften(undefined),
  // The message has a line for each fault, which begins with the place of its command among those of this version.
  50035: ({ method, message }, context) =>
    method === 'PATCH'
      ? `Discord rejected these settings of the application, so nothing changed. Set them yourself, which ends this: ${portalPage(context.applicationId ?? '', 'information')}\n${message}`
      : `Discord rejected these commands, so none of them changed: ${message}`,
};

function missingAccess({ guildId, applicationId }: FailureContext): string {
  const where = guildId === undefined ? 'here' : `in server ${guildId}`;
  const id = applicationId ?? 'APPLICATION_ID';
  return `The bot has no access ${where}. Check the id, and invite the bot there:\n${inviteLink(id)}`;
}

/** 200 creates a day for each scope: "Registering a Command" in Discord's documentation. */
function tooOften(waitMs: number | undefined): string {
  const when = waitMs === undefined ? 'Try again tomorrow' : tryAgain(waitMs);
  return `Discord takes no more command changes right now: it allows 200 new commands a day. ${when}.`;
}

function tryAgain(waitMs: number): string {
  return `Try again after ${new Date(Date.now() + waitMs).toISOString()}`;
}

function notDiscord(apiUrl: string): string {
  return `What answers at ${apiUrl} isn't Discord. Check DISCORD_API_URL, or remove it to use Discord itself.`;
}
