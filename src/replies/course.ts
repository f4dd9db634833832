import type { Standing } from '../lookup/lookups.ts';
import { MIN_MOVED_MS } from '../lookup/outcomes.ts';
import { backOffMs } from '../time/back-off.ts';
import type { CompleteResult, EditResult, ReplyOwner } from './reply-ports.ts';

/** Discord accepts 5 edits in 5 s from one webhook; what comes within 1.5 s is shown together. */
const SHOW_AGAIN = { firstMs: 1_500, longestMs: 30_000 };
/** Of what Discord could not be told. */
export const RETRY = { firstMs: 1_000, longestMs: 30_000 };
/** After this time nearly every edit that was given up has been processed, or never will be. */
const LATE_EDIT_MS = 10_000;

/** What a reply shows before its end: how many cards, whether that it takes long, and when the last permit is expected. */
interface Shown {
  cards: number;
  /** Also once there is a card: it says that others are on their way. */
  isSlow: boolean;
  permitAtMs: number | undefined;
}

/** How things stand around a reply, its lookups included. */
export interface Facts extends Standing {
  nowMs: number;
  /** When it can no longer be edited. */
  deadlineMs: number;
  /** How many cards were asked for. */
  wanted: number;
  owner: ReplyOwner;
  /** Somebody has taken it back. */
  isDeleted: boolean;
  isClosing: boolean;
}

interface Stage {
  /** What is under way. `nothing`: until something changes. */
  doing: 'nothing' | 'look' | 'edit' | 'keep' | 'wait';
  /** Edits that failed in a row. */
  failures: number;
  /** How many cards the last edit from here before the end shows. */
  ours: number;
  /** An edit that shows less than the answer was given up: Discord may process it later. */
  mayComeLate: boolean;
}
type SoFar = Stage & { kind: 'thinking' | 'partly'; shown: Shown; toShow: Shown };
/** `repetition`: the answer once more, should an earlier edit have replaced it. `isUnconfirmed`: it may be shown already. */
type Final = Stage & { kind: 'final'; as: 'completion' | 'correction' | 'repetition'; isUnconfirmed: boolean };

/** How a reply stands: it shows "thinking…", or a part of its cards; nothing more is to come; or it stays as it is. */
export type Course = SoFar | Final | { kind: 'done' };

/** How many cards the next edit shows, and how many the reply shows now; `undefined`: that is not known. */
export interface Looked {
  kind: 'looked';
  ours: number;
  shown: number | undefined;
  /** Whether the reply has the text of the next edit. */
  isSameText?: boolean;
  /** Whether there is an answer for each card. */
  isWhole?: boolean;
}

export type CourseEvent =
  | { kind: 'outcomes' }
  | { kind: 'due' }
  | { kind: 'closing' }
  | Looked
  | { kind: 'edited'; result: EditResult | CompleteResult }
  | { kind: 'kept'; isKept: boolean };

/** `answered`: by another process. */
export type End = Exclude<EditResult | CompleteResult, 'failed'> | 'answered' | 'too late';

/**
 * To look is to render, too: what is there so far, the end, or nothing new before a repetition. `isFollowed`: by one, until
 * which the reply stays in the journal for whoever takes it over; then it is forgotten.
 */
export type Effect =
  | { kind: 'look'; before: 'soFar' | Final['as'] }
  | { kind: 'edit' | 'complete' | 'keep' }
  | { kind: 'wait'; untilMs: number }
  | { kind: 'end'; as: End; isFollowed?: true }
  | { kind: 'forget' };

interface Step {
  course: Course;
  effects: readonly Effect[];
}
type Rows<C> = {
  [K in CourseEvent['kind']]: (course: C, event: Extract<CourseEvent, { kind: K }>, facts: Facts) => Step;
};

const NOTHING: Shown = { cards: 0, isSlow: false, permitAtMs: undefined };
const UNTRIED = { doing: 'nothing', failures: 0, ours: 0, mayComeLate: false } as const;
const DONE: Step = { course: { kind: 'done' }, effects: [] };

