import { element } from './element.ts';

export interface SuggestionsOptions<Row> {
  /** Id of the list; unique on the page. */
  id: string;
  label: string;
  /** The content of a row. */
  content(row: Row): HTMLElement[];
  /** Whether Enter picks the first row, or none until one is chosen with the arrow keys. */
  begins: 'with the first' | 'with none';
  onPick(row: Row): void;
}

/** A list of rows above a field: the listbox of its combobox, so the focus stays in the field. */
export class Suggestions<Row> {
  readonly root: HTMLElement;
  readonly #field: HTMLInputElement;
  readonly #options: SuggestionsOptions<Row>;
  #rows: readonly Row[] = [];
  #active = -1;

  constructor(field: HTMLInputElement, options: SuggestionsOptions<Row>) {
    this.#field = field;
    this.#options = options;
    const { id, label } = options;
    this.root = element('ul', { id, className: 'suggestions', role: 'listbox', ariaLabel: label });
    field.role = 'combobox';
    field.ariaAutoComplete = 'list';
    field.setAttribute('aria-controls', id);
    this.#draw();
  }

  /** The row that Enter picks; `undefined` while the list is closed or none is chosen. */
  get active(): Row | undefined {
    return this.#rows[this.#active];
  }

  /** The row that Tab picks, too, when none is chosen. */
  get first(): Row | undefined {
    return this.#rows[0];
  }

  /** Showing the same rows again keeps the choice. */
  show(rows: readonly Row[]): void {
    if (JSON.stringify(rows) === JSON.stringify(this.#rows)) return;
    this.#rows = rows;
    this.#active = this.#options.begins === 'with the first' ? 0 : -1;
    this.#draw();
  }

  /** Enter picks none of the rows until one is chosen again: they are for a text that has changed since. */
  unchoose(): void {
    this.#active = -1;
    this.#draw();
  }

  /** Arrow keys move in the list, Escape closes it. @returns whether the key was handled */
  moveBy(event: KeyboardEvent): boolean {
    const isHandled = this.#rows.length > 0 && ['ArrowDown', 'ArrowUp', 'Escape'].includes(event.key);
    if (!isHandled) return false;
    if (event.key === 'Escape') this.show([]);
    else this.#move(event.key === 'ArrowDown' ? 1 : -1);
    event.preventDefault();
    event.stopPropagation(); // otherwise Escape would also close the form
    return true;
  }

  #move(by: 1 | -1): void {
    const count = this.#rows.length;
    this.#active = this.#active < 0 ? (by > 0 ? 0 : count - 1) : (this.#active + by + count) % count;
    this.#draw();
  }

  #draw(): void {
    const items = this.#rows.map((row, index) => this.#item(row, index));
    this.root.replaceChildren(...items);
    this.root.hidden = items.length === 0;
    this.#field.ariaExpanded = String(items.length > 0);

    const active = items[this.#active];
    if (active === undefined) {
      this.#field.removeAttribute('aria-activedescendant');
    } else {
      this.#field.setAttribute('aria-activedescendant', active.id);
      active.scrollIntoView({ block: 'nearest' });
    }
  }

  #item(row: Row, index: number): HTMLElement {
    const { id, content, onPick } = this.#options;
    const ariaSelected = String(index === this.#active);
    const item = element('li', { id: `${id}-${index}`, role: 'option', ariaSelected }, ...content(row));
    // Not `click`, because the field must keep the focus
    item.addEventListener('mousedown', (event) => {
      event.preventDefault();
      onPick(row);
    });
    return item;
  }
}
