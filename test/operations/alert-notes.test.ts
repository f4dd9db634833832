import { expect, it } from 'vitest';
import { type Noted, noteAlert } from '../../src/operations/alert-notes.ts';

const NOW_MS = 1_000;
const LATER_MS = 2_000;
const BEGUN: Noted = { isDue: true, isTold: true, isRecorded: true, untilMs: LATER_MS };
const OTHERS: Noted = { ...BEGUN, isTold: false };
const ALONE: Noted = { ...BEGUN, isRecorded: false };
const OVER: Noted = { ...BEGUN, isDue: false };

it.each<[string, Noted | undefined, isDue: boolean, isFirst: boolean | undefined, tells: boolean]>([
  ['what begins and nobody has told is told', undefined, true, true, true],
  ['what another process has told is not', undefined, true, false, false],
  ['what begins is told when nobody can be asked', undefined, true, undefined, true],
  ['what was told before a restart is not told again', BEGUN, true, undefined, false],
  ['nor once it is recorded', ALONE, true, true, false],
  ['nor when it was told by another process', OTHERS, true, undefined, false],
  ['in the next window it is', { ...BEGUN, untilMs: NOW_MS }, true, true, true],
  ['what is not due at the first look is no news', undefined, false, false, false],
  ['nor when nobody can be asked', undefined, false, undefined, false],
  ['what a process before has told is over', undefined, false, true, true],
  ['what is over is told by the first to notice', BEGUN, false, true, true],
  ['what is over is told once', BEGUN, false, false, false],
  ['what was told alone is over although nobody else knows of it', ALONE, false, false, true],
  ['whoever told the beginning tells the end when nobody can be asked', BEGUN, false, undefined, true],
  ['and nobody else', OTHERS, false, undefined, false],
  ['an end that was told alone is not told again', { ...OVER, isRecorded: false }, false, true, false],
  ['an end that could not be told is told later', { ...OVER, isTold: false, isRecorded: false }, false, true, true],
  ['what begins again is told again', OVER, true, true, true],
])('%s', (_, before, isDue, isFirst, tells) => {
  const { tells: isTold, noted } = noteAlert(before, { isDue, untilMs: LATER_MS, nowMs: NOW_MS }, isFirst);
  expect(isTold).toBe(tells);
  expect(noted).toMatchObject({ isDue, isRecorded: isFirst !== undefined });
});
