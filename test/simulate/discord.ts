import { formatMessage } from '../../src/render/messages.ts';
import { simulatedMs } from './fake-time.ts';
import { takesMessages } from './members.ts';

/** What a member has typed, and all that Discord shows for it. */
export interface Typed {
  id: string;
  token: string;
  command: 'card' | 'cards' | 'usage' | 'watch';
  member: string;
  cards: readonly string[];
  typedAtMs: number;
  process: number;
  shown: { atMs: number; content: string; embeds: number }[];
  first?: 'deferred' | 'answered';
  followUps: number;
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

const DEFER = 5;
const FIRST_MS = 3_000;
const TOKEN_MS = 900_000;
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

  answer(method: string, path: string, body: Body): Answer {
    if (path.endsWith('/gateway/bot')) return { status: 200, body: GATEWAY };
    if (path.endsWith('/channels')) return { status: 200, body: { id: body.recipient_id } };
    const [, what, ofMember = '', token = ''] = path.split('/');
    if (what === 'channels') return this.#message(ofMember, body);
    const typed = this.typed.find((each) => each.token === token);
    if (!typed) return refusal(404, 10_062, 'Unknown interaction');
    const ageMs = simulatedMs() - typed.typedAtMs;
    if (path.endsWith('/callback')) return acknowledged(typed, ageMs, body);
    if (!typed.first) return refusal(404, 10_015, 'Unknown Webhook');
    if (ageMs > TOKEN_MS) return refusal(401, 50_027, 'Invalid Webhook Token');
    if (method === 'GET') {
      const { content = '', embeds = 0 } = typed.shown.at(-1) ?? {};
      return { status: 200, body: { content, embeds: Array(embeds).fill({}) } };
    }
    if (method === 'PATCH') show(typed, body);
    else if (watchesIn(body).length === 0) typed.followUps++;
    else this.#tell(typed.member, body);
    return { status: 200, body: { id: '1' } };
  }

  #message(member: string, body: Body): Answer {
    if (!takesMessages(member)) return refusal(403, 50_007, 'Cannot send messages to this user');
    const isKnown = ({ nonce, atMs }: Told) => nonce === body.nonce && simulatedMs() - atMs < NONCE_MS;
    if (!this.told.some(isKnown)) this.#tell(member, body);
    return { status: 200, body: { id: '1' } };
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

/** By the buttons that stop them. */
function watchesIn({ components = [] }: Body): string[] {
  const ids = components.flatMap((row) => row.components.map(({ custom_id = '' }) => custom_id));
  return ids.flatMap((id) => /^watches:[^:]*:([0-9a-f]{16})$/.exec(id)?.[1] ?? []);
}

function acknowledged(typed: Typed, ageMs: number, { type, data = {} }: Body): Answer {
  if (typed.first) return refusal(400, 40_060, 'Interaction has already been acknowledged.');
  if (ageMs > FIRST_MS) return refusal(404, 10_062, 'Unknown interaction');
  typed.first = type === DEFER ? 'deferred' : 'answered';
  if (type !== DEFER) show(typed, data);
  return { status: 204 };
}

function show(typed: Typed, { content = '', embeds = [] }: Body): void {
  typed.shown.push({ atMs: simulatedMs(), content, embeds: embeds.length });
}

function refusal(status: number, code: number, message: string): Answer {
  return { status, body: { code, message } };
}

/** Neither "thinking…" nor the notice of a wait. */
export function isFinal({ shown }: Typed): boolean {
  const last = shown.at(-1);
  if (!last) return false;
  const [time = ''] = /<t:\d+:[tT]>/.exec(last.content) ?? [];
  const onTheWay = [formatMessage('en-US', 'stillAsking'), formatMessage('en-US', 'permitAt', { time })];
  if (/cards? (?:is|are) on (?:its|their) way|should be here/.test(last.content)) return false; // of a list, some
  return last.embeds > 0 || (last.content !== '' && !onTheWay.some((text) => last.content.endsWith(text)));
}
