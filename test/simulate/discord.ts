import { formatMessage } from '../../src/render/messages.ts';
import { simulatedMs } from './fake-time.ts';

/** What a member has typed, and all that Discord shows for it. */
export interface Typed {
  id: string;
  token: string;
  command: string;
  typedAtMs: number;
  process: number;
  shown: { atMs: number; content: string; embeds: number }[];
  first?: 'deferred' | 'answered';
  followUps: number;
  /** Its process was killed before Discord had an answer. */
  isForgotten: boolean;
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
}

const DEFER = 5;
const FIRST_MS = 3_000;
const TOKEN_MS = 900_000;
const GATEWAY = {
  url: 'wss://gateway.example',
  shards: 1,
  session_start_limit: { total: 1_000, remaining: 1_000, reset_after: 0, max_concurrency: 1 },
};

/** Discord's rules for replies, in a few lines that are no part of the app. */
export class SimulatedDiscord {
  readonly typed: Typed[] = [];

  answer(method: string, path: string, body: Body): Answer {
    if (path.endsWith('/gateway/bot')) return { status: 200, body: GATEWAY };
    const [, , , token = ''] = path.split('/');
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
    if (method === 'POST') typed.followUps++;
    else show(typed, body);
    return { status: 200, body: { id: '1' } };
  }
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
