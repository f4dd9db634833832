import fc from 'fast-check';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { parseCardId } from '../../src/model/card-id.ts';
import {
  BudgetSpent,
  Busy,
  InvalidCardId,
  KeptInReserve,
  KeyRefused,
  QuotaSpent,
  RateLimited,
  ServiceDown,
  Stopping,
  TooManyCommands,
  UnexpectedAnswer,
} from '../../src/model/errors.ts';
import { fromTime } from '../../src/render/times.ts';
import { words } from '../../src/render/words.ts';
import { parseMarkdown } from '../../src/sandbox/page/markdown.ts';
import { nastyText } from './service-answers.ts';

const NOON_MS = Date.UTC(2026, 10, 20, 12);
const NOON = NOON_MS / 1000;

describe('a time to come in a sentence', () => {
  const HOUR_MS = 3_600_000;

  it.each<[string, number, string]>([
    ['is a clock time', HOUR_MS, `at <t:${NOON + 3_600}:t>`],
    [
      'is a full minute, since a clock time shows no seconds and nobody should come too early',
      1_001,
      `at <t:${NOON + 60}:t>`,
    ],
    [
      'is not a minute later for the part of a second that a Date header leaves open',
      3_600_999,
      `at <t:${NOON + 3_600}:t>`,
    ],
    ['has no date when it is 20 hours away', 20 * HOUR_MS, `at <t:${NOON + 72_000}:t>`],
    ['has a date when it is further away', 20 * HOUR_MS + 1_001, `on <t:${NOON + 72_060}:f>`],
    ['is "now" once it is past', 0, 'now'],
    ['is "now" long after it, too', -HOUR_MS, 'now'],
  ])('%s', (_, awayMs, said) => {
    expect(fromTime(NOON_MS + awayMs, NOON_MS)).toBe(said);
  });

  it('is for a turn the minute in which it comes', () => {
    expect(words.permit(NOON_MS + 1)).toBe(`Your turn comes at <t:${NOON + 1}:t>.`);
  });

  it('is read with the sentence around it', () => {
    vi.useFakeTimers({ now: NOON_MS });
    onTestFinished(() => void vi.useRealTimers());
    expect(new QuotaSpent(NOON_MS + HOUR_MS).userMessage).toMatch(/They come back at <t:\d+:t>\.$/);
    expect(new Busy(NOON_MS + HOUR_MS, false).userMessage).toMatch(/Ask again at <t:\d+:t>\.$/);
    expect(new ServiceDown('silence', { untilMs: NOON_MS + 1 }).userMessage).toMatch(/Try again at <t:\d+:t>\.$/);
    expect(new QuotaSpent(NOON_MS + 23 * HOUR_MS).userMessage).toMatch(/They come back on <t:\d+:f>\.$/);
  });
});

it('a moment that is past is never shown as one to come', () => {
  expect(words.noSuchCard('a', NOON_MS + 999)).toContain(`as of <t:${NOON}:R>`);
});

describe('every error', () => {
  it.each([
    new QuotaSpent(NOON_MS),
    new Busy(NOON_MS, false),
    new Busy(NOON_MS, true),
    new KeptInReserve(NOON_MS),
    new BudgetSpent('member', 100, NOON_MS),
    new BudgetSpent('server', 100, NOON_MS),
    new KeyRefused(401),
    new ServiceDown('silence'),
    new ServiceDown('silence', { untilMs: NOON_MS }),
    new UnexpectedAnswer('name: secret detail'),
    new RateLimited({ seconds: 5, source: 'body' }),
    new Stopping(),
    new TooManyCommands(NOON_MS),
    new InvalidCardId('it is empty'),
  ])('has a sentence for members, without what only the log should hold: %s', ({ userMessage }) => {
    expect(userMessage).toMatch(/\.$/);
    expect(userMessage).not.toMatch(/detail|401|silence/);
    expect(userMessage).not.toContain(':R>'); // counts down to what is past for ever
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
