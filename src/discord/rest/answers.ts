import { DefaultRestOptions, type RESTOptions } from 'discord.js';

export type Send = RESTOptions['makeRequest'];

/** A first answer has a shorter timeout, because a member waits for it. */
export const REQUEST_TIMEOUT_MS = 10_000;

/**
 * Sends as discord.js does, but with one deadline over head and body: its own ends with the head. Only what somebody reads
 * of a body is waited for: what was asked for, or why Discord refuses. A change is done when the head says so.
 *
 * @throws TimeoutError at the deadline; discord.js does not send again after it
 */
export async function answered(url: string, init: Parameters<Send>[1], timeoutMs: number): ReturnType<Send> {
  const signals = [deadline(timeoutMs), ...(init.signal ? [init.signal] : [])];
  const answer = await DefaultRestOptions.makeRequest(url, { ...init, signal: AbortSignal.any(signals) });
  const { status, statusText } = answer;
  const headers = new Headers([...answer.headers]);
  const body = answer.text();
  if (status >= 400 ? status < 500 : init.method === 'GET') {
    return new Response((await body) || null, { status, statusText, headers });
  }
  body.catch(() => {}); // read all the same: the connection is then used again
  headers.delete('Content-Type'); // with it, discord.js would parse the body
  return new Response(null, { status, statusText, headers });
}

/** Ends at once when the time is over already: a fast answer would otherwise still come before the timer. */
function deadline(timeoutMs: number): AbortSignal {
  if (timeoutMs > 0) return AbortSignal.timeout(Math.ceil(timeoutMs)); // whole milliseconds, or it throws
  return AbortSignal.abort(new DOMException('There is no time left.', 'TimeoutError'));
}
