import type { IncomingMessage } from 'node:http';

// discord-api-docs#4908, #6473 and #1504: these are shut out, while `curl/7.68.0` or `node` are served. What reference.md
// asks for under "User Agent" (`DiscordBot (url, version)`) is a wish.
const SHUT_OUT = /^(?:$|Mozilla\/|Java\/1\.|Python-urllib\/)/;

/** Whether the wall in front of Discord's API turns a client away: it has no name, or that of a browser. */
export function isTurnedAway({ headers }: IncomingMessage): boolean {
  return SHUT_OUT.test(headers['user-agent'] ?? '') || isWebPage(headers);
}

/** Browsers name the page's origin with whatever could do harm here; no page may play the bot, even under our name. */
export function isWebPage({ origin }: IncomingMessage['headers']): boolean {
  return origin !== undefined;
}

// reference.md, "API Versions": those that are neither deprecated nor discontinued, and what stands for none named
const CURRENT_VERSION = 10;
const VERSIONS: readonly number[] = [9, CURRENT_VERSION];

/** The API version that a client names, or the current one if it names none; undefined = not served. */
export function apiVersion(named: string | null | undefined): number | undefined {
  const version = named == null ? CURRENT_VERSION : Number(named);
  return VERSIONS.includes(version) ? version : undefined;
}
