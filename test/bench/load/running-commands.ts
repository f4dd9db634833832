import type { ChatMessage } from '../../../src/sandbox/discord/chat.ts';
import type { EmulatedDiscord } from '../../../src/sandbox/discord/emulated-discord.ts';
import type { TypedInteraction } from '../../../src/sandbox/discord/typed-interaction.ts';
import { isFinal } from '../../chaos/outcome.ts';

/** The emulated Discord drops messages that were answered 1,000 answers ago, notices of a wait included. */
const REMEMBERED = 900;
/** Longer than an answer may take after any fault. */
const PATIENCE_MS = 60_000;

/** Commands that have no final answer yet. */
export class RunningCommands {
  /** Commands that Discord gave up, or that had no final answer after a minute: as the member saw them. */
  readonly lost: string[] = [];
  readonly #awaited = new Map<string, (message: ChatMessage | undefined) => void>();
  #finished = 0;
  /** The number of finished commands when each notice of a wait was shown, by interaction. */
  readonly #waitNotices = new Map<string, number>();
  #room = Promise.withResolvers<void>();

  constructor(discord: EmulatedDiscord) {
    discord.onMessage((message) => this.#seen(message));
  }

  /** Types `count` commands, `atOnce` at a time; resolves when all have ended. */
  async run(count: number, atOnce: number, type: (index: number) => TypedInteraction): Promise<void> {
    let next = 0;
    const inSequence = async () => {
      while (next < count) {
        await this.#remembered();
        if (next < count) await this.#ended(type(next++));
      }
    };
    await Promise.all(Array.from({ length: atOnce }, inSequence));
  }

  async #ended(typed: TypedInteraction): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<ChatMessage | undefined>();
    this.#awaited.set(typed.id, resolve);
    const timer = setTimeout(resolve, PATIENCE_MS, undefined);
    const message = await promise;
    clearTimeout(timer);
    this.#awaited.delete(typed.id);
    this.#waitNotices.delete(typed.id);
    this.#finished++;
    this.#room.resolve();
    if (message?.state === 'answered') return;
    const { commandLine, state, content, failure = 'no answer' } = typed.message;
    this.lost.push(`${commandLine}: ${state}, ${content || failure}`);
  }

  #seen(message: ChatMessage): void {
    const resolve = this.#awaited.get(message.interactionId);
    if (!resolve) return;
    if (isFinal(message)) resolve(message);
    else if (message.state === 'answered' && !this.#waitNotices.has(message.interactionId)) {
      this.#waitNotices.set(message.interactionId, this.#finished);
    }
  }

  async #remembered(): Promise<void> {
    for (;;) {
      const [oldest = this.#finished] = this.#waitNotices.values();
      if (this.#finished - oldest < REMEMBERED) return;
      this.#room = Promise.withResolvers();
      await this.#room.promise;
    }
  }
}
