import type { BotState, ShownBots } from '../bots.ts';
import type { Snapshot } from '../page-protocol.ts';
import { cutOffRedis, press, startOrKill } from './api.ts';
import { Controls, row } from './controls.ts';
import { element } from './element.ts';

const STATES: Readonly<Record<BotState, string>> = {
  running: '(running)',
  starting: '(starting)',
  stopped: '(stopped)',
};

/** The processes of the bot and their Redis, which can be killed and started. */
export class BotsPanel {
  readonly #root: HTMLElement;
  readonly #controls = new Controls();
  readonly #rows = element('section');
  #drawn = '';

  constructor(root: HTMLElement) {
    this.#root = root;
    this.#controls.insert(root, element('h2', { id: 'bots-heading' }, 'The bot'), this.#rows);
  }

  show({ bots: shown }: Snapshot): void {
    const wanted = JSON.stringify(shown);
    if (shown === undefined || wanted === this.#drawn) return;
    this.#drawn = wanted;

    const focused = document.activeElement?.id ?? '';
    this.#root.hidden = false;
    this.#rows.replaceChildren(...shown.bots.map((bot) => this.#bot(bot)), ...this.#ofRedis(shown));
    if (focused !== '') document.getElementById(focused)?.focus();
  }

  #bot({ number, state }: ShownBots['bots'][number]): HTMLElement {
    const [words, label, route] =
      state === 'stopped'
        ? (['Start', `Start process ${number}`, '/api/bots/start'] as const)
        : (['Kill', `Kill process ${number}`, '/api/bots/kill'] as const);
    const button = this.#button(`bot-${number}`, words, label, () => startOrKill(route, number));
    return row(
      element('span', {}, `Process ${number} `, element('span', { className: 'quiet' }, STATES[state])),
      button,
    );
  }

  #ofRedis({ redis }: ShownBots): HTMLElement[] {
    if (redis === 'absent')
      return [element('p', { className: 'quiet' }, 'With a Redis on this machine, there could be two.')];
    if (redis === 'unused') {
      const add = this.#button('redis', 'Add', 'Add a second process, over Redis', () => press('/api/bots/second'));
      return [row('A second one, over Redis', add)];
    }
    const isCut = redis === 'cut off';
    const button = isCut
      ? this.#button('redis', 'Reconnect', 'Reconnect Redis', () => cutOffRedis(false))
      : this.#button('redis', 'Cut off', 'Cut off Redis', () => cutOffRedis(true));
    return [row(element('span', {}, 'Redis ', element('span', { className: 'quiet' }, `(${redis})`)), button)];
  }

  #button(id: string, words: string, label: string, use: () => unknown): HTMLElement {
    return Object.assign(this.#controls.button(words, label, use), { id });
  }
}
