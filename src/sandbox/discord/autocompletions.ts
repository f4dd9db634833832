import { ApiError } from './api-error.ts';
import type { Choice } from './chat.ts';
import { newToken } from './conversations.ts';

interface Pending {
  token: string;
  locale: string;
  timer: NodeJS.Timeout;
  isAnswered: boolean;
  settle: PromiseWithResolvers<Choice[]>;
}

/** Autocompletes that the bot may still answer. They have no message, only choices. */
export class Autocompletions {
  readonly #byId = new Map<string, Pending>();

  /** `choices` rejects with Discord's words when no answer came within `ackMs`. */
  start(id: string, locale: string, ackMs: number): { token: string; choices: Promise<Choice[]> } {
    const token = newToken(id);
    const settle = Promise.withResolvers<Choice[]>();
    const timer = setTimeout(() => {
      this.#byId.delete(id);
      settle.reject(new Error('Loading options failed'));
    }, ackMs);
    this.#byId.set(id, { token, locale, timer, isAnswered: false, settle });
    return { token, choices: settle.promise };
  }

  /** Undefined = the interaction is no autocomplete, or its time is over. */
  find(id: string, token: string): { locale: string; answer(choices: Choice[]): void } | undefined {
    const pending = this.#byId.get(id);
    if (pending?.token !== token) return undefined;
    return { locale: pending.locale, answer: (choices) => answer(pending, choices) };
  }

  close(): void {
    for (const { timer } of this.#byId.values()) clearTimeout(timer);
  }
}

function answer(pending: Pending, choices: Choice[]): void {
  if (pending.isAnswered) throw new ApiError('alreadyAcknowledged');
  pending.isAnswered = true;
  pending.settle.resolve(choices);
}
