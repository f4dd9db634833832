import { element } from './element.ts';

/** Each with the id of what it shows. */
const TABS = [
  { part: 'chat', words: 'Chat', shown: 'chat' },
  { part: 'service', words: 'Card service', shown: 'panel' },
] as const;
type Part = (typeof TABS)[number]['part'];

/** Chat or card service, where there is no room for both; the style sheets do the rest. */
export class Tabs {
  readonly #tabs: ReadonlyMap<Part, HTMLElement>;

  constructor(root: HTMLElement) {
    this.#tabs = new Map(TABS.map((tab) => [tab.part, this.#tab(tab)]));
    root.append(...this.#tabs.values());
    root.addEventListener('keydown', ({ key }) => {
      if (key !== 'ArrowLeft' && key !== 'ArrowRight') return;
      const other = document.body.dataset.part === 'chat' ? 'service' : 'chat';
      this.show(other);
      this.#tabs.get(other)?.focus();
    });
    this.show('chat');
  }

  show(shown: Part): void {
    document.body.dataset.part = shown;
    for (const [part, tab] of this.#tabs) {
      tab.ariaSelected = String(part === shown);
      tab.tabIndex = part === shown ? 0 : -1;
    }
  }

  #tab({ part, words, shown }: (typeof TABS)[number]): HTMLElement {
    const tab = element('button', { type: 'button', role: 'tab' }, words);
    tab.setAttribute('aria-controls', shown);
    tab.addEventListener('click', () => this.show(part));
    return tab;
  }
}
