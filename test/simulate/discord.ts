import { formatMessage } from '../../src/render/messages.ts';
import { simulatedMs } from './fake-time.ts';
import { takesMessages } from './members.ts';

/** What a member has typed, and all that Discord shows for it. */
export interface Typed {
  id: string;
  token: string;
  /** `list`: `/cards` without a text, which opens a form; `submit`: the list in it. */
  command: 'card' | 'cards' | 'usage' | 'watch' | 'list' | 'submit' | 'fetch' | 'delete';
  member: string;
  cards: readonly string[];
  typedAtMs: number;
  process: number;
  /** Of a button or a form: what it belongs to. */
  used?: { of: Typed; customId: string };
  /** Of a list: its cards, which nobody else asks for. */
  lines?: readonly string[];
  shown: { atMs: number; content: string; embeds: number; buttons: readonly string[] }[];
  first?: 'deferred' | 'answered' | 'acknowledged' | 'form';
  followUps: number;
  /** When the last edit left the app, shown or not. */
  editedAtMs?: number;
  /** When its message was deleted. */
  goneAtMs?: number;
  /** When the app heard that its message is gone. */
  heardGoneAtMs?: number;
  /** Its process was killed before Discord had an answer. */
  isForgotten: boolean;
}

/** That a price was reached, as a member reads it. */
export interface Told {
  atMs: number;
  member: string;
  /** Of the watch: its message has the same at each try. */
  watch: string;
  nonce?: string;
  /** One line of it. */
  text: string;
  /** It says that the member may know it. */
  isAgain: boolean;
}

interface Answer {
  status: number;
  body?: object;
}
interface Body {
  type?: number;
  data?: Body;
  content?: string;
  embeds?: object[];
  nonce?: string;
  recipient_id?: string;
  components?: { components: { custom_id?: string }[] }[];
}

const [MESSAGE, DEFER] = [4, 5];
const FIRSTS: Readonly<Record<number, Typed['first']>> = { [DEFER]: 'deferred', 6: 'acknowledged', 9: 'form' };
const FIRST_MS = 3_000;
const TOKEN_MS = 900_000;
const GONE = 10_008;
/** For so long a message with the same nonce is not shown again. */
const NONCE_MS = 180_000;
const GATEWAY = {
  url: 'wss://gateway.example',
  shards: 1,
  session_start_limit: { total: 1_000, remaining: 1_000, reset_after: 0, max_concurrency: 1 },
};

/** Discord's rules for replies and messages, in a few lines that are no part of the app. */
export class SimulatedDiscord {
  readonly typed: Typed[] = [];
  readonly told: Told[] = [];

  /** @param leftAtMs when it left the app: what takes longer is accepted, and processed late */
  answer(method: string, path: string, body: Body, leftAtMs: number): Answer {
    if (path.endsWith('/gateway/bot')) return { status: 200, body: GATEWAY };
    if (path.endsWith('/channels')) return { status: 200, body: { id: body.recipient_id } };
    const [, what, ofMember = '', token = ''] = path.split('/');
    if (what === 'channels') return this.#message(ofMember, body);
    const typed = this.typed.find((each) => each.token === token);
    if (!typed) return refusal(404, 10_062, 'Unknown interaction');
    const ageMs = leftAtMs - typed.typedAtMs;
    if (path.endsWith('/callback')) return acknowledged(typed, ageMs, body);
    if (!typed.first) return refusal(404, 10_015, 'Unknown Webhook');
    if (ageMs > TOKEN_MS) return refusal(401, 50_027, 'Invalid Webhook Token');
    const original = originalOf(typed);
    if (method !== 'POST' && original.goneAtMs !== undefined) return refusal(404, GONE, 'Unknown Message');
    if (method === 'GET') {
      const { content = '', embeds = 0 } = original.shown.at(-1) ?? {};
      return { status: 200, body: { content, embeds: Array(embeds).fill({}) } };
    }
    if (method === 'DELETE') original.goneAtMs = simulatedMs();
    else if (isEmpty(body)) return EMPTY;
    else if (method === 'PATCH') show(original, body);
    else this.#followUp(typed, body);
    return DONE;
  }

