/** The result of one check. */
export interface Finding {
  /** What was checked. */
  check: string;
  ok: boolean;
  /** What to do; empty when nothing is wrong. */
  cure: string;
  /** What is there, for the operator's eyes; empty when it is not worth a word. */
  found: string;
}

export function right(check: string, found = ''): Finding {
  return { check, ok: true, cure: '', found };
}

/** @param cure a whole sentence, or several: what is wrong and what to do about it */
export function wrong(check: string, cure: string): Finding {
  return { check, ok: false, cure, found: '' };
}
