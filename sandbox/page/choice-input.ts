import type { Choice } from '../discord/chat.ts';
import { element } from './element.ts';
import { Suggestions } from './suggestions.ts';

/** Suggestions are requested after a pause of this length. */
const PAUSE_MS = 150;

export interface ChoiceInputOptions {
  /** The bot's suggestions for what is typed. */
  suggest(): Promise<readonly Choice[]>;
  /** Called after a suggestion was picked. */
  onPicked(): void;
}

/** Adds the bot's suggestions to the field of an option. */
export class ChoiceInput {
  readonly #field: HTMLInputElement;
  readonly #options: ChoiceInputOptions;
  readonly #suggestions: Suggestions<Choice>;
  #picked: Choice | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Counts what makes the suggestions on their way outdated. */
  #changes = 0;
  #isWaiting = false;
  /** Keys pressed before the suggestions that they are meant for have arrived. */
  #heldKeys: string[] = [];

  constructor(field: HTMLInputElement, option: string, options: ChoiceInputOptions) {
    this.#field = field;
    this.#options = options;
    field.addEventListener('keydown', (event) => this.#hold(event)); // before the list sees the key
    this.#suggestions = new Suggestions(field, {
      id: `choices-${option}`,
      label: `Choices for ${option}`,
      content: ({ name }) => [element('b', {}, name)],
      begins: 'with none', // quickly typed text is sent as it is
      onPick: (choice) => this.#pick(choice),
    });
    field.addEventListener('input', () => {
      this.#picked = undefined;
      this.#suggestions.unchoose();
      this.#suggestSoon();
    });
    field.addEventListener('focus', () => this.#suggestSoon());
    field.addEventListener('blur', () => this.#outdate());
  }

  get list(): HTMLElement {
    return this.#suggestions.root;
  }

  /** The value of the chosen suggestion, otherwise the text of the field. */
  get text(): string {
    return this.#picked?.value ?? this.#field.value;
  }

  #pick(choice: Choice): void {
    this.#picked = choice;
    this.#field.value = choice.name;
    this.#outdate();
    this.#suggestions.show([]);
    this.#options.onPicked();
  }

  #outdate(): void {
    this.#changes++;
    this.#isWaiting = false;
    this.#heldKeys = [];
    clearTimeout(this.#timer);
  }

  #suggestSoon(): void {
    this.#outdate();
    if (this.#picked) return;
    this.#isWaiting = true;
    this.#timer = setTimeout(() => void this.#suggestNow(), PAUSE_MS);
  }

  async #suggestNow(): Promise<void> {
    const changes = this.#changes;
    const choices = await this.#options.suggest().catch(() => []); // the field works without suggestions
    if (changes !== this.#changes) return;
    this.#isWaiting = false;
    this.#suggestions.show(choices);
    for (const key of this.#heldKeys.splice(0)) this.#pressAgain(key);
  }

  #pressAgain(key: string): void {
    const isLeft = this.#field.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
    if (isLeft && key === 'Enter') this.#field.form?.requestSubmit();
  }

  #hold(event: KeyboardEvent): void {
    if (event.key === 'Escape') this.#outdate();
    if (!this.#isHeld(event)) return;
    this.#heldKeys.push(event.key);
    event.preventDefault();
    event.stopImmediatePropagation();
  }

  /** Enter alone is not: quickly typed text is sent as it is. */
  #isHeld({ key, shiftKey }: KeyboardEvent): boolean {
    if (!this.#isWaiting) return false;
    if (key === 'Tab') return !shiftKey && this.#field.value !== '';
    return key === 'ArrowDown' || key === 'ArrowUp' || (key === 'Enter' && this.#heldKeys.length > 0);
  }
}
