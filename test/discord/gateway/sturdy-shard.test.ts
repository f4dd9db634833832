import { expect, it } from 'vitest';
import { OddFrames } from '../../../src/discord/gateway/sturdy-shard.ts';
import { logLines } from '../../support/log-lines.ts';

it('logs the first dropped frame at once, and the number of later ones once a minute', () => {
  const { log, lines } = logLines();
  let nowMs = 0;
  const oddFrames = new OddFrames(log, () => nowMs);
  const dropAt = (atMs: number) => {
    nowMs = atMs;
    oddFrames.drop(0, new TypeError('not iterable'));
  };

  for (const atMs of [0, 1, 59_999, 60_000, 60_001]) dropAt(atMs);

  expect(lines).toMatchObject([
    { msg: 'odd gateway frame dropped', err: { message: 'not iterable' }, dropped: 1 },
    { msg: 'odd gateway frame dropped', dropped: 3 },
  ]);
});
