import { getEventListeners } from 'node:events';
import { expect, it } from 'vitest';
import {
  CORRECTION,
  type Course,
  type CourseEvent,
  type Effect,
  type Facts,
  next,
  THINKING,
} from '../../src/replies/course.ts';
import { follow } from '../../src/replies/course-driver.ts';

const NOW_MS = 1_000_000;
const QUIET: Facts = {
  ...{ nowMs: NOW_MS, deadlineMs: NOW_MS + 60_000, wanted: 1, cards: 0 },
  ...{ owner: 'this', isDeleted: false, isClosing: false },
};
const ENDED = { cards: 1, end: 'ended' } as const;

type Given = Partial<Extract<Course, { kind: 'thinking' | 'partly' }>>;
const thinking = (more: Given = {}): Course => ({ ...THINKING, ...more }) as Course;
const final = (more: Partial<Extract<Course, { kind: 'final' }>> = {}): Course =>
  ({ ...CORRECTION, as: 'completion', doing: 'look', ...more }) as Course;

const CHANGED: CourseEvent = { kind: 'outcomes' };
const DUE: CourseEvent = { kind: 'due' };
const CLOSING: CourseEvent = { kind: 'closing' };
const edited = (result: Extract<CourseEvent, { kind: 'edited' }>['result']): CourseEvent => ({
  kind: 'edited',
  result,
});
const looked = (ours: number, shown?: number, isSameText = true): CourseEvent => {
  return { kind: 'looked', ours, shown, isSameText };
};
const lookedWhole: CourseEvent = { kind: 'looked', ours: 1, shown: 0, isWhole: true };
const kept = (isKept: boolean): CourseEvent => ({ kind: 'kept', isKept });

const look = (before: Extract<Effect, { kind: 'look' }>['before']): Effect => ({ kind: 'look', before });
const waitMs = (ms: number): Effect => ({ kind: 'wait', untilMs: NOW_MS + ms });
const end = (as: Extract<Effect, { kind: 'end' }>['as']): Effect => ({ kind: 'end', as });
/** Its row stays until whoever may take it over need not look at it. */
const FOLLOWED = { kind: 'end', as: 'shown', isFollowed: true } as const;
const FORGET = { kind: 'forget' } as const;
const COMPLETE = { kind: 'complete' } as const;

const WAITS = { doing: 'wait' } as const;
const EDITS = { doing: 'edit' } as const;
const LATE = { mayComeLate: true } as const;
/** Discord has not confirmed the answer. */
const GIVEN_UP = [looked(1, 0), edited('failed'), DUE].reduce(
  (course, event) => next(course, event, { ...QUIET, ...ENDED }).course,
  final(),
);
const REPETITION = final({ as: 'repetition' });
const UNKNOWN = (event: CourseEvent, leftMs = 60_000) =>
  [final(), event, { ...ENDED, owner: 'unknown', deadlineMs: NOW_MS + leftMs }] as const;
const TOLD = { shown: { cards: 0, isSlow: false, permitAtMs: NOW_MS + 20_000 } };
const ONE_CARD = { cards: 1, isSlow: true, permitAtMs: undefined };

