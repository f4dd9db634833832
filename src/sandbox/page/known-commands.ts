import type { ShownCommand } from '../page-protocol.ts';

/** The commands of a place: as last heard, at once, and asked for anew, since the bot may just have registered them. */
export class KnownCommands {
  readonly #fetch: () => Promise<readonly ShownCommand[]>;
  #last: readonly ShownCommand[] = [];
  #moves = 0;

  constructor(fetch: () => Promise<readonly ShownCommand[]>) {
    this.#fetch = fetch;
  }

  /** Empty until the place's commands came for the first time. */
  get last(): readonly ShownCommand[] {
    return this.#last;
  }

  /** @throws Error when the sandbox does not answer. */
  async refresh(): Promise<readonly ShownCommand[]> {
    const moves = this.#moves;
    const commands = await this.#fetch();
    if (moves === this.#moves) this.#last = commands;
    return this.#last;
  }

  /** Another place knows other commands. */
  move(): void {
    this.#moves++;
    this.#last = [];
    this.refresh().catch(() => {}); // whoever types asks again
  }
}
