import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Question, SearchQueue } from '../../src/catalog/search-queue.ts';

const LONG_MS = 50_000;
const by = (memberId: string, text: string, kind: Question['kind'] = 'search'): Question => ({
  ...{ kind, text },
  who: { memberId, guildId: undefined },
});

function startQueue() {
  const run: string[] = [];
  const queue = new SearchQueue(({ text }) => void run.push(text));
  queue.freed();
  const ask = (question: Question, limitMs = LONG_MS) => queue.ask<string>(question, Date.now() + limitMs);
  return { run, queue, ask };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('the queue of searches', () => {
  it('runs nothing before the worker has begun', () => {
    const run = vi.fn();
    const queue = new SearchQueue(run);
    void queue.ask(by('a', 'a1'));
    expect(run).not.toHaveBeenCalled();
    queue.freed();
    expect(run).toHaveBeenCalledOnce();
  });

  it('runs one at a time, and of one member only the newest that waits', async () => {
    const { run, queue, ask } = startQueue();
    const answers = [by('a', 'a1'), by('a', 'a2', 'searchInList'), by('b', 'b1'), by('a', 'a3')].map((each) =>
      ask(each),
    );
    expect(run).toEqual(['a1']);
    for (const text of ['one', 'two', 'three']) queue.freed(text);
    expect(run).toEqual(['a1', 'b1', 'a3']);
    expect(await Promise.all(answers)).toEqual(['one', undefined, 'two', 'three']);
  });

  it('replaces no text that is to be resolved', async () => {
    const { run, queue, ask } = startQueue();
    const answers = [by('a', 'r1', 'resolve'), by('a', 'r2', 'resolve'), by('a', 'a1')].map((each) => ask(each));
    for (const text of ['one', 'two', 'three']) queue.freed(text);
    expect(run).toEqual(['r1', 'r2', 'a1']);
    expect(await Promise.all(answers)).toEqual(['one', 'two', 'three']);
  });

  it('runs what means something before searches', async () => {
    const { run, queue, ask } = startQueue();
    const answers = [by('a', 'a1'), by('b', 'b1'), by('c', 'm1', 'mentions'), by('d', 'r1', 'resolve')].map((each) =>
      ask(each),
    );
    for (const text of ['one', 'two', 'three', 'four']) queue.freed(text);
    expect(run).toEqual(['a1', 'm1', 'r1', 'b1']);
    expect(await Promise.all(answers)).toEqual(['one', 'four', 'two', 'three']);
  });

  it('runs the lines of a long list after what anybody types', async () => {
    const { run, queue, ask } = startQueue();
    const all = [by('a', 'a1'), by('b', 'l1', 'resolveLines'), by('b', 'l2', 'resolveLines'), by('c', 'c1')];
    const answers = [...all, by('d', 'r1', 'resolve')].map((each) => ask(each));
    for (const text of ['one', 'two', 'three', 'four', 'five']) queue.freed(text);
    expect(run).toEqual(['a1', 'r1', 'c1', 'l1', 'l2']);
    expect(await Promise.all(answers)).toEqual(['one', 'four', 'five', 'three', 'two']);
  });

  it('gives up on a late answer, and does not run what is late before it begins', async () => {
    const { run, queue, ask } = startQueue();
    const running = ask(by('a', 'a1'), 50);
    const late = ask(by('b', 'b1'), 20);
    vi.advanceTimersByTime(50);
    expect(await Promise.all([running, late])).toEqual([undefined, undefined]);
    const next = ask(by('c', 'c1'));
    queue.freed('too late');
    queue.freed('in time');
    expect([await next, run]).toEqual(['in time', ['a1', 'c1']]);
  });

  it('gives up after a second and a half where nobody says when', async () => {
    const { queue } = startQueue();
    const ended: string[] = [];
    void queue.ask(by('a', 'r1', 'resolve')).then(() => ended.push('resolve'));
    await vi.advanceTimersByTimeAsync(1_499);
    expect(ended).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(ended).toEqual(['resolve']);
  });

  it('ends all that waits when the worker is gone, and begins anew', async () => {
    const { run, queue, ask } = startQueue();
    const answers = [ask(by('a', 'a1')), ask(by('b', 'b1'))];
    queue.abandon();
    queue.freed();
    expect(await Promise.all(answers)).toEqual([undefined, undefined]);
    const next = ask(by('a', 'a2'));
    queue.freed('again');
    expect([await next, run]).toEqual(['again', ['a1', 'a2']]);
  });
});