export const THINKING: Course = { ...UNTRIED, kind: 'thinking', shown: NOTHING, toShow: NOTHING };
/** A message is shown, and is replaced by one that is to come. */
export const CORRECTION: Course = { ...UNTRIED, kind: 'final', as: 'correction', isUnconfirmed: false };

/** What becomes of a reply, and what is to be done for it, by what has happened. */
export function next(course: Course, event: CourseEvent, facts: Facts): Step {
  if (course.kind === 'done') return DONE;
  const isGone = facts.isDeleted || (event.kind === 'edited' && event.result === 'deleted');
  if (isGone) return ended(course, 'deleted');
  if (facts.owner === 'another') return ended(course, 'answered');
  const rows = (course.kind === 'final' ? FINAL : SO_FAR) as Rows<Course>;
  return rows[event.kind](course, event as never, facts);
}

const SO_FAR: Rows<SoFar> = {
  outcomes(course, _, facts) {
    if (facts.end && isFree(course)) return atEnd(course, facts);
    return course.doing === 'nothing' ? show(course, facts) : unchanged(course);
  },
  due(course, _, facts) {
    if (!isFree(course)) return unchanged(course);
    return facts.end ? atEnd(course, facts) : show(course, facts);
  },
  looked(course, event, facts) {
    const others = ofOthers(course, event);
    const isEnough = others === undefined || others > event.ours;
    if (isEnough) return shown({ ...course, shown: course.toShow, failures: 0 }, facts);
    return { course: { ...course, doing: 'edit', ours: event.ours }, effects: [{ kind: 'edit' }] };
  },
  edited(course, { result }, facts) {
    if (result === 'failed') return shown({ ...course, failures: course.failures + 1, mayComeLate: true }, facts);
    return shown({ ...course, kind: 'partly', shown: course.toShow, failures: 0 }, facts);
  },
  kept: (course, { isKept }) => (isKept ? DONE : completion(course)),
  closing: unchanged, // its lookups end
};

const FINAL: Rows<Final> = {
  outcomes: (course) => (course.doing === 'nothing' ? look(course) : unchanged(course)),
  due: (course) => (course.doing === 'wait' ? look(course) : unchanged(course)),
  looked(course, event, facts) {
    const { as } = course;
    const others = as === 'repetition' ? ofRepetition(event) : ofOthers(course, event);
    if (others === undefined) return failed(course, facts);
    // An unconfirmed answer that is sent again could replace that of another process.
    if (others >= facts.wanted) return ended(course, course.isUnconfirmed ? 'shown' : 'answered');
    if (isHeldBack(event, facts)) return failed(course, facts);
    if (facts.owner === 'unknown' && others > event.ours) return ended(course, 'answered');
    const kind = as === 'correction' ? 'edit' : 'complete';
    return { course: { ...course, doing: 'edit' }, effects: [{ kind }] };
  },
  edited(course, { result }, facts) {
    if (result === 'failed') return failed({ ...course, isUnconfirmed: true }, facts);
    if (course.as !== 'completion' || result !== 'shown' || !course.mayComeLate) return ended(course, result);
    const end: Effect = { kind: 'end', as: result, isFollowed: true };
    if (facts.isClosing) return { ...DONE, effects: [end] }; // who takes it over looks at it
    const again = wait({ ...course, as: 'repetition', failures: 0 }, facts.nowMs + LATE_EDIT_MS);
    return { ...again, effects: [end, ...again.effects] };
  },
  kept: unchanged,
  closing: (course) => (course.doing === 'wait' ? DONE : unchanged(course)), // who takes it over completes it
};