it.each<[string, Course, CourseEvent, Partial<Facts>, Course['kind'], readonly Effect[]]>([
  ['nothing new is not shown', thinking(), CHANGED, {}, 'thinking', []],
  [
    'an answer that is awaited is waited for until it is slow',
    thinking(),
    CHANGED,
    { slowAtMs: NOW_MS + 9 },
    'thinking',
    [waitMs(9)],
  ],
  ['a slow answer is said', thinking(), DUE, { slowAtMs: NOW_MS }, 'thinking', [look('soFar')]],
  ['and once', thinking({ shown: { ...ONE_CARD, cards: 0 } }), DUE, { slowAtMs: NOW_MS }, 'thinking', []],
  ['the time of a permit is shown', thinking(), CHANGED, { permitAtMs: NOW_MS + 9_000 }, 'thinking', [look('soFar')]],
  ['a time that moves by 15 s stays', thinking(TOLD), CHANGED, { permitAtMs: NOW_MS + 35_000 }, 'thinking', []],
  [
    'one that moves by more is shown',
    thinking(TOLD),
    CHANGED,
    { permitAtMs: NOW_MS + 35_001 },
    'thinking',
    [look('soFar')],
  ],
  ['as is one that comes closer', thinking(TOLD), CHANGED, { permitAtMs: NOW_MS + 4_999 }, 'thinking', [look('soFar')]],
  ['but not one that comes 15 s closer', thinking(TOLD), CHANGED, { permitAtMs: NOW_MS + 5_000 }, 'thinking', []],
  ['nor when it is about now: the answer follows', thinking(TOLD), CHANGED, {}, 'thinking', []],
  ['a card is shown', thinking(), CHANGED, { cards: 1 }, 'thinking', [look('soFar')]],
  ['what came during an edit waits for its end', thinking(EDITS), CHANGED, { cards: 1 }, 'thinking', []],
  ['as does a time that comes during it', thinking(EDITS), DUE, { cards: 1 }, 'thinking', []],
  ['what comes within 1.5 s of an edit is shown after it', thinking(WAITS), CHANGED, { cards: 1 }, 'thinking', []],
  ['and then at once', thinking(WAITS), DUE, { cards: 1 }, 'thinking', [look('soFar')]],
  [
    'a card is left to the process that completes the reply',
    thinking(),
    CHANGED,
    { cards: 1, owner: 'unknown' },
    'thinking',
    [waitMs(1_500)],
  ],

  ['what the reply does not show yet is edited in', thinking(), looked(1, 0), {}, 'thinking', [{ kind: 'edit' }]],
  ['what another process shows stays', thinking(), looked(1, 2), {}, 'thinking', [waitMs(1_500)]],
  ['what was shown from here is replaced', thinking({ ours: 2 }), looked(1, 2), {}, 'thinking', [{ kind: 'edit' }]],
  ['a reply that cannot be looked at stays', thinking(), looked(1), {}, 'thinking', [waitMs(1_500)]],
  [
    'a reply that cannot be looked at, at the end, is looked at again',
    thinking(),
    looked(1),
    ENDED,
    'final',
    [look('completion')],
  ],
  ['after an edit it shows a part', thinking(EDITS), edited('shown'), {}, 'partly', [waitMs(1_500)]],
  ['an edit that failed is tried again', thinking(EDITS), edited('failed'), {}, 'thinking', [waitMs(1_500)]],
  ['and ever more rarely', thinking({ ...EDITS, failures: 2 }), edited('failed'), {}, 'thinking', [waitMs(6_000)]],
  ['the end follows an edit at once', thinking(EDITS), edited('shown'), ENDED, 'final', [look('completion')]],
  ['the end comes while it waits', thinking(WAITS), CHANGED, ENDED, 'final', [look('completion')]],
  [
    'the end of a stop is left to another process',
    thinking(),
    CHANGED,
    { cards: 0, end: 'stopped' },
    'thinking',
    [{ kind: 'keep' }],
  ],
  ['which completes it', thinking({ doing: 'keep' }), kept(true), {}, 'done', []],
  ['or does not', thinking({ doing: 'keep' }), kept(false), {}, 'final', [look('completion')]],
  ['closing ends nothing: its lookups end', thinking(WAITS), CLOSING, {}, 'thinking', []],

  ['the end completes the reply', final(), looked(1, 0), ENDED, 'final', [COMPLETE]],
  ...[thinking(WAITS), final(WAITS)].map((course): [string, Course, CourseEvent, Partial<Facts>, 'done', Effect[]] => [
    'nothing more is shown of a reply that is another process’s',
    course,
    DUE,
    { owner: 'another' },
    'done',
    [end('answered')],
  ]),
  [
    'what is not whole waits while another process may have the reply',
    ...UNKNOWN(looked(0, 0)),
    'final',
    [waitMs(1_000)],
  ],
  ['but not until it is too late', ...UNKNOWN(looked(0, 0), 30_000), 'final', [COMPLETE]],
  [
    'also when the process stops',
    final(),
    looked(0, 0),
    { end: 'stopped', owner: 'unknown' },
    'final',
    [waitMs(1_000)],
  ],
  ['what is whole is shown', ...UNKNOWN(lookedWhole), 'final', [COMPLETE]],
  ['what another process has answered stays', final(), looked(1, 1), ENDED, 'done', [end('answered')]],
  ['a part of another process is completed', final(), looked(2, 1), { ...ENDED, wanted: 2 }, 'final', [COMPLETE]],
  [
    'more of another process stays when it is almost too late to know whose it is',
    final(),
    looked(0, 1),
    { ...UNKNOWN(looked(0, 1), 30_000)[2], wanted: 2 },
    'done',
    [end('answered')],
  ],
  ['as is what was shown from here', final({ ours: 1 }), looked(1, 1), ENDED, 'final', [COMPLETE]],
  [
    'an answer that may be from here, or of another process, stays',
    GIVEN_UP,
    looked(1, 1),
    ENDED,
    'done',
    [end('shown')],
  ],
  ['a reply that cannot be looked at is looked at again', final(), looked(1), ENDED, 'final', [waitMs(1_000)]],
  ['and then', final(WAITS), DUE, ENDED, 'final', [look('completion')]],
  [
    'a completion that failed is tried again',
    final({ ...EDITS, failures: 1 }),
    edited('failed'),
    ENDED,
    'final',
    [waitMs(2_000)],
  ],
  [
    'until it is too late',
    final(EDITS),
    edited('failed'),
    { ...ENDED, deadlineMs: NOW_MS + 999 },
    'done',
    [end('too late')],
  ],
  ['or the process closes', final(EDITS), edited('failed'), { ...ENDED, isClosing: true }, 'done', []],
  ['also while it waits', final(WAITS), CLOSING, ENDED, 'done', []],
  ['but not while it edits', final(EDITS), CLOSING, ENDED, 'final', []],
  ['a reply that is lost ends', final(EDITS), edited('lost'), ENDED, 'done', [end('lost')]],
  ['a reply that is shown ends', final(EDITS), edited('shown'), ENDED, 'done', [end('shown')]],
  [
    'and is looked at once more if an edit may come late',
    final({ ...EDITS, ...LATE }),
    edited('shown'),
    ENDED,
    'final',
    [FOLLOWED, waitMs(10_000)],
  ],
  [
    'or by whoever takes it over',
    final({ ...EDITS, ...LATE }),
    edited('shown'),
    { ...ENDED, isClosing: true },
    'done',
    [FOLLOWED],
  ],
  [
    'but not in private',
    final({ ...EDITS, ...LATE }),
    edited('shownInPrivate'),
    ENDED,
    'done',
    [end('shownInPrivate')],
  ],

  ['a reply that somebody deletes ends', thinking(WAITS), CHANGED, { isDeleted: true }, 'done', [end('deleted')]],
  ['also while it is looked at', thinking(), looked(1, 0), { isDeleted: true }, 'done', [end('deleted')]],
  ['also when all has come', thinking(WAITS), CHANGED, { ...ENDED, isDeleted: true }, 'done', [end('deleted')]],
  ['also before its completion', final(), looked(1, 0), { ...ENDED, isDeleted: true }, 'done', [end('deleted')]],
  ['an edit may be the first to see it', thinking(EDITS), edited('deleted'), {}, 'done', [end('deleted')]],
  ['and so may the completion', final(EDITS), edited('deleted'), ENDED, 'done', [end('deleted')]],
  ['a deleted reply is not repeated', REPETITION, looked(1, 0), { isDeleted: true }, 'done', [FORGET]],
  ['or corrected', final({ as: 'correction' }), looked(0, 0), { isDeleted: true }, 'done', []],

  ['an answer that is there is not repeated', REPETITION, looked(1, 1), ENDED, 'done', [FORGET]],
  ['nor is a sentence', REPETITION, looked(0, 0), ENDED, 'done', [FORGET]],
  ['an answer that was replaced is repeated', REPETITION, looked(1, 0), ENDED, 'final', [COMPLETE]],
  ['as is one that cannot be looked at', REPETITION, looked(1), ENDED, 'final', [COMPLETE]],
  ['an earlier edit with as many cards has another text', REPETITION, looked(1, 1, false), ENDED, 'final', [COMPLETE]],
  ['and an earlier sentence is another one', REPETITION, looked(0, 0, false), ENDED, 'final', [COMPLETE]],
  ['a repetition ends silently', final({ as: 'repetition', ...EDITS }), edited('refused'), ENDED, 'done', [FORGET]],
  ['a correction is waited for', CORRECTION, CHANGED, ENDED, 'final', [look('correction')]],
  ['and edited in', final({ as: 'correction' }), looked(0, 0), ENDED, 'final', [{ kind: 'edit' }]],
  ['and ends silently', final({ as: 'correction', ...EDITS }), edited('shown'), ENDED, 'done', []],
  [
    'also when it is too late',
    final({ as: 'correction', ...EDITS }),
    edited('failed'),
    { ...ENDED, deadlineMs: NOW_MS },
    'done',
    [],
  ],
  ['what is done stays so', { kind: 'done' }, DUE, ENDED, 'done', []],
])('%s', (_, course, event, facts, kind, effects) => {
  const step = next(course, event, { ...QUIET, ...facts });
  expect(step.course.kind).toBe(kind);
  expect(step.effects).toEqual(effects);
});

