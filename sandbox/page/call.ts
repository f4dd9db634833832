import type { Actions, Snapshot } from './page-server.ts';

/** Asks the page's server to do something. @throws Error with its sentence */
export async function call<Name extends keyof Actions>(
  name: Name,
  ...args: Parameters<Actions[Name]>
): Promise<Awaited<ReturnType<Actions[Name]>>> {
  const headers = { 'Content-Type': 'application/json' };
  const asked = { method: 'POST', headers, body: JSON.stringify(args) };
  // The browser's own message is not a sentence
  const response = await fetch(`/api/${name}`, asked).catch((cause) => {
    throw new Error('The sandbox does not answer.', { cause });
  });
  const { error, result } = await response.json();
  if (error !== undefined) throw new Error(error);
  return result;
}

/** Calls back with every snapshot, and with `undefined` while the server does not answer. The browser reconnects. */
export function watchSnapshots(onSnapshot: (snapshot: Snapshot | undefined) => void): void {
  const events = new EventSource('/api/events');
  events.addEventListener('message', ({ data }) => onSnapshot(JSON.parse(data)));
  events.addEventListener('error', () => onSnapshot(undefined));
}

export function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
