import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { AnsweredMessage, LookupMessage, LookupProcessOptions } from './lookup-messages.ts';

/** Enough for the message to reach all processes before they begin. */
const NOTICE_MS = 300;

export interface LookupResult {
  /** From the common start to the last answer. */
  makespanMs: number;
  withCard: number;
}

/** Processes that share a quota, each a bot without Discord. */
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
    try {
      await Promise.all(children.map((child) => messageFrom(child)));
    } catch (error) {
      for (const child of children) child.kill();
      throw error;
    }
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

  async stop(): Promise<void> {
    await Promise.all(
      this.#children.map(async (child) => {
        const exited = once(child, 'exit');
        if (child.connected) child.disconnect();
        if (child.exitCode === null && child.signalCode === null) await exited;
      }),
    );
  }
}

async function messageFrom(child: ChildProcess) {
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`a lookup process ended with ${code}`);
  });
  const [message] = await Promise.race([once(child, 'message'), ended]);
  ended.catch(() => {});
  return message;
}
