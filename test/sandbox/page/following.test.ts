import { expect, it } from 'vitest';
import { followedTopPx, followsAfterScroll } from '../../../sandbox/page/following.ts';

it.each([
  ['stays with the end that it was brought to', true, { beforePx: 100, topPx: 500, toEndPx: 0 }, true],
  ['stays when an image moved the end before its scroll', true, { beforePx: 100, topPx: 500, toEndPx: 400 }, true],
  ['stays for a nudge', true, { beforePx: 500, topPx: 450, toEndPx: 50 }, true],
  ['ends when the reader scrolls up', true, { beforePx: 500, topPx: 300, toEndPx: 200 }, false],
  ['stays when a message is drawn anew', true, { beforePx: 500, topPx: 490, toEndPx: 200, isResized: true }, true],
  ['does not begin again half way down', false, { beforePx: 100, topPx: 300, toEndPx: 200 }, false],
  ['begins again near the end', false, { beforePx: 300, topPx: 450, toEndPx: 50 }, true],
  ['stays when the chat became shorter', true, { beforePx: 500, topPx: 200, toEndPx: 0 }, true],
])('following the newest message %s', (_, following, scrolled, after) => {
  expect(followsAfterScroll({ following, isResized: false, ...scrolled })).toBe(after);
});

it.each([
  ['the end of a newest message that fits the view', { newestPx: 900, endPx: 700 }, 700],
  ['the top of one that is higher than the view', { newestPx: 500, endPx: 700 }, 500],
  ['everything while nothing has to be scrolled', { newestPx: 40, endPx: 0 }, 0],
])('who follows the chat sees %s', (_, where, topPx) => {
  expect(followedTopPx(where)).toBe(topPx);
});