it.each<[string, number, Course, CourseEvent, Partial<Facts>]>([
  ['a completion', 1_000, thinking({ ...WAITS, failures: 3 }), CHANGED, ENDED],
  ['a repetition', 1_000, final({ ...EDITS, ...LATE, failures: 3 }), edited('shown'), ENDED],
  ['an edit after one that succeeded', 1_500, thinking({ ...EDITS, failures: 3 }), edited('shown'), {}],
  ['an edit after one that was not needed', 1_500, thinking({ failures: 3 }), looked(1, 2), {}],
])('%s that fails is tried again after %i ms, whatever failed before it', (_, ms, course, event, facts) => {
  const begun = next(course, event, { ...QUIET, ...facts }).course;
  expect(next(begun, edited('failed'), { ...QUIET, ...facts }).effects).toEqual([waitMs(ms)]);
});

it('leaves nothing behind that listens for the end of the process', async () => {
  const { signal } = new AbortController();
  const facts = () => ({ ...QUIET, ...ENDED });
  const { done } = follow(
    CORRECTION,
    { facts, look: async () => ({ ours: 0, shown: 0 }), edit: async () => 'shown' },
    signal,
  );
  expect(getEventListeners(signal, 'abort')).toHaveLength(1);
  await done;
  expect(getEventListeners(signal, 'abort')).toHaveLength(0);
});
