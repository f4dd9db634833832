import type { WatchCrossing } from './delivery.ts';
import type { Crossing, Watch } from './watch.ts';
import type { Watches } from './watches.ts';

export interface HeldCrossingsOptions<Use> {
  watches: Pick<Watches, 'ofMember' | 'update'>;
  /** How many are shown together; the others wait for the next command. */
  most: number;
  /** Does not reject. @returns whether the member sees them */
  show(to: Use, held: readonly WatchCrossing[]): Promise<boolean>;
}

/** Crossings of which no message could be sent: shown with the member's next command, once. */
export class HeldCrossings<Use extends { memberId: string }> {
  readonly #options: HeldCrossingsOptions<Use>;
  readonly #underWay = new Set<Promise<void>>();
  #isClosed = false;

  constructor(options: HeldCrossingsOptions<Use>) {
    this.#options = options;
  }

  /** A command has been answered. Costs one indexed read when there is nothing to show. Needs no `this`. */
  readonly answered = (to: Use): void => {
    if (this.#isClosed) return;
    const done = this.#show(to).finally(() => this.#underWay.delete(done));
    this.#underWay.add(done);
  };

  /** Resolves when nothing is under way. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all(this.#underWay);
  }

  async #show(to: Use): Promise<void> {
    const { watches, most, show } = this.#options;
    const taken: WatchCrossing[] = [];
    for (const watch of (await watches.ofMember(to.memberId)) ?? []) {
      if (taken.length < most && watch.untold.some(isHeld))
        taken.push(...(await this.#take(watch, most - taken.length)));
    }
    if (taken.length > 0 && !(await show(to, taken))) await Promise.all(taken.map((each) => this.#putBack(each)));
  }

  /** Removed before they are shown, so that two commands at once do not show the same. */
  async #take(watch: Watch, most: number): Promise<WatchCrossing[]> {
    let taken: Crossing[] = [];
    const left = await this.#options.watches.update(watch, (current) => {
      taken = current.untold.filter(isHeld).slice(0, most);
      return taken.length === 0 ? current : without(current, taken);
    });
    return left ? taken.map((crossing) => ({ watch: left, crossing })) : [];
  }

  async #putBack({ watch, crossing }: WatchCrossing): Promise<void> {
    await this.#options.watches.update(watch, (current) => {
      const untold = [...current.untold, crossing].sort((a, b) => a.number - b.number);
      return { ...current, untold };
    });
  }
}

function isHeld({ tellBy }: Crossing): boolean {
  return tellBy === 'command';
}

function without(watch: Watch, taken: readonly Crossing[]): Watch {
  return { ...watch, untold: watch.untold.filter(({ number }) => !taken.some((each) => each.number === number)) };
}
