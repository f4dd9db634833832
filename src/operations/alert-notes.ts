import { z } from 'zod';

/** What a process knows of one alert. */
export const Noted = z.object({
  /** Whether it was due when that was last known. */
  isDue: z.boolean(),
  /** Whether this process has said so. */
  isTold: z.boolean(),
  /** Whether the board that processes share knows it. */
  isRecorded: z.boolean(),
  /** If it is due after that, it is told again: for an alert about the day, that is another window. */
  untilMs: z.number(),
});
export type Noted = z.infer<typeof Noted>;

/** What a process has to know of its alerts over a restart. */
export const AlertNotes = z.object({
  alerts: z.record(z.string(), Noted),
  /** Messages that have not been sent yet, in order. */
  waiting: z.array(z.string()),
});
export type AlertNotes = z.infer<typeof AlertNotes>;

export const NO_NOTES: AlertNotes = { alerts: {}, waiting: [] };

/** Where they are kept. Neither method throws: what cannot be kept is lost at a restart. */
export interface AlertNotebook {
  read(): AlertNotes;
  write(notes: AlertNotes): void;
}

/** Whether an alert is due, and how long it counts as told. */
export interface Found {
  isDue: boolean;
  untilMs: number;
  nowMs: number;
}

/** Whether this is anything but what was noted. */
export function isNews(before: Noted | undefined, { isDue, nowMs }: Found): boolean {
  return before === undefined || before.isDue !== isDue || (isDue && before.untilMs <= nowMs);
}

/**
 * What a process notes of an alert, and whether it is the one to tell it.
 *
 * @param isFirst the board's answer: no other process has told it; `undefined` when the board cannot be asked. Then the process
 *   decides by itself, and is to ask again later
 */
export function noteAlert(
  before: Noted | undefined,
  found: Found,
  isFirst: boolean | undefined,
): { tells: boolean; noted: Noted } {
  const { isDue } = found;
  const isNew = isNews(before, found);
  const wasTold = isNew ? false : (before?.isTold ?? false);
  const endsOwn = isNew && !isDue && before?.isDue === true && before.isTold;
  const alone = isNew && (isDue || endsOwn);
  // The board does not know what was told while it could not be asked.
  const asked = isFirst || (endsOwn && !before.isRecorded);
  const tells = isFirst === undefined ? alone : asked && !wasTold;
  const untilMs = isNew || before === undefined ? found.untilMs : before.untilMs;
  return { tells, noted: { isDue, isTold: wasTold || tells, isRecorded: isFirst !== undefined, untilMs } };
}
