import { DefaultRestOptions, type RESTOptions } from 'discord.js';

type Send = RESTOptions['makeRequest'];

/** The wait after a 429 that states none: discord.js would send again at once. */
const UNSTATED_SECONDS = 1;

/**
 * Sends as discord.js does, and rewrites error responses that it would misread: it reads the wait from `Retry-After`
 * alone, expects an object in whatever is declared as JSON, and treats a redirection as success.
 *
 * @throws Error for a redirection: nothing was done
 */
export const requestWithReadableErrors: Send = async (url, init) => {
  const answer = await DefaultRestOptions.makeRequest(url, init);
  if (answer.status >= 300 && answer.status < 400) {
    await answer.arrayBuffer();
    throw new Error(`redirected (${answer.status}): DISCORD_API_URL may not be where Discord's API is`);
  }
  if (answer.status < 400 || answer.status >= 500) return answer;
  const text = await answer.text();
  const headers = new Headers([...answer.headers]);
  const body = objectIn(text);
  if (body === undefined) headers.set('Content-Type', 'text/plain');
  if (answer.status === 429) stateWait(headers, body);
  return new Response(text, { status: answer.status, headers });
};

/**
 * How long a 429 asks to wait, in seconds. The header is the body's figure rounded up, so the body's is used; of two
 * that differ otherwise, the larger. `undefined` when neither states a wait.
 */
export function statedWaitSeconds(header: string | null, retryAfter: unknown): number | undefined {
  const inHeader = seconds(header?.trim() ? Number(header) : undefined);
  const inBody = seconds(retryAfter);
  if (inHeader === undefined || inBody === undefined) return inHeader ?? inBody;
  return Math.ceil(inBody) === inHeader ? inBody : Math.max(inHeader, inBody);
}

function stateWait(headers: Headers, body: object | undefined): void {
  const retryAfter = body && 'retry_after' in body ? body.retry_after : undefined;
  const stated = statedWaitSeconds(headers.get('Retry-After'), retryAfter) ?? UNSTATED_SECONDS;
  headers.set('Retry-After', String(stated));
  // When a bucket is empty, discord.js waits for its reset instead.
  const reset = headers.get('X-RateLimit-Reset-After');
  if (reset !== null && !(Number(reset) >= stated)) headers.set('X-RateLimit-Reset-After', String(stated));
}

function seconds(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : undefined;
}

function objectIn(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
