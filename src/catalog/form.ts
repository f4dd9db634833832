/**
 * What ids have in common: runs of letters as `a`, runs of digits as `9`, the rest as it is. `base1-4` and `XY12-104a`
 * have the forms `a9-9` and `a9-9a`.
 */
export function formOf(id: string): string {
  return id.replace(/[\p{L}\p{M}]+/gu, 'a').replace(/\p{N}+/gu, '9');
}

/** With fewer confirmed ids, forms say nothing: every text may be an id. */
export const IDS_THAT_SHOW_FORMS = 100;
