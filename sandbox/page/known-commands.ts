import type { ShownCommand } from '../page-protocol.ts';

/** The commands of a place: the last loaded ones, and a way to reload them, because the bot may just have registered some. */
export class KnownCommands {
  readonly #fetch: () => Promise<readonly ShownCommand[]>;
  #last: readonly ShownCommand[] = [];
  #moves = 0;

  constructor(fetch: () => Promise<readonly ShownCommand[]>) {
    this.#fetch = fetch;
  }

  /** Empty until the commands of the place are loaded. */
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

  /** Called when the place changes. */
  move(): void {
    this.#moves++;
    this.#last = [];
    this.refresh().catch(() => {}); // typing loads them again
  }
}
