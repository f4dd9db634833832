/**
 * What became of a message that is no reply. `refused`: Discord takes it by this way at no time; `unsent`: it is not
 * there, and may be taken later; `failed`: it may be there.
 */
export type Sent = 'sent' | 'refused' | 'unsent' | 'failed';
