import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseCardId } from '../../src/card-id.ts';
import {
  Busy,
  InvalidCardId,
  KeptInReserve,
  KeyRefused,
  QuotaSpent,
  RateLimited,
  ServiceDown,
  ShareSpent,
  Stopping,
  UnexpectedAnswer,
} from '../../src/errors.ts';
import { words } from '../../src/render/words.ts';
import { parseMarkdown } from '../../src/sandbox/page/markdown.ts';
import { nastyText } from './service-answers.ts';

const NOON_MS = Date.UTC(2026, 10, 20, 12);
const NOON = NOON_MS / 1000;

describe('a moment in a sentence', () => {
  it('that is to come is never announced too early', () => {
    expect(words.turn(NOON_MS + 1)).toBe(`Your turn comes <t:${NOON + 1}:R>.`);
    expect(new QuotaSpent(NOON_MS + 1).userMessage).toContain(`<t:${NOON + 1}:R>`);
    expect(new Busy(NOON_MS + 999, false).userMessage).toContain(`<t:${NOON + 1}:R>`);
  });

  it('that is past is never shown as one to come', () => {
    expect(words.noSuchCard('a', NOON_MS + 999)).toContain(`as of <t:${NOON}:R>`);
  });
});

describe('every error', () => {
  it.each([
    new QuotaSpent(NOON_MS),
    new Busy(NOON_MS, false),
    new Busy(NOON_MS, true),
    new KeptInReserve(NOON_MS),
    new ShareSpent('member', 100, NOON_MS),
    new ShareSpent('server', 100, NOON_MS),
    new KeyRefused(401),
    new ServiceDown('silence'),
    new ServiceDown('silence', { untilMs: NOON_MS }),
    new UnexpectedAnswer('name: secret detail'),
    new RateLimited({ kind: 'minute', seconds: 5, source: 'body' }),
    new Stopping(),
    new InvalidCardId('it is empty'),
  ])('has a sentence for members, without what only the log should hold: %s', ({ userMessage }) => {
    expect(userMessage).toMatch(/\.$/);
    expect(userMessage).not.toMatch(/detail|401|silence/);
    expect(words.notRenewed(userMessage).length).toBeLessThanOrEqual(2_000);
  });
});

describe('"no such card"', () => {
  it('names any id as text, in bold, within a message', () => {
    const anyId = nastyText.map(idOrNothing).filter((id) => id !== undefined);
    fc.assert(
      fc.property(anyId, (id) => {
        const said = words.noSuchCard(id, NOON_MS);
        expect(said.length).toBeLessThanOrEqual(2_000);
        expect(parseMarkdown(said)).toEqual([
          { type: 'text', text: 'There is no card ' },
          { type: 'bold', children: [{ type: 'text', text: expect.any(String) }] },
          { type: 'text', text: ', as of ' },
          { type: 'timestamp', seconds: NOON, style: 'R' },
          { type: 'text', text: '. An id looks like ' },
          { type: 'code', text: 'base1-4' },
          { type: 'text', text: '.' },
        ]);
      }),
      { numRuns: 500 },
    );
  });
});

function idOrNothing(text: string): string | undefined {
  try {
    return parseCardId(text.slice(0, 100));
  } catch {
    return undefined;
  }
}
