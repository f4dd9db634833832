import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { Requester } from '../../../src/model/quota.ts';
import { onFinished } from '../../support/on-finished.ts';

/** The options of a process: its service, and the variables for the shared Redis. */
export interface LookupProcessOptions {
  url: string;
  requestsPerMinute: number;
  burst: number;
  variables: Record<string, string>;
}

/** Lookups to start at `atMs` in this order, `atOnce` at a time. */
export interface LookupMessage {
  lookups: readonly { cardId: string; requester: Requester }[];
  atMs: number;
  atOnce: number;
}

/** Sent when all are answered. */
export interface AnsweredMessage {
  withCard: number;
  lastAtMs: number;
}

/** Enough for the message to reach all processes before they begin. */
const NOTICE_MS = 300;

export interface LookupResult {
  /** From the common start to the last answer. */
  makespanMs: number;
  withCard: number;
}

/** Processes that share a quota, each a bot without Discord; they end with the scope. */
export class LookupProcesses {
  readonly #children: readonly ChildProcess[];

  private constructor(children: readonly ChildProcess[]) {
    this.#children = children;
  }

  /** Resolves when all are ready. @throws Error when one ends before */
  static async start(processes: number, options: LookupProcessOptions): Promise<LookupProcesses> {
    const children = Array.from({ length: processes }, () =>
      fork('test/bench/processes/lookup-process.ts', [JSON.stringify(options)]),
    );
    onFinished(() => Promise.all(children.map(ended)));
    await Promise.all(children.map(messageFrom));
    return new LookupProcesses(children);
  }

  /** Distributes the lookups evenly; all processes begin at the same moment. @param atOnce in each process */
  async lookUp(lookups: LookupMessage['lookups'], atOnce: number): Promise<LookupResult> {
    const atMs = Date.now() + NOTICE_MS;
    const answers = await Promise.all(
      this.#children.map(async (child, index) => {
        const own = lookups.filter((_, nth) => nth % this.#children.length === index);
        const message = messageFrom(child);
        child.send({ lookups: own, atMs, atOnce } satisfies LookupMessage);
        const answer: AnsweredMessage = await message;
        return answer;
      }),
    );
    return {
      makespanMs: Math.max(...answers.map(({ lastAtMs }) => lastAtMs)) - atMs,
      withCard: answers.reduce((sum, { withCard }) => sum + withCard, 0),
    };
  }
}

async function ended(child: ChildProcess): Promise<void> {
  const exited = once(child, 'exit');
  if (child.connected) child.disconnect();
  if (child.exitCode === null && child.signalCode === null) await exited;
}

async function messageFrom(child: ChildProcess) {
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`a lookup process ended with ${code}`);
  });
  const [message] = await Promise.race([once(child, 'message'), ended]);
  ended.catch(() => {});
  return message;
}
