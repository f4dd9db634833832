import type { NoAnswer } from '../request.ts';

/** The result of one check. */
export interface Finding {
  /** What was checked. */
  check: string;
  /** `null`: it could not be found out. */
  ok: boolean | null;
  /** What is wrong and what to do, or why it could not be found out; empty when nothing is wrong. */
  cure: string;
  /** What is there, for the operator's eyes; empty when it is not worth a word. */
  found: string;
}

export function right(check: string, found = ''): Finding {
  return { check, ok: true, cure: '', found };
}

/** Nothing is wrong, and something could be better: @param cure what, and how */
export function note(check: string, cure: string): Finding {
  return { check, ok: true, cure, found: cure };
}

/** @param cure a whole sentence, or several: what is wrong and what to do about it */
export function wrong(check: string, cure: string): Finding {
  return { check, ok: false, cure, found: '' };
}

/** @param cure a whole sentence, or several: why it could not be found out */
export function unknown(check: string, cure: string): Finding {
  return { check, ok: null, cure, found: '' };
}

/** @param name of the variable that says where it is */
export function unreachable(check: string, what: string, { reason }: Pick<NoAnswer, 'reason'>, name: string): Finding {
  return wrong(check, `${what} cannot be reached (${reason}). Check ${name} and the connection.`);
}

/** Why an answer says nothing of what was asked, after the name of who answered; `undefined` when it may. */
export function hindrance(status: number): string | undefined {
  if (status === 429) return 'asks to wait (status 429)';
  return status === 408 || status >= 500 ? `has a problem of its own (status ${status})` : undefined;
}
