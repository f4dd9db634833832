import type { ShownCard } from '../page-protocol.ts';
import { botAvatar } from './avatars.ts';
import { element } from './element.ts';

const SAMPLES = 4;
/** What is typed for the first card, and the words after each key. */
const KEYS = [
  ['/card', ', '],
  ['Enter', ', '],
  ['ember', ', '],
  ['↓', ', '],
  ['Enter', ' to pick, '],
  ['Enter', ' to send. Or try:'],
] as const;

/** The welcome message: what to type, and a few cards to try. */
export class Welcome {
  readonly root = element('section', { className: 'welcome', ariaLabel: 'Welcome' });
  readonly #onTry: (card: ShownCard) => void;

  constructor({ onTry }: { onTry: (card: ShownCard) => void }) {
    this.#onTry = onTry;
  }

  show(botName: string, cards: readonly ShownCard[]): void {
    if (this.root.childElementCount > 0) return;
    this.root.append(
      element('img', { src: botAvatar(), alt: '' }),
      element('h2', {}, `Ask ${botName} for a card`),
      element('p', {}, 'Type ', ...KEYS.flatMap(([key, next]) => [element('kbd', {}, key), next])),
      element('div', { className: 'samples' }, ...spread(cards).map((card) => this.#button(card))),
    );
  }

  #button(card: ShownCard): HTMLElement {
    const button = element('button', { type: 'button', title: `/card id:${card.id}` }, card.name);
    button.append(element('code', {}, card.id));
    button.addEventListener('click', () => this.#onTry(card));
    return button;
  }
}

/** Cards from the whole list, so that every game occurs. */
function spread(cards: readonly ShownCard[]): readonly ShownCard[] {
  const step = Math.max(1, Math.floor(cards.length / SAMPLES));
  return cards.filter((_, index) => index % step === 0).slice(0, SAMPLES);
}
