import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { ListedLookup } from '../../src/lookup/list-lookup.ts';
import type { CardRecord } from '../../src/model/card.ts';
import { KeyRefused } from '../../src/model/errors.ts';
import { type CommandEvent, Events, type ReplyEvent } from '../../src/model/events.ts';
import { Completion, type StartLookup } from '../../src/replies/completion.ts';
import type { CompleteResult } from '../../src/replies/deferred-reply.ts';
import { NOON_MS } from '../support/lookup-queue.ts';
import { deferredReply } from './replies-over.ts';

const RECORD = { card: undefined, fetchedAtMs: 0 };
const ANSWERED: StartLookup = async ({ onRequest }) => {
  onRequest();
  return RECORD;
};

/** @param results of the edits, in order; the last one repeats */
function completing(
  results: readonly CompleteResult[] = ['shown'],
  err?: unknown,
  { owns = true, hasEmbed = false } = {},
) {
  vi.useFakeTimers({ now: NOON_MS, toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const steps: string[] = [];
  const ends: CommandEvent[] = [];
  const replySteps: ReplyEvent['step'][] = [];
  const events = new Events();
  onTestFinished(events.subscribe('command', (end) => void ends.push(end)));
  onTestFinished(events.subscribe('reply', ({ step }) => void replySteps.push(step)));
  const message = { content: 'an answer' };
  let edits = 0;
  const sent: unknown[] = [];
  const completion = new Completion({
    journal: {
      add: async () => true,
      keeps: async () => true,
      owns: () => owns,
      remove: async () => void steps.push('removed'),
      takeOver() {},
      close: async () => {},
    },
    editor: {
      defer: async () => ({ shown: true }),
      showWait: async (_, permitAtMs) => void steps.push(`wait until ${permitAtMs - Date.now()}`),
      async complete(_, shown) {
        sent.push(shown);
        const result = results[Math.min(edits++, results.length - 1)] ?? 'shown';
        steps.push(result);
        return result;
      },
      hasEmbed: async () => hasEmbed,
    },
    render: () => ({ message, ...(err !== undefined && { err }) }),
    events,
  });
  return { completion, steps, ends, replySteps, sent, message };
}

describe('a completion', () => {
  it('shows the wait, then the answer, and only then leaves the journal', async () => {
    const { completion, steps, ends, replySteps } = completing();
    const start: StartLookup = async ({ onSchedule, onRequest }) => {
      onSchedule(Date.now() + 60_000);
      await Promise.resolve();
      onRequest();
      return RECORD;
    };

    await completion.complete(deferredReply(), start);

    expect(steps).toEqual(['wait until 60000', 'shown', 'removed']);
    expect(ends).toMatchObject([{ command: 'card', memberId: 'alice', outcome: 'answered', source: 'service' }]);
    expect(replySteps).toEqual(['completed']);
  });

  it.each<[string, StartLookup, object]>([
    ['a request', ANSWERED, { outcome: 'answered', source: 'service' }],
    ['no request', async () => RECORD, { outcome: 'answered', source: 'cache' }],
    ['an error', () => Promise.reject(new KeyRefused({ status: 401 })), { outcome: 'KeyRefused', source: 'bot' }],
  ])('after %s ends with its outcome and source', async (_, start, end) => {
    const { completion, ends } = completing();
    await completion.complete(deferredReply(), start);
    expect(ends).toMatchObject([end]);
  });

  it('of a list waited for its first request, and is logged with how many cards came', async () => {
    const { completion, ends } = completing();
    const card = { id: 'a', name: 'A', game: 'T', set: { id: 's', name: 'S' } };
    const requested = (waitMs: number, end: () => Promise<CardRecord>): ListedLookup => ({
      start: async ({ onRequest }) => {
        vi.setSystemTime(NOON_MS + waitMs);
        onRequest();
        return end();
      },
    });
    const found = requested(7_000, async () => ({ ...RECORD, card }));
    const failed = requested(9_000, () => Promise.reject(new KeyRefused({ status: 401 })));
    await completion.complete(deferredReply({ receivedAtMs: NOON_MS }), [found, failed]);
    await completion.complete(deferredReply({ receivedAtMs: NOON_MS }), [
      failed,
      { refusal: new KeyRefused({ status: 401 }) },
    ]);
    expect(ends).toMatchObject([
      { outcome: 'answered', source: 'service', shown: 1, asked: 2, waitMs: 7_000 },
      { outcome: 'KeyRefused', source: 'service', shown: 0, asked: 2, waitMs: 9_000 },
    ]);
  });

  it.each<[CompleteResult, string, ReplyEvent['step']]>([
    ['replaced', 'broken', 'completed'],
    ['lost', 'not answered', 'dropped'],
  ])('whose message is %s is sent once and logged as %s', async (result, outcome, step) => {
    const { completion, steps, ends, replySteps } = completing([result]);
    await completion.complete(deferredReply(), ANSWERED);
    expect(steps).toEqual([result, 'removed']);
    expect(ends).toMatchObject([{ outcome }]);
    expect(replySteps).toEqual([step]);
  });

  it('carries the error of a command that cannot render it', async () => {
    const err = new TypeError('a bug');
    const { completion, ends } = completing(['shown'], err);
    await completion.complete(deferredReply(), ANSWERED);
    expect(ends).toMatchObject([{ outcome: 'answered', err }]);
  });

  it('sends the same message again a second after Discord could not be reached', async () => {
    const { completion, steps, sent, message } = completing(['failed', 'shown']);
    const startedMs = performance.now();

    await completion.complete(deferredReply(), ANSWERED);

    expect(performance.now() - startedMs).toBeGreaterThan(990);
    expect(steps).toEqual(['failed', 'shown', 'removed']);
    expect(sent).toEqual([message, message]);
  });

  it('is dropped when the next try would be past the deadline', async () => {
    const { completion, steps, ends } = completing(['failed']);
    await completion.complete(deferredReply({ deadlineMs: Date.now() + 999 }), ANSWERED);
    expect(steps).toEqual(['failed', 'removed']);
    expect(ends).toMatchObject([{ outcome: 'too late', source: 'bot', waitMs: 0 }]);
  });

  it('stays in the journal when its process stops between two tries', async () => {
    const { completion, steps, ends } = completing(['failed']);
    const done = completion.complete(deferredReply(), ANSWERED);
    await vi.waitFor(() => expect(steps).toEqual(['failed']));
    completion.close();
    await done;
    expect(steps).toEqual(['failed']);
    expect(ends).toEqual([]);
  });

  const waiting: StartLookup = async ({ onSchedule }) => {
    onSchedule(Date.now() + 60_000);
    throw new KeyRefused({ status: 401 });
  };

  it.each([
    { when: 'is certain to be the only one', owns: true, isTakenOver: false },
    { when: 'may not be the only one, and finds no answer', owns: false, isTakenOver: false, hasEmbed: false },
    { when: 'took it over, and finds no answer', owns: true, isTakenOver: true, hasEmbed: false },
  ])('that $when shows what it has', async ({ owns, isTakenOver, hasEmbed = true }) => {
    const { completion, steps } = completing(['shown'], undefined, { owns, hasEmbed });
    await completion.complete(deferredReply(), waiting, isTakenOver);
    expect(steps).toEqual(['wait until 60000', 'shown', 'removed']);
  });

  it.each([
    { when: 'may not be the only one', owns: false, isTakenOver: false },
    { when: 'took it over', owns: true, isTakenOver: true },
  ])('that $when replaces no answer of another, neither by a wait nor by its end', async ({ owns, isTakenOver }) => {
    const { completion, steps, ends, replySteps } = completing(['shown'], undefined, { owns, hasEmbed: true });
    await completion.complete(deferredReply(), waiting, isTakenOver);
    expect(steps).toEqual(['removed']);
    expect(ends).toEqual([]);
    expect(replySteps).toEqual(['dropped']);
  });
});
