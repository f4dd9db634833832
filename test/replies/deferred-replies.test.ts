import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { CardRecord } from '../../src/model/card.ts';
import { KeyRefused } from '../../src/model/errors.ts';
import { type CommandEvent, Events, type EventsByName } from '../../src/model/events.ts';
import type { Message } from '../../src/model/message.ts';
import { CommandReplies } from '../../src/replies/command-replies.ts';
import type { CardsReply, CompleteResult, EditResult } from '../../src/replies/reply-ports.ts';
import { asGiven, type GivenCard } from '../lookup/lookups-of.ts';
import { logLines } from '../support/log-lines.ts';
import { NOON_MS } from '../support/lookup-queue.ts';
import { askedFor, deferredReply, NO_JOURNAL } from './replies-over.ts';

type StartLookup = NonNullable<GivenCard['start']>;

const RECORD = { card: undefined, fetchedAtMs: 0 };
const FOUND = { card: { id: 'a', name: 'A', game: 'T', set: { id: 's', name: 'S' } }, fetchedAtMs: 0 };
const ANSWERED: StartLookup = async ({ onRequest }) => {
  onRequest();
  return RECORD;
};

/** Until what is new was shown. */
const shown = () => new Promise((resolve) => setImmediate(resolve));

type Result = CompleteResult & EditResult;

