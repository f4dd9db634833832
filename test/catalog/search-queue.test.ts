import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Question, SearchQueue } from '../../src/catalog/search-queue.ts';
import { table } from '../table.ts';

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
  it.each(table`
    one at a time, of one member only the newest that waits | a search, a searchInList, b search, a search | 1 3 4
    every text that is to be resolved | a resolve, a resolve, a search | 1 2 3
    what means something before searches | a search, b search, c mentions, d resolve | 1 3 4 2
    a long list after what is typed | a search, b resolveLines, b resolveLines, c search, d resolve | 1 5 4 2 3
  `)('runs %s: of %s, %s', async (_, asked, order) => {
    const { run, queue, ask } = startQueue();
    const questions = asked.split(', ').map((each, at) => {
      const [member = '', kind] = each.split(' ');
      return by(member, `${at + 1}`, kind as Question['kind']);
    });
    const answers = questions.map((each) => ask(each));
    expect(run).toEqual(['1']);
    for (const text of run) queue.freed(`to ${text}`); // which runs the next
    expect(run.join(' ')).toBe(order);
    const found = questions.map(({ text }) => (run.includes(text) ? `to ${text}` : undefined));
    expect(await Promise.all(answers)).toEqual(found);
  });

  it('gives up after a second and a half where nobody says when', async () => {
    const { queue } = startQueue();
    const ended = vi.fn();
    void queue.ask(by('a', 'r1', 'resolve')).then(ended);
    await vi.advanceTimersByTimeAsync(1_499);
    expect(ended).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(ended).toHaveBeenCalledWith(undefined);
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
});
