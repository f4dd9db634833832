import { z } from 'zod';

/** What a process knows of one alert. */
export const Noted = z.object({
  /** Whether it was due when that was last known. */
  isDue: z.boolean(),
  /** Whether this process has said so, and is to say when it is over. */
  isTold: z.boolean(),
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
