import { ApiError } from './api-error.ts';
import type { Choice } from './chat.ts';
import { newToken } from './conversations.ts';

interface Pending {
  token: string;
  locale: string;
  timer: NodeJS.Timeout;
  isAnswered: boolean;
  result: PromiseWithResolvers<Choice[]>;
}

/** Autocomplete interactions that the bot may still answer. They have choices instead of a message. */
export class Autocompletions {
  readonly #byId = new Map<string, Pending>();

  /** `choices` rejects with Discord's sentence when there is no answer within `ackMs`. */
  start(id: string, locale: string, ackMs: number): { token: string; choices: Promise<Choice[]> } {
    const token = newToken(id);
    const result = Promise.withResolvers<Choice[]>();
    const timer = setTimeout(() => {
      this.#byId.delete(id);
      result.reject(new Error('Loading options failed'));
    }, ackMs);
    this.#byId.set(id, { token, locale, timer, isAnswered: false, result });
    return { token, choices: result.promise };
  }

  /** Undefined = not an autocomplete interaction, or one that has timed out. */
  find(id: string, token: string): { locale: string; answer(choices: Choice[]): void } | undefined {
    const pending = this.#byId.get(id);
    if (pending?.token !== token) return undefined;
    return {
      locale: pending.locale,
      answer(choices) {
        if (pending.isAnswered) throw new ApiError('alreadyAcknowledged');
        pending.isAnswered = true;
        pending.result.resolve(choices);
      },
    };
  }

  close(): void {
    for (const { timer } of this.#byId.values()) clearTimeout(timer);
  }
}
