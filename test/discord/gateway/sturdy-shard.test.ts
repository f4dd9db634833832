import { expect, it } from 'vitest';
import { OddFrames } from '../../../src/discord/gateway/sturdy-shard.ts';
import { logLines } from '../../support/log-lines.ts';

it('logs the first dropped frame at once, and the number of later ones once a minute', () => {
  const { log, lines } = logLines();
  let nowMs = 0;
  const oddFrames = new OddFrames(log, () => nowMs);
  const dropAt = (atMs: number) => {
    nowMs = atMs;
    oddFrames.drop({ shard: 0, odd: 'a second HELLO' });
  };

  for (const atMs of [0, 1, 59_999, 60_000, 60_001]) dropAt(atMs);

  expect(lines.map(({ msg, odd, dropped }) => [msg, odd, dropped])).toEqual([
    ['odd gateway frame dropped', 'a second HELLO', 1],
    ['odd gateway frame dropped', 'a second HELLO', 3],
  ]);
});
