import { Timer } from '../time/timers.ts';
import { type Course, type CourseEvent, type Effect, type End, type Facts, type Looked, next } from './course.ts';
import type { CompleteResult, EditResult } from './reply-ports.ts';

/** What the course of a reply is told, and how its effects are done. */
export interface CoursePorts {
  facts(): Omit<Facts, 'nowMs' | 'isClosing'>;
  /** Renders, and looks how many cards the reply shows: none where nobody else can have shown any. */
  look(before: Extract<Effect, { kind: 'look' }>['before']): Promise<Omit<Looked, 'kind'>>;
  /** Shows what was rendered last; `complete`: and nothing will follow. */
  edit(): Promise<EditResult>;
  complete?(): Promise<CompleteResult>;
  /** Leaves it to another process. @returns whether that will complete it */
  keep?(): Promise<boolean>;
  end?(as: End, isFollowed?: boolean): Promise<void>;
  forget?(): Promise<void>;
}

/**
 * Follows the course of a reply until it is done.
 *
 * @param closing ends what only waits
 * @returns `changed`, to be called when its lookups stand otherwise; `done` rejects when an effect does
 */
export function follow(first: Course, ports: CoursePorts, closing: AbortSignal) {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const timer = new Timer(() => void on({ kind: 'due' }));
  const close = () => void on({ kind: 'closing' });
  let course = first;
  let isNoted = false;

  async function on(event: CourseEvent): Promise<void> {
    if (course.kind === 'done') return;
    try {
      const step = next(course, event, { ...ports.facts(), nowMs: Date.now(), isClosing: closing.aborted });
      course = step.course;
      for (const effect of step.effects) await perform(effect);
      if (step.course.kind === 'done') resolve();
    } catch (error) {
      course = { kind: 'done' };
      reject(error);
    }
  }

  async function perform(effect: Effect): Promise<void> {
    switch (effect.kind) {
      case 'wait':
        return timer.set(effect.untilMs);
      case 'look':
        return on({ kind: 'looked', ...(await ports.look(effect.before)) });
      case 'keep':
        return on({ kind: 'kept', isKept: (await ports.keep?.()) ?? false });
      case 'end':
        return ports.end?.(effect.as, effect.isFollowed);
      case 'forget':
        return ports.forget?.();
      default:
        return on({ kind: 'edited', result: (await ports[effect.kind]?.()) ?? 'lost' });
    }
  }

  /** What changes at once is one event. */
  function changed(): void {
    if (isNoted) return;
    isNoted = true;
    queueMicrotask(() => {
      isNoted = false;
      void on({ kind: 'outcomes' });
    });
  }

  closing.addEventListener('abort', close);
  const done = promise.finally(() => {
    timer.clear();
    closing.removeEventListener('abort', close);
  });
  changed();
  return { changed, done };
}
