import type { LogLine } from './bot.ts';
import type { SeenRequest } from './service/service.ts';
import { unlessMalformed } from './transport.ts';

/** What the bot says of a request as it sends it. */
interface Reason {
  about: string;
  atMs: number;
  text: string;
}

/** The line is written before the request leaves, and may be read after it has arrived. */
const MOST_APART_MS = 5_000;
const MOST_WAITING = 1_000;
const REPORT = 'usage';

/** Why requests were sent, from the log of the bot. A request and its line are about the same cards at about the same time. */
export class RequestReasons {
  readonly #nameOf: (memberId: string) => string | undefined;
  #unmatched: Reason[] = [];
  readonly #found = new WeakMap<SeenRequest, string>();

  constructor(nameOf: (memberId: string) => string | undefined) {
    this.#nameOf = nameOf;
  }

  read({ msg, time, cardIds, lane, members, member }: LogLine): void {
    const about = msg === 'usage report requested' ? REPORT : aboutCards(cardIds as string[] | undefined);
    if (about === undefined || !/^(card|usage report) requested$/.test(msg)) return;
    const [only = '', ...others] = (members ?? [member]) as string[];
    const people = `for ${others.length > 0 ? `${others.length + 1} members` : (this.#nameOf(only) ?? 'a member')}`;
    const asked = lane === 'watches' ? 'renewed for watches' : `${lane === 'renewals' ? 'renewed ' : ''}${people}`;
    const text = about === REPORT ? `asked by /usage, ${people}` : asked;
    this.#unmatched = [...this.#unmatched, { about, atMs: Number(time), text }].slice(-MOST_WAITING);
  }

  /** `undefined` when the log says nothing of it, or not yet. */
  of(request: SeenRequest): string | undefined {
    const known = this.#found.get(request);
    if (known !== undefined) return known;
    const [, segment = ''] = /^\/cards\/([^/?]+)/.exec(request.path) ?? [];
    const ids = request.cardIds ?? [unlessMalformed(() => decodeURIComponent(segment)) ?? ''];
    const about = request.path.startsWith('/v1/usage') ? REPORT : aboutCards(ids);
    const apartMs = ({ atMs }: Reason) => Math.abs(atMs - request.atMs);
    const [reason] = this.#unmatched
      .filter((each) => each.about === about && apartMs(each) < MOST_APART_MS)
      .sort((a, b) => apartMs(a) - apartMs(b));
    if (!reason) return undefined;
    this.#unmatched = this.#unmatched.filter((each) => each !== reason);
    this.#found.set(request, reason.text);
    return reason.text;
  }
}

function aboutCards(ids: readonly string[] | undefined): string | undefined {
  return ids && [...ids].sort().join(' ');
}
