import type { SeenRequest } from '../card-service-controls.ts';

/** The text for a request in the list: a status only when it was sent. */
export function requestStatus({ status, sent }: Pick<SeenRequest, 'status' | 'sent'>): {
  text: string;
  tone: 'good' | 'quiet' | 'bad';
} {
  if (sent === 'not yet') return { text: '…', tone: 'quiet' };
  if (sent === 'too late') return { text: 'too late', tone: 'bad' };
  if (status === 0) return { text: 'none', tone: 'bad' };
  return { text: String(status), tone: status < 400 ? 'good' : status === 404 ? 'quiet' : 'bad' };
}
