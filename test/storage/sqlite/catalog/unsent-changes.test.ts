import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { CatalogChange } from '../../../../src/storage/sqlite/catalog/messages.ts';
import { UnsentChanges } from '../../../../src/storage/sqlite/catalog/unsent-changes.ts';
import { onFinished } from '../../../support/on-finished.ts';

let sent: string[];
let changes: UnsentChanges;
beforeEach(() => {
  vi.useFakeTimers();
  onFinished(() => vi.useRealTimers());
  sent = [];
  changes = new UnsentChanges((those) => sent.push(idsOf(those)));
});

const change = (id: string): CatalogChange => ({ kind: 'deny', id, isKept: false });
const idsOf = (those: readonly CatalogChange[]) => those.map((each) => (each.kind === 'deny' ? each.id : '')).join(' ');

function add(...ids: string[]): void {
  for (const id of ids) changes.add(change(id));
}

function opened(): void {
  changes.workerStarted();
  changes.workerOpened();
}

describe('changes for the worker', () => {
  it('of 50 ms go together', () => {
    opened();
    add('a', 'b');
    vi.advanceTimersByTime(49);
    expect(sent).toEqual([]);
    vi.advanceTimersByTime(1);
    add('c');
    vi.advanceTimersByTime(50);

    expect(sent).toEqual(['a b', 'c']);
  });

  it('go at once, and once, before something that has to know of them', () => {
    opened();
    add('a');
    changes.flush();
    vi.advanceTimersByTime(50);

    expect(sent).toEqual(['a']);
  });

  it('are sent again to the next worker until one has opened its file', () => {
    add('a');
    changes.workerStarted();
    add('b');
    vi.advanceTimersByTime(50);
    changes.workerEnded();
    opened();
    changes.workerEnded();
    opened();

    expect(sent).toEqual(['a', 'b', 'a b']);
    expect(changes.isEmpty).toBe(true);
  });

  it('that a worker was not sent yet when it ends go to the next', () => {
    opened();
    add('a');
    changes.workerEnded();
    add('b');
    opened();
    vi.advanceTimersByTime(50);

    expect(sent).toEqual(['a b']);
  });

  it('that wait for a file are the newest 1,000', () => {
    add(...Array.from({ length: 1_001 }, (_, index) => `${index}`));
    vi.advanceTimersByTime(50); // there is no worker yet
    sent = [];
    changes.workerStarted();

    expect(sent[0]?.split(' ')).toHaveLength(1_000);
    expect(sent[0]).toMatch(/^1 2 .* 1000$/);
  });
});