/** Shows what is new to see, or waits until an answer is slow. */
function show(course: SoFar, facts: Facts): Step {
  const { cards, permitAtMs, slowAtMs = Number.POSITIVE_INFINITY, nowMs } = facts;
  const { shown: before } = course;
  const isLate = slowAtMs <= nowMs && permitAtMs === undefined;
  const toShow = { cards, permitAtMs, isSlow: before.isSlow || isLate || cards > before.cards };
  const isMore = toShow.isSlow !== before.isSlow || cards > before.cards;
  if (!isMore && !isWorthShowing(before.permitAtMs, permitAtMs)) {
    const isToCome = !before.isSlow && slowAtMs > nowMs && slowAtMs < Number.POSITIVE_INFINITY;
    const effects = isToCome ? [{ kind: 'wait', untilMs: slowAtMs } as const] : [];
    return { course: { ...course, doing: 'nothing' }, effects };
  }
  return facts.owner !== 'this' ? shown({ ...course, shown: toShow }, facts) : look({ ...course, toShow });
}

/** Whether the time of the permit is to be shown, given the one that is shown already. */
export function isWorthShowing(shownAtMs: number | undefined, permitAtMs: number | undefined): boolean {
  if (permitAtMs === undefined) return false;
  return shownAtMs === undefined || Math.abs(permitAtMs - shownAtMs) > MIN_MOVED_MS;
}

function shown(course: SoFar, facts: Facts): Step {
  return facts.end ? atEnd(course, facts) : wait(course, facts.nowMs + backOffMs(course.failures, SHOW_AGAIN));
}

function atEnd(course: SoFar, { end }: Facts): Step {
  if (end === 'stopped') return { course: { ...course, doing: 'keep' }, effects: [{ kind: 'keep' }] };
  return completion(course);
}

function completion(course: SoFar): Step {
  return look({ ...course, kind: 'final', as: 'completion', isUnconfirmed: false, failures: 0 });
}

/** Edits again as long as Discord cannot be reached, and the reply can be edited. */
function failed(course: Final, { nowMs, deadlineMs, isClosing }: Facts): Step {
  const failures = course.failures + 1;
  const againAtMs = nowMs + backOffMs(failures, RETRY);
  const isTooLate = againAtMs > deadlineMs;
  if (isTooLate) return ended(course, 'too late');
  return isClosing ? DONE : wait({ ...course, failures }, againAtMs);
}

/** How the command ended is known before a correction or a repetition. */
function ended(course: SoFar | Final, end: End): Step {
  const as = course.kind === 'final' ? course.as : 'completion';
  if (as === 'correction') return DONE;
  return { ...DONE, effects: [as === 'repetition' ? { kind: 'forget' } : { kind: 'end', as: end }] };
}

/** Another process may be about to show cards where this one has a sentence, which it shows when there is hardly any time left. */
function isHeldBack({ isWhole }: Looked, { owner, nowMs, deadlineMs }: Facts): boolean {
  return owner === 'unknown' && !isWhole && nowMs < deadlineMs - RETRY.longestMs;
}

function isFree({ doing }: Stage): boolean {
  return doing === 'nothing' || doing === 'wait';
}

function unchanged(course: Course): Step {
  return { course, effects: [] };
}

function look(course: SoFar | Final): Step {
  const before = course.kind === 'final' ? course.as : 'soFar';
  return { course: { ...course, doing: 'look' }, effects: [{ kind: 'look', before }] };
}

function wait(course: SoFar | Final, untilMs: number): Step {
  return { course: { ...course, doing: 'wait' }, effects: [{ kind: 'wait', untilMs }] };
}

/** How many cards of another process the reply shows; `undefined`: not known. */
function ofOthers({ ours }: Stage, { shown }: { shown: number | undefined }): number | undefined {
  return shown !== undefined && shown <= ours ? 0 : shown;
}

/** An earlier edit has fewer cards than the answer, or says that others are on their way. */
function ofRepetition({ ours, shown = 0, isSameText }: Looked): number {
  return shown > ours || (shown === ours && isSameText) ? Number.POSITIVE_INFINITY : 0;
}