  #followUp(typed: Typed, body: Body): void {
    if (watchesIn(body).length === 0) typed.followUps++;
    else this.#tell(typed.member, body);
  }

  /** An edit has left the app. @returns to be called with its answer */
  edits(path: string): (status: number) => void {
    const typed = this.typed.find(({ token }) => path.includes(`/${token}/`));
    if (!typed) return () => {};
    typed.editedAtMs = simulatedMs();
    return (status) => {
      if (status === 404 && typed.goneAtMs !== undefined) typed.heardGoneAtMs ??= simulatedMs();
    };
  }

  #message(member: string, body: Body): Answer {
    if (!takesMessages(member)) return refusal(403, 50_007, 'Cannot send messages to this user');
    const isKnown = ({ nonce, atMs }: Told) => nonce === body.nonce && simulatedMs() - atMs < NONCE_MS;
    if (!this.told.some(isKnown)) this.#tell(member, body);
    return DONE;
  }

  #tell(member: string, body: Body): void {
    const { content = '', nonce } = body;
    const watches = watchesIn(body);
    let isAgain = false;
    for (const text of content.split('\n')) {
      const isHead = text === AGAIN || text === LATE;
      if (isHead) isAgain = text === AGAIN;
      else
        this.told.push({
          atMs: simulatedMs(),
          member,
          watch: watches.shift() ?? '',
          ...(nonce && { nonce }),
          text,
          isAgain,
        });
    }
  }
}

const LATE = formatMessage('en-US', 'watchesLate');
const AGAIN = formatMessage('en-US', 'watchesLateAgain');

function buttonsIn({ components = [] }: Body): string[] {
  return components.flatMap((row) => row.components.map(({ custom_id = '' }) => custom_id));
}

/** By the buttons that stop them. */
function watchesIn(body: Body): string[] {
  return buttonsIn(body).flatMap((id) => /^watches:stop::([0-9a-f]{16})$/.exec(id)?.[1] ?? []);
}

function acknowledged(typed: Typed, ageMs: number, { type, data = {} }: Body): Answer {
  if (typed.first) return refusal(400, 40_060, 'Interaction has already been acknowledged.');
  if (ageMs > FIRST_MS) return refusal(404, 10_062, 'Unknown interaction');
  if (type === MESSAGE && isEmpty(data)) return EMPTY;
  typed.first = FIRSTS[type ?? 0] ?? 'answered';
  if (typed.first === 'answered') show(typed, data);
  return { status: 204 };
}

function isEmpty({ content, embeds = [] }: Body): boolean {
  return !content && embeds.length === 0;
}

/** That of a button which leaves its message as it is is that message. */
function originalOf(typed: Typed): Typed {
  return (typed.first === 'acknowledged' && typed.used?.of) || typed;
}

function show(typed: Typed, body: Body): void {
  const { content = '', embeds = [] } = body;
  typed.shown.push({ atMs: simulatedMs(), content, embeds: embeds.length, buttons: buttonsIn(body) });
}

const DONE: Answer = { status: 200, body: { id: '1' } };
const EMPTY = refusal(400, 50_006, 'Cannot send an empty message');

function refusal(status: number, code: number, message: string): Answer {
  return { status, body: { code, message } };
}

/** Neither "thinking…" nor the notice of a wait; nor is anything shown for what only opens a form, or changes no message. */
export function isFinal({ shown, first, goneAtMs }: Typed): boolean {
  if (first === 'form' || first === 'acknowledged' || goneAtMs !== undefined) return true;
  const last = shown.at(-1);
  if (!last) return false;
  const [time = ''] = /<t:\d+:[tT]>/.exec(last.content) ?? [];
  const onTheWay = [formatMessage('en-US', 'stillAsking'), formatMessage('en-US', 'permitAt', { time })];
  if (/cards? (?:is|are) on (?:its|their) way|should be here/.test(last.content)) return false; // of a list, some
  return last.embeds > 0 || (last.content !== '' && !onTheWay.some((text) => last.content.endsWith(text)));
}
