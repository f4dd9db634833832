import { element } from './element.ts';

export interface SuggestionsOptions<Row> {
  /** Id of the list; unique on the page. */
  id: string;
  label: string;
  /** The content of a row. */
  content(row: Row): HTMLElement[];
  /** Whether Enter picks the first row, or none until one is chosen with the arrow keys. */
  begins: 'with the first' | 'with none';
  /** Whether Enter picks this chosen row; it does by default. */
  picksWithEnter?(row: Row): boolean;
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
    field.addEventListener('blur', () => this.show([]));
    field.addEventListener('keydown', (event) => this.#onKey(event));
    this.#draw();
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

  /** Arrow keys move in the list, Escape closes it, Enter and Tab pick. */
  #onKey(event: KeyboardEvent): void {
    const picked = this.#pickedBy(event);
    const isMove = this.#rows.length > 0 && ['ArrowDown', 'ArrowUp', 'Escape'].includes(event.key);
    if (picked === undefined && !isMove) return;
    event.preventDefault();
    if (isMove) event.stopPropagation(); // otherwise Escape would also close the form
    if (picked !== undefined) this.#options.onPick(picked);
    else if (event.key === 'Escape') this.show([]);
    else this.#move(event.key === 'ArrowDown' ? 1 : -1);
  }

  /** Tab completes what is typed with the first row when none is chosen; in an empty field it only moves on. */
  #pickedBy({ key, shiftKey }: KeyboardEvent): Row | undefined {
    const { picksWithEnter = () => true } = this.#options;
    const active = this.#rows[this.#active];
    if (key === 'Enter') return active !== undefined && picksWithEnter(active) ? active : undefined;
    if (key !== 'Tab' || shiftKey) return undefined;
    return active ?? (this.#field.value === '' ? undefined : this.#rows[0]);
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
