import type { ChangeSwitches, ShownCommand, Snapshot, StartStorm, TypeCommand } from '../page-protocol.ts';

/** @throws Error with the server's sentence. */
export async function typeCommand(typed: TypeCommand): Promise<void> {
  await post('/api/commands', typed);
}

/** @throws Error with the server's sentence. */
export async function changeSwitches(switches: ChangeSwitches): Promise<void> {
  await post('/api/switches', switches);
}

/** @throws Error with the server's sentence. */
export async function startStorm(storm: StartStorm): Promise<void> {
  await post('/api/storm', storm);
}

/** @throws Error with the server's sentence. */
export async function press(path: '/api/gateway/drop' | '/api/day/exhaust' | '/api/day/refill'): Promise<void> {
  await post(path, {});
}

/** What a member may type; `guildId: null` = direct messages. */
export async function fetchCommands(guildId: string | null, manageGuild: boolean): Promise<ShownCommand[]> {
  const query = new URLSearchParams({ manageGuild: String(manageGuild) });
  if (guildId !== null) query.set('guildId', guildId);
  const response = await fetch(`/api/commands?${query}`);
  return (await answerOf(response)) as ShownCommand[];
}

/** Calls back with every snapshot, and with `undefined` while the server does not answer. The browser reconnects. */
export function watchSnapshots(onSnapshot: (snapshot: Snapshot | undefined) => void): void {
  const events = new EventSource('/api/events');
  events.addEventListener('message', ({ data }) => onSnapshot(JSON.parse(data) as Snapshot));
  events.addEventListener('error', () => onSnapshot(undefined));
}

async function post(path: string, body: unknown): Promise<void> {
  const headers = { 'Content-Type': 'application/json' };
  await answerOf(await fetch(path, { method: 'POST', headers, body: JSON.stringify(body) }));
}

async function answerOf(response: Response): Promise<unknown> {
  const answer: unknown = await response.json();
  if (response.ok) return answer;
  const sentence = answer !== null && typeof answer === 'object' && 'error' in answer ? answer.error : undefined;
  throw new Error(typeof sentence === 'string' ? sentence : `The sandbox answered ${response.status}.`);
}