/** @param results of the edits, in order; the last one repeats, as does the last number of embeds that Discord shows */
function completing(
  results: readonly Result[] = ['shown'],
  err?: unknown,
  { owns = true, holds = true, embeds = [0] as readonly (number | undefined)[], wait = 'shown' as Result } = {},
) {
  vi.useFakeTimers({ now: NOON_MS, toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const steps: string[] = [];
  const ends: CommandEvent[] = [];
  const replySteps: EventsByName['reply']['step'][] = [];
  const events = new Events();
  const seen: EventsByName['shown'][] = [];
  onTestFinished(events.subscribe('shown', (event) => void seen.push(event)));
  onTestFinished(events.subscribe('command', (end) => void ends.push(end)));
  onTestFinished(events.subscribe('reply', ({ step }) => void replySteps.push(step)));
  const message = { content: 'an answer', embeds: [{}] };
  let edits = 0;
  const courses: GivenCard[] = [];
  let takesOver: (reply: CardsReply) => void = () => {};
  const sent: unknown[] = [];
  /** Of each answer that was rendered, whether for its member alone, as far as that was said. */
  const rendered: (boolean | undefined)[] = [];
  let reads = 0;
  const edit = async (_: unknown, shown: Message) => {
    if (shown.content?.startsWith('wait')) {
      steps.push(shown.content);
      return wait;
    }
    sent.push(shown);
    const result = results[Math.min(edits++, results.length - 1)] ?? 'shown';
    steps.push(result);
    return result;
  };
  const replies = new CommandReplies({
    lookups: asGiven(courses),
    log: logLines().log,
    journal: {
      ...NO_JOURNAL,
      keeps: async () => true,
      owns: () => owns,
      holds: () => holds,
      ended: async () => void steps.push('removed'),
      takeOver: (complete) => {
        takesOver = complete;
      },
    },
    sender: {
      reply: async () => ({ shown: true }),
      defer: async () => ({ shown: true }),
      edit,
      complete: edit,
      deleteSource: async () => ({}),
      delete: async () => true,
      async read() {
        const count = embeds[Math.min(reads++, embeds.length - 1)];
        return count === undefined
          ? undefined
          : { content: count > 0 ? message.content : '', embeds: Array(count).fill({}) };
      },
    },
    async render(_, { cards, permitAtMs }, isPrivate) {
      rendered.push(isPrivate);
      if (cards[0] === undefined) return { message: { content: `wait until ${Number(permitAtMs) - Date.now()}` } };
      return { message, ...(err !== undefined && { err }) };
    },
    events,
  });
  replies.takeOver();
  const complete = async (
    given: GivenCard[],
    { isTakenOver = false, ...more }: Partial<CardsReply> & { isTakenOver?: boolean } = {},
  ) => {
    courses.splice(0, courses.length, ...given);
    const reply = deferredReply({ asked: askedFor(...Object.keys(given)), ...more });
    if (isTakenOver) void takesOver(reply);
    else await replies.answer(reply, reply.asked);
    await replies.settled();
  };
  return { complete, replies, steps, ends, replySteps, seen, sent, rendered, message };
}

it.each([
  ['all are there', [FOUND, FOUND], false],
  ['one is not', [FOUND, RECORD], false],
  ['none is', [RECORD, RECORD], true],
])('an answer at once of two cards is for its member alone where no card is: %s', async (_, copies, isPrivate) => {
  const { complete, rendered, ends } = completing();
  await complete(copies.map((copy) => ({ copy })));
  expect(rendered).toEqual([isPrivate]);
  expect(ends).toMatchObject([{ outcome: 'answered' }]);
});

it('an answer at once that a command cannot render is logged as broken', async () => {
  const err = new TypeError('a bug');
  const { complete, ends } = completing(['shown'], err);
  await complete([{ copy: FOUND }]);
  expect(ends).toMatchObject([{ outcome: 'broken', err }]);
});

describe('a deferred reply', () => {
  it('shows the wait, then the answer, and only then leaves the journal', async () => {
    const { complete, steps, ends, replySteps, seen } = completing();
    const start: StartLookup = async ({ onSchedule, onRequest }) => {
      onSchedule(Date.now() + 60_000);
      await shown();
      onRequest();
      return RECORD;
    };

    await complete([{ start }]);

    expect(steps).toEqual(['wait until 60000', 'shown', 'removed']);
    expect(ends).toMatchObject([{ command: 'card', memberId: 'alice', outcome: 'answered', source: 'service' }]);
    expect(replySteps).toEqual(['deferred', 'completed']);
    expect(seen).toMatchObject([{ isPrivate: false }]);
  });

  it.each<[string, StartLookup, object]>([
    ['a request', ANSWERED, { outcome: 'answered', source: 'service' }],
    ['no request', async () => RECORD, { outcome: 'answered', source: 'cache' }],
    ['an error', () => Promise.reject(new KeyRefused({ status: 401 })), { outcome: 'KeyRefused', source: 'bot' }],
  ])('after %s ends with its outcome and source', async (_, start, end) => {
    const { complete, ends } = completing();
    await complete([{ start }]);
    expect(ends).toMatchObject([end]);
  });

  it('of a list waited for its first request, and is logged with how many cards came', async () => {
    const { complete, ends } = completing();
    const card = { id: 'a', name: 'A', game: 'T', set: { id: 's', name: 'S' } };
    const requested = (waitMs: number, end: () => Promise<CardRecord>): GivenCard => ({
      start: async ({ onRequest }) => {
        vi.setSystemTime(NOON_MS + waitMs);
        onRequest();
        return end();
      },
    });
    const found = requested(7_000, async () => ({ ...RECORD, card }));
    const failed = requested(9_000, () => Promise.reject(new KeyRefused({ status: 401 })));
    await complete([found, failed], { receivedAtMs: NOON_MS });
    await complete([failed, { refusal: new KeyRefused({ status: 401 }) }], { receivedAtMs: NOON_MS });
    expect(ends).toMatchObject([
      { outcome: 'answered', source: 'service', shown: 1, asked: 2, waitMs: 7_000, tookMs: 9_000 },
      { outcome: 'KeyRefused', source: 'service', shown: 0, asked: 2, waitMs: 9_000, tookMs: 9_000 },
    ]);
  });

  it.each<[Result, string, EventsByName['reply']['step']]>([
    ['refused', 'broken', 'completed'],
    ['lost', 'not answered', 'dropped'],
  ])('whose message is %s is sent once, logged as %s, and counts as seen by nobody', async (result, outcome, step) => {
    const { complete, steps, ends, replySteps, seen } = completing([result]);
    await complete([{ start: ANSWERED }]);
    expect(steps).toEqual([result, 'removed']);
    expect(ends).toMatchObject([{ outcome }]);
    expect(replySteps).toEqual(['deferred', step]);
    expect(seen).toEqual([]);
  });

  it('carries the error of a command that cannot render it', async () => {
    const err = new TypeError('a bug');
    const { complete, ends } = completing(['shown'], err);
    await complete([{ start: ANSWERED }]);
    expect(ends).toMatchObject([{ outcome: 'answered', err }]);
  });

  it('sends the same message again a second after Discord could not be reached', async () => {
    const { complete, steps, sent, rendered, message } = completing(['failed', 'shown']);
    const startedMs = performance.now();
    await complete([{ start: ANSWERED }]);
    expect(performance.now() - startedMs).toBeGreaterThan(990);
    expect(steps).toEqual(['failed', 'shown', 'removed']);
    expect([sent, rendered.length]).toEqual([[message, message], 1]);
  });

  it('is dropped when the next try would be past the deadline', async () => {
    const { complete, steps, ends } = completing(['failed']);
    await complete([{ start: ANSWERED }], { deadlineMs: Date.now() + 999 });
    expect(steps).toEqual(['failed', 'removed']);
    expect(ends).toMatchObject([{ outcome: 'too late', source: 'bot', waitMs: 0 }]);
  });

  it('stays in the journal when its process stops between two tries', async () => {
    const { complete, replies, steps, ends } = completing(['failed']);
    const done = complete([{ start: ANSWERED }]);
    await vi.waitFor(() => expect(steps).toEqual(['failed']));
    await replies.close();
    await done;
    expect(steps).toEqual(['failed']);
    expect(ends).toEqual([]);
  });

  const waiting: StartLookup = async ({ onSchedule }) => {
    onSchedule(Date.now() + 60_000);
    await shown();
    throw new KeyRefused({ status: 401 });
  };

  it.each([
    { when: 'is certain to be the only one', owns: true, isTakenOver: false },
    { when: 'was not always the only one, and finds no answer', owns: false, isTakenOver: false, embeds: [0] },
    { when: 'took it over, and finds no answer', owns: true, isTakenOver: true, embeds: [0] },
    { when: 'took it over, and could not look at it at first', owns: true, isTakenOver: true, embeds: [undefined, 0] },
  ])('that $when shows what it has', async ({ owns, isTakenOver, embeds = [1] }) => {
    const { complete, steps } = completing(['shown'], undefined, { owns, embeds });
    await complete([{ start: waiting }], { isTakenOver });
    expect(steps).toEqual(['wait until 60000', 'shown', 'removed']);
  });

  describe('whose wait Discord has not confirmed', () => {
    it.each([
      { embeds: 0, what: 'is shown once more when the wait came after the answer', again: ['shown'] },
      { embeds: 1, what: 'stays as it is when it did not', again: [] },
    ])('$what', async ({ embeds, again }) => {
      const { complete, steps } = completing(['shown'], undefined, { embeds: [embeds], wait: 'failed' });
      vi.useFakeTimers({ now: NOON_MS, toFake: ['Date', 'setTimeout', 'clearTimeout'] });
      const done = complete([{ start: waiting }]);
      await vi.waitFor(() => expect(steps).toContain('shown'));
      await vi.advanceTimersByTimeAsync(10_000);
      await done;
      expect(steps).toEqual(['wait until 60000', 'shown', ...again, 'removed']);
    });
  });

  it.each([
    { what: 'wait', courses: [{ start: waiting }] },
    { what: 'first cards', courses: [{ copy: RECORD }, { start: waiting }] },
  ])('that another process may be completing shows no $what, which could come after its answer', async (each) => {
    const { complete, steps } = completing(['shown'], undefined, { owns: false, holds: false });
    await complete(each.courses);
    expect(steps).toEqual(['shown', 'removed']);
  });

  it('replaces nothing as long as Discord does not say what it shows', async () => {
    const embeds = [undefined, undefined, 1];
    const { complete, steps, replySteps } = completing(['shown'], undefined, { owns: false, embeds });
    await complete([{ start: waiting }]);
    expect(steps).toEqual(['removed']);
    expect(replySteps).toEqual(['deferred', 'dropped']);
  });

  it('of two cards that has shown one itself does not replace the two of another process', async () => {
    const { complete, steps } = completing(['shown'], undefined, { owns: false, embeds: [0, 2] });
    await complete([{ copy: RECORD }, { start: waiting }]);
    expect(steps).toEqual(['shown', 'removed']);
  });

  it('is completed and logged when what it shows is an edit that Discord has not confirmed', async () => {
    const { complete, steps, ends } = completing(['failed', 'shown'], undefined, { owns: false, embeds: [0, 1] });
    await complete([{ start: ANSWERED }]);
    expect(steps).toEqual(['failed', 'removed']);
    expect(ends).toMatchObject([{ outcome: 'answered' }]);
  });

  it.each([
    { embeds: [1], ends: ['shown', 'removed'], step: 'completed' },
    { embeds: [2], ends: ['removed'], step: 'dropped' },
  ])('of two cards that took it over with $embeds embed(s) is $step', async ({ embeds, ends, step }) => {
    const { complete, steps, replySteps } = completing(['shown'], undefined, { embeds });
    await complete([{ start: ANSWERED }, { copy: RECORD }], { isTakenOver: true });
    expect(steps.filter((each) => !each.startsWith('wait'))).toEqual(ends);
    expect(replySteps).toEqual(['taken over', step]);
  });

  it('of a pasted list, which is one embed, replaces none of another process', async () => {
    const { complete, replySteps } = completing(['shown'], undefined, { embeds: [0, 1] });
    const list = { id: 'list', ceiling: 9 };
    await complete([{ start: ANSWERED }, { copy: RECORD }], {
      isTakenOver: true,
      asked: { ...askedFor('a', 'b'), list },
    });
    expect(replySteps).toEqual(['taken over', 'dropped']);
  });

  it.each([
    { when: 'may not be the only one', owns: false, isTakenOver: false },
    { when: 'took it over', owns: true, isTakenOver: true },
    { when: 'took it over before that came', owns: true, isTakenOver: true, embeds: [0, 1] },
  ])('that $when replaces no answer of another, neither by a wait nor by its end', async (each) => {
    const { owns, isTakenOver, embeds = [1] } = each;
    const { complete, steps, ends, replySteps } = completing(['shown'], undefined, { owns, embeds });
    await complete([{ start: waiting }], { isTakenOver });
    expect(steps).toEqual(['removed']);
    expect(ends).toEqual([]);
    expect(replySteps.at(-1)).toBe('dropped');
  });
});
