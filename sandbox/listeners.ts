/** Those who are told of something whenever it happens. */
export class Listeners<Event = void> {
  readonly #all = new Set<(event: Event) => void>();

  /** @returns a function that ends the subscription. */
  readonly add = (listener: (event: Event) => void): (() => void) => {
    this.#all.add(listener);
    return () => this.#all.delete(listener);
  };

  tell(event: Event): void {
    for (const listener of this.#all) listener(event);
  }
}
