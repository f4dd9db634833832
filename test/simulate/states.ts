import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { EventsByName } from '../../src/model/events.ts';
import { type Owner, owners, simulatedMs } from './fake-time.ts';

/** What holds for a process in a moment counts for so long. */
const MOMENT_MS = 2_000;

/** What events of the app begin and end, by their names; without an end: a moment. */
const BY_EVENT: { [Name in keyof EventsByName]?: (event: EventsByName[Name], states: OfProcess) => void } = {
  known: ({ kind }, states) => states.moment(`card ${kind}`),
  saved: (_, states) => states.moment('one request for several'),
  rateLimit: ({ kind }, states) => states.moment(`429: ${kind}`),
  permit: ({ lane, result }, states) => states.moment(`${lane}: ${result}`),
  queue({ length }, states) {
    states.set('cards wait', length > 0);
    states.set('five cards wait', length >= 5);
  },
  request: ({ outcome }, states) => states.moment(`request: ${outcome}`),
  reply({ step, interactionId }, states) {
    if (step === 'taken over') states.moment('a takeover');
    if (step === 'dropped') states.moment('a reply is another’s');
    if (step === 'deferred' || step === 'taken over') states.replies.add(interactionId);
    else states.replies.delete(interactionId);
    states.set('a reply is deferred', states.replies.size > 0);
  },
  limiter({ breaker: { state, reason = '' } }, states) {
    const { was } = states;
    states.was = state;
    if (was === state) return;
    for (const each of ['pause', 'outage', 'key', 'hour', 'day', 'month'])
      states.set(`breaker open: ${each}`, state === 'open' && reason === each);
    states.set('a probe is under way', state === 'halfOpen');
    if (was === 'halfOpen') states.moment(state === 'closed' ? 'a probe succeeded' : 'a probe refused');
  },
  store({ store, works }, states) {
    if (store !== 'redis') return;
    if (works && states.has('isolated')) states.moment('joins again');
    states.set('isolated', !works);
  },
};
/** Of what no event tells, the log does. */
const BY_MESSAGE: Readonly<Record<string, string>> = {
  'discord did not confirm the first answer: the reply is completed anyway': 'first answer unconfirmed',
  'discord accepts no edits: they are repeated until it does': 'edits fail',
  'discord accepts edits again': 'edits succeed again',
  'discord asks to wait': 'discord limits',
  'the card service is failing': 'service fails',
  'the card service answers again': 'service answers again',
  'discord refuses a message to a member': 'message refused',
  'discord takes no messages to members: each is sent again for two minutes, then shown with a command':
    'messages fail',
  'a message below a reply cannot be sent': 'notice fails',
};

class OfProcess {
  readonly replies = new Set<string>();
  was = 'closed';
  readonly #untilMs = new Map<string, number>();
  readonly #count: (what: string) => void;

  constructor(count: (what: string) => void) {
    this.#count = count;
  }

  has(state: string): boolean {
    return (this.#untilMs.get(state) ?? -1) >= simulatedMs();
  }

  moment(state: string): void {
    if (!this.has(state)) this.#count(state);
    this.#untilMs.set(state, simulatedMs() + MOMENT_MS);
  }

  set(state: string, holds: boolean): void {
    if (holds === this.has(state)) return;
    if (holds) this.#count(state);
    this.#untilMs.set(state, holds ? Number.POSITIVE_INFINITY : -1);
  }

  all(): string[] {
    return [...this.#untilMs.keys()].filter((state) => this.has(state));
  }
}

/** How often a state occurred, and how often a fault struck a process in it, as `state × fault`. */
export class States {
  readonly counts: Record<string, number> = {};
  readonly #byProcess = new Map<Owner, OfProcess>();
  readonly #ends: (() => void)[] = [];

  constructor() {
    for (const [name, told] of Object.entries(BY_EVENT)) {
      const channel = `cardbot:${name}`;
      const onMessage = (event: unknown) => this.#now((states) => told(event as never, states));
      subscribe(channel, onMessage);
      this.#ends.push(() => void unsubscribe(channel, onMessage));
    }
  }

  /** A line of the log. */
  logged(message: string): void {
    const state = BY_MESSAGE[message];
    if (state) this.#now((states) => states.moment(state));
  }

  moment(state: string): void {
    this.#now((states) => states.moment(state));
  }

  /** Whether a reply is still to be completed: one that shows all of its cards may wait for a renewal. */
  get isAnyDeferred(): boolean {
    return [...this.#byProcess].some(([{ isAlive }, { replies }]) => isAlive && replies.size > 0);
  }

  /** @param by whom it struck; all unless given */
  struck(fault: string, by?: Owner): void {
    const struck = by ? [this.#byProcess.get(by)] : [...this.#byProcess].map(([{ isAlive }, each]) => isAlive && each);
    const states = new Set(struck.flatMap((each) => (each ? each.all() : [])));
    for (const state of states) this.#count(pairOf(state, fault));
  }

  close(): void {
    for (const end of this.#ends) end();
  }

  #now(act: (states: OfProcess) => void): void {
    const owner = owners.getStore();
    if (!owner?.isAlive) return;
    const states = this.#byProcess.get(owner) ?? new OfProcess((what) => this.#count(what));
    this.#byProcess.set(owner, states);
    act(states);
  }

  #count(what: string): void {
    this.counts[what] = (this.counts[what] ?? 0) + 1;
  }
}

function pairOf(state: string, fault: string): string {
  return `${state} × ${fault}`;
}

/** A line for each state: how often it occurred, and how often each fault struck in it. */
export function tableOf(counts: Readonly<Record<string, number>>, faults: readonly string[]): string[] {
  const states = [
    ...new Set(Object.keys(counts).flatMap((what) => (/ × /.exec(what) ? (what.split(' × ')[0] ?? []) : []))),
  ];
  const cell = (text: string | number) => String(text).padStart(10);
  return [
    `${'state'.padEnd(28)}${cell('times')}${faults.map((fault) => cell(fault)).join('')}`,
    ...states
      .sort()
      .map(
        (state) =>
          state.padEnd(28) +
          cell(counts[state] ?? 0) +
          faults.map((fault) => cell(counts[pairOf(state, fault)] ?? 0)).join(''),
      ),
  ];
}
