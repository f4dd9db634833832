import type { Choice } from '../discord/chat.ts';
import type {
  ChangeSwitches,
  CompleteOption,
  ShownCommands,
  Snapshot,
  StartStorm,
  SubmitForm,
  TypeCommand,
  UseComponent,
  WritePost,
} from '../page-protocol.ts';

/** The viewer and the place. */
export type At = Pick<TypeCommand, 'memberId' | 'guildId' | 'context' | 'manageGuild'>;

// Each is rejected with the server's sentence.
export const typeCommand = (typed: TypeCommand) => post('/api/commands', typed);
export const changeSwitches = (switches: ChangeSwitches) => post('/api/switches', switches);
export const startStorm = (storm: StartStorm) => post('/api/storm', storm);
export const press = (
  path: `/api/${'gateway/drop' | 'day/exhaust' | 'day/refill' | 'reset' | 'bot/start' | 'bot/kill'}`,
) => post(path, {});
export const pressStep = (step: string) => post('/api/guide', { step });
export const writePost = (written: WritePost) => post('/api/posts', written);
export const useComponent = (used: UseComponent) => post('/api/components', used);
export const submitForm = (form: SubmitForm) => post('/api/forms', form);

/** What a member can use there. */
export async function fetchCommands({ memberId, guildId, context, manageGuild }: At): Promise<ShownCommands> {
  const query = new URLSearchParams({ memberId, context: String(context), manageGuild: String(manageGuild) });
  if (guildId !== null) query.set('guildId', guildId);
  return (await answerTo(`/api/commands?${query}`)) as ShownCommands;
}

/** The bot's suggestions. @throws Error with the server's sentence. */
export async function fetchChoices(typed: CompleteOption): Promise<Choice[]> {
  return (await post('/api/choices', typed)) as Choice[];
}

/** Calls back with every snapshot, and with `undefined` while the server does not answer. The browser reconnects. */
export function watchSnapshots(onSnapshot: (snapshot: Snapshot | undefined) => void): void {
  const events = new EventSource('/api/events');
  events.addEventListener('message', ({ data }) => onSnapshot(JSON.parse(data) as Snapshot));
  events.addEventListener('error', () => onSnapshot(undefined));
}

async function post(path: string, body: unknown): Promise<unknown> {
  const headers = { 'Content-Type': 'application/json' };
  return await answerTo(path, { method: 'POST', headers, body: JSON.stringify(body) });
}

async function answerTo(path: string, init?: RequestInit): Promise<unknown> {
  // The browser's own message is not a sentence
  const response = await fetch(path, init).catch((cause) => {
    throw new Error('The sandbox does not answer.', { cause });
  });
  const answer: unknown = await response.json();
  if (response.ok) return answer;
  const sentence = answer !== null && typeof answer === 'object' && 'error' in answer ? answer.error : undefined;
  throw new Error(typeof sentence === 'string' ? sentence : `The sandbox answered ${response.status}.`);
}
