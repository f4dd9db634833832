import { expect, it } from 'vitest';
import { isNews, type Noted } from '../../src/operations/alert-notes.ts';

const NOW_MS = 1_000;
const BEGUN: Noted = { isDue: true, isTold: true, untilMs: 2_000 };

it.each<[string, Noted | undefined, isDue: boolean, news: boolean]>([
  ['what begins is news', undefined, true, true],
  ['what was noted before a restart is none', BEGUN, true, false],
  ['nor what another process has told', { ...BEGUN, isTold: false }, true, false],
  ['in the next window it is', { ...BEGUN, untilMs: NOW_MS }, true, true],
  ['that it is over is news', BEGUN, false, true],
  ['once', { ...BEGUN, isDue: false }, false, false],
  ['what begins again is', { ...BEGUN, isDue: false }, true, true],
])('%s', (_, before, isDue, news) => {
  expect(isNews(before, isDue, NOW_MS)).toBe(news);
});
