import type { Guild } from '../discord/chat.ts';
import { avatarOf, BOT_NAME, botAvatar } from './avatars.ts';
import { element } from './element.ts';

/** The servers, and the direct messages with the bot. */
export class Places {
  readonly #root: HTMLElement;
  readonly #onChoose: (guildId: string | null) => void;
  #drawn = '';

  constructor(root: HTMLElement, { onChoose }: { onChoose: (guildId: string | null) => void }) {
    this.#root = root;
    this.#onChoose = onChoose;
  }

  show(guilds: readonly Guild[], current: string | null): void {
    const wanted = JSON.stringify([guilds, current]);
    if (wanted === this.#drawn) return;
    this.#drawn = wanted;

    const focused = this.#root.contains(document.activeElement);
    this.#root.replaceChildren(
      element('h2', {}, 'Servers'),
      ...guilds.map(({ id, name }) => this.#button(id, name, avatarOf(name), current)),
      element('h2', {}, 'Direct messages'),
      this.#button(null, BOT_NAME, botAvatar(), current),
    );
    if (focused) this.#root.querySelector<HTMLElement>('[aria-current]')?.focus();
  }

  /** @param guildId `null` = direct messages */
  #button(guildId: string | null, name: string, picture: string, current: string | null): HTMLElement {
    const button = element('button', { type: 'button' }, element('img', { src: picture, alt: '' }), name);
    if (guildId === current) button.ariaCurrent = 'page';
    button.addEventListener('click', () => this.#onChoose(guildId));
    return button;
  }
}
