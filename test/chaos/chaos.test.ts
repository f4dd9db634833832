import { glob, readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { alarmsIn, BUG_MESSAGES } from './alarms.ts';
import { chaosSchedule } from './schedule.ts';

describe('alarmsIn', () => {
  it('reports crashes, bugs and output of Node, and no other line of the log', () => {
    const lines = [
      { level: 'fatal', msg: 'cannot continue' },
      { level: 'error', msg: 'card request failed', err: { type: 'TypeError' } },
      { level: 'error', msg: [...BUG_MESSAGES][0] },
      { level: 'error', msg: 'card request failed', err: { type: 'ServiceDown' } },
      { level: 'info', msg: 'stopped' },
    ].map((line) => JSON.stringify(line));
    const warning = '(node:1) MaxListenersExceededWarning';
    expect(alarmsIn([...lines, warning, ''].join('\n'))).toEqual([...lines.slice(0, 3), warning]);
  });

  it('knows only messages that the bot logs', async () => {
    const files = await Array.fromAsync(glob('src/**/*.ts'));
    const source = (await Promise.all(files.map((file) => readFile(file, 'utf8')))).join('\n');
    expect([...BUG_MESSAGES].filter((message) => !source.includes(`'${message}'`))).toEqual([]);
  });
});

it('plays the same schedule for the same seed', () => {
  expect(chaosSchedule('seed', 10)).toEqual(chaosSchedule('seed', 10));
  expect(chaosSchedule('seed', 10)).not.toEqual(chaosSchedule('other', 10));
});
