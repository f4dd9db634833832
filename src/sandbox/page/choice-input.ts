import type { ShownChoice } from '../page-protocol.ts';
import { element } from './element.ts';
import { Suggestions } from './suggestions.ts';

/** Suggestions are requested after a pause of this length. */
const PAUSE_MS = 150;

/** Adds the bot's suggestions to the field of an option. */
export class ChoiceInput {
  readonly #field: HTMLInputElement;
  readonly #suggest: () => Promise<readonly ShownChoice[]>;
  readonly #suggestions: Suggestions<ShownChoice>;
  #picked: ShownChoice | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Counts what makes the suggestions on their way outdated. */
  #changes = 0;

  constructor(field: HTMLInputElement, option: string, suggest: () => Promise<readonly ShownChoice[]>) {
    this.#field = field;
    this.#suggest = suggest;
    this.#suggestions = new Suggestions(field, {
      id: `choices-${option}`,
      label: `Choices for ${option}`,
      content: ({ name, value }) => [element('b', {}, name), element('i', {}, String(value))],
      begins: 'with none', // quickly typed text is sent as it is
      onPick: (choice) => this.#pick(choice),
    });
    field.addEventListener('input', () => {
      this.#picked = undefined;
      this.#suggestions.unchoose();
      this.#suggestSoon();
    });
    field.addEventListener('focus', () => this.#suggestSoon());
    field.addEventListener('blur', () => this.#close());
    field.addEventListener('keydown', (event) => this.#onKey(event));
  }

  get list(): HTMLElement {
    return this.#suggestions.root;
  }

  /** The value of the chosen suggestion, otherwise the text of the field. */
  get text(): string {
    return this.#picked ? String(this.#picked.value) : this.#field.value;
  }

  #pick(choice: ShownChoice): void {
    this.#picked = choice;
    this.#field.value = choice.name;
    this.#close();
  }

  #close(): void {
    this.#outdate();
    this.#suggestions.show([]);
  }

  #outdate(): void {
    this.#changes++;
    clearTimeout(this.#timer);
  }

  #suggestSoon(): void {
    this.#outdate();
    if (this.#picked) return;
    this.#timer = setTimeout(() => void this.#suggestNow(), PAUSE_MS);
  }

  async #suggestNow(): Promise<void> {
    const changes = this.#changes;
    const choices = await this.#suggest().catch(() => []); // the field works without suggestions
    if (changes === this.#changes) this.#suggestions.show(choices);
  }

  #onKey(event: KeyboardEvent): void {
    if (event.key === 'Escape') this.#outdate();
    if (this.#suggestions.moveBy(event)) return;
    const { active } = this.#suggestions;
    if (active === undefined || (event.key !== 'Enter' && event.key !== 'Tab')) return;
    this.#pick(active);
    event.preventDefault();
  }
}
