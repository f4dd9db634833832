import type { IncomingHttpHeaders } from 'node:http';

// discord-api-docs#4908, #6473 and #1504: these are blocked, while `curl/7.68.0` and `node` are served. The form in
// reference.md, "User Agent" (`DiscordBot (url, version)`), is not enforced.
const SHUT_OUT = /^(?:$|Mozilla\/|Java\/1\.|Python-urllib\/)/;

/** Whether Discord's firewall blocks a client: it has no user agent, or that of a browser. */
export function isBlocked({ headers }: { headers: IncomingHttpHeaders }): boolean {
  return SHUT_OUT.test(headers['user-agent'] ?? '') || isWebPage(headers);
}

/** Browsers send the page's origin with every request that could do harm; no web page may act as the bot. */
export function isWebPage({ origin }: IncomingHttpHeaders): boolean {
  return origin !== undefined;
}

// reference.md, "API Versions": those that are neither deprecated nor discontinued, and the default
export const CURRENT_VERSION = 10;
const VERSIONS: readonly number[] = [9, CURRENT_VERSION];

/** The API version in the address, or the default without one; undefined = not served. */
export function apiVersion(named: string | null | undefined): number | undefined {
  const version = named == null ? CURRENT_VERSION : Number(named);
  return VERSIONS.includes(version) ? version : undefined;
}
