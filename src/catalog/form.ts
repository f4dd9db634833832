import type { CardIndex } from './card-index.ts';

/**
 * What ids have in common: runs of letters as `a`, runs of digits as `9`, the rest as it is. `base1-4` and `XY12-104a`
 * have the forms `a9-9` and `a9-9a`.
 */
export function formOf(id: string): string {
  return id.replace(/[\p{L}\p{M}]+/gu, 'a').replace(/\p{N}+/gu, '9');
}

/** With fewer confirmed ids, forms say nothing: every text may be an id. */
const IDS_THAT_SHOW_FORMS = 100;

/** Whether confirmed ids have this form, or too few are known to tell. */
export function mayBeForm(form: string, index: Pick<CardIndex, 'confirmedIds' | 'isConfirmedForm'>): boolean {
  return index.confirmedIds() < IDS_THAT_SHOW_FORMS || index.isConfirmedForm(form);
}
