import { describe, expect, it } from 'vitest';
import { ProxyLimit } from '../../src/service/proxy-limit.ts';
import { logLines } from '../support/log-lines.ts';

const PACE_MS = 3_000;
const OWN_ERROR = { _tag: 'InternalError', message: 'broken' };

interface Answer {
  card: string;
  atMs: number;
  status?: number;
  tookMs?: number;
  body?: unknown;
}

/** How often a proxy is suspected after these answers. */
function hintsAfter(answers: readonly Answer[]): number {
  const { log, lines } = logLines();
  const { seen } = new ProxyLimit(() => PACE_MS, log);
  for (const { card, atMs, status = 200, tookMs = 20, body } of answers) {
    const times = { sentAtMs: atMs, receivedAtMs: atMs + tookMs };
    seen(new URL(`http://cards.test/cards/${card}`), { status, headers: new Headers(), body, ...times });
  }
  return lines.filter(({ msg }) => String(msg).includes('limit_req_status 429')).length;
}

const refused = (status: number, more: Partial<Answer> = {}): Answer[] =>
  [0, 1_000, 3_000, 4_000].map((atMs, at) => ({ card: `refused-${at}`, atMs: 100 + atMs, status, ...more }));

describe('a proxy is suspected', () => {
  it.each([503, 500, 403])('once, when different cards are refused with %i right after an answer', (status) => {
    expect(hintsAfter([{ card: 'shown', atMs: 0 }, ...refused(status), ...refused(status)])).toBe(1);
  });

  it('when some cards are answered before, and one between those that are refused', () => {
    const [first, second, third] = refused(503) as [Answer, Answer, Answer];
    const answered = (atMs: number) => ({ card: `answered at ${atMs}`, atMs });
    const answers = [answered(-9_000), answered(0), first, answered(500), second, third];
    expect(hintsAfter(answers)).toBe(1);
  });

  it.each<[string, Answer[]]>([
    ['nothing was answered before', refused(503)],
    ['the answer is long past', [{ card: 'shown', atMs: -60_000 }, ...refused(503)]],
    ['they are one card', [{ card: 'shown', atMs: 0 }, ...refused(503, { card: 'same' })]],
    ['the service itself says so', [{ card: 'shown', atMs: 0 }, ...refused(500, { body: OWN_ERROR })]],
    ['the refusals are slow', [{ card: 'shown', atMs: 0 }, ...refused(503, { tookMs: 5_000 })]],
    ['they are of another kind', [{ card: 'shown', atMs: 0 }, ...refused(502)]],
    [
      'they come at the rate of the plan',
      [0, 1, 2, 3].map((nth) => ({ card: `${nth}`, atMs: nth * PACE_MS, status: nth === 0 ? 200 : 503 })),
    ],
  ])('not when %s', (_, answers) => {
    expect(hintsAfter(answers)).toBe(0);
  });
});
