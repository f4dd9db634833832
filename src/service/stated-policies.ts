import type { QuotaReading } from '../model/quota.ts';

/** `RateLimit` and `RateLimit-Policy`, and the three headers of the first drafts: https://datatracker.ietf.org/doc/draft-ietf-httpapi-ratelimit-headers/ */
export const POLICY_HEADERS = ['ratelimit-policy', 'ratelimit-limit'] as const;

interface Policy {
  name: string;
  limit: number;
  seconds: number;
}

interface Left {
  /** The policy's; an early draft has the limit in its place. */
  name?: string | undefined;
  limit?: number | undefined;
  remaining: number;
  resetSeconds: number;
}

const DAY_SECONDS = 86_400;

/**
 * What an answer states by the drafts of the standard headers, of the windows that services count by: a limit and, where it
 * is told, what remains. What contradicts itself is left out.
 */
export function statedPolicies(headers: Headers, sentAtMs: number, receivedAtMs: number): QuotaReading[] {
  const policies = policiesIn(headers);
  const left = leftIn(headers);
  return policies.flatMap((policy) => {
    const { name, limit, seconds } = policy;
    const per = windowLasting(seconds);
    if (!per || policies.some((other) => other.seconds === seconds && other.limit !== limit)) return [];
    const figures = left.find((each) => each.name === name || each.limit === limit || policies.length === 1);
    if (figures && ((figures.limit ?? limit) !== limit || figures.remaining > limit)) return [];
    const resetInMs = figures && figures.resetSeconds * 1000;
    return [{ per, limit, remaining: figures?.remaining, resetInMs, sentAtMs, receivedAtMs }];
  });
}

function windowLasting(seconds: number): QuotaReading['per'] {
  if (seconds >= 28 * DAY_SECONDS && seconds <= 31 * DAY_SECONDS) return 'month';
  return { 60: 'minute' as const, 3600: 'hour' as const, [DAY_SECONDS]: 'day' as const }[seconds];
}

/** `"default";q=100;w=60`, or `100;w=60`. */
function policiesIn(headers: Headers): Policy[] {
  const items = POLICY_HEADERS.flatMap((header) => itemsOf(headers.get(header)));
  return items.flatMap(({ value, parameters }) => {
    const [limit, seconds] = [number(parameters.get('q') ?? value), number(parameters.get('w'))];
    return limit && seconds ? [{ name: value, limit, seconds }] : [];
  });
}

/** `"default";r=50;t=30`, or `limit=100, remaining=50, reset=30`, or a header for each of the three. */
function leftIn(headers: Headers): Left[] {
  const items = itemsOf(headers.get('ratelimit'));
  const named = items.flatMap(({ value, parameters }) =>
    leftOf({ name: value }, parameters.get('r'), parameters.get('t')),
  );
  if (named.length > 0) return named;
  const entries = new Map(items.map(({ value }) => value.split('=') as [string, string]));
  const figure = (key: string) => entries.get(key) ?? itemsOf(headers.get(`ratelimit-${key}`))[0]?.value;
  return leftOf({ limit: number(figure('limit')) }, figure('remaining'), figure('reset'));
}

function leftOf(whose: Pick<Left, 'name' | 'limit'>, left: string | undefined, reset: string | undefined): Left[] {
  const [remaining, resetSeconds] = [number(left), number(reset)];
  return remaining === undefined || resetSeconds === undefined ? [] : [{ ...whose, remaining, resetSeconds }];
}

/** A list of items with parameters (RFC 9651), as far as the drafts need one. */
function itemsOf(header: string | null): { value: string; parameters: Map<string, string> }[] {
  return (header ?? '').split(',').flatMap((item) => {
    const [value = '', ...parameters] = item.split(';').map((part) => part.trim());
    const pairs = parameters.map((part) => part.split('=').map(unquoted) as [string, string]);
    return value === '' ? [] : [{ value: unquoted(value), parameters: new Map(pairs) }];
  });
}

function unquoted(text: string): string {
  return text.trim().replace(/^"(.*)"$/, '$1');
}

function number(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,12}$/.test(text) ? Number(text) : undefined;
}
