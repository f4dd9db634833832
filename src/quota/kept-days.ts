/**
 * Counts are kept as long, and so are copies of files: a month, and some days in which to look at it. Not in the ledger's
 * file: the thread that searches would load zod with it.
 */
export const KEPT_DAYS = 35;
