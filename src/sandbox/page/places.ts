import type { Guild } from '../discord/chat.ts';
import { avatarOf, BOT_NAME, botAvatar } from './avatars.ts';
import { element } from './element.ts';
import { isSame, type ShownPlace } from './viewer.ts';

const DIRECT_MESSAGES: ShownPlace = { guildId: null, context: 1 };
const GROUP: ShownPlace = { guildId: null, context: 2 };
const GROUP_NAME = 'Friends';

/** The guilds of the emulated Discord, with and without the bot. */
export interface Guilds {
  guilds: readonly Guild[];
  foreignGuilds: readonly Guild[];
}

/** The servers, the direct messages with the bot, and places where only a member brings it. */
export class Places {
  readonly #root: HTMLElement;
  readonly #onChoose: (place: ShownPlace) => void;
  #drawn = '';

  constructor(root: HTMLElement, { onChoose }: { onChoose: (place: ShownPlace) => void }) {
    this.#root = root;
    this.#onChoose = onChoose;
  }

  show({ guilds, foreignGuilds }: Guilds, { guildId, context }: ShownPlace): void {
    const current = { guildId, context };
    const wanted = JSON.stringify([guilds, foreignGuilds, current]);
    if (wanted === this.#drawn) return;
    this.#drawn = wanted;

    const focused = this.#root.contains(document.activeElement);
    const servers = (shown: readonly Guild[]) =>
      shown.map(({ id, name }) => this.#button({ guildId: id, context: 0 }, name, avatarOf(name), current));
    this.#root.replaceChildren(
      element('h2', {}, 'Servers'),
      ...servers(guilds),
      element('h2', {}, 'Direct messages'),
      this.#button(DIRECT_MESSAGES, BOT_NAME, botAvatar(), current),
      element('h2', {}, 'Not installed'),
      ...servers(foreignGuilds),
      this.#button(GROUP, GROUP_NAME, avatarOf(GROUP_NAME), current),
    );
    if (focused) this.#root.querySelector<HTMLElement>('[aria-current]')?.focus();
  }

  #button(place: ShownPlace, name: string, picture: string, current: ShownPlace): HTMLElement {
    const button = element('button', { type: 'button' }, element('img', { src: picture, alt: '' }), name);
    if (isSame(place, current)) button.ariaCurrent = 'page';
    button.addEventListener('click', () => this.#onChoose(place));
    return button;
  }
}

/** The heading above a place, and what it is. */
export function headingOf({ guildId, context }: ShownPlace, { guilds, foreignGuilds }: Guilds): [string, string] {
  if (context === 2) return [GROUP_NAME, 'Group · not installed'];
  if (context === 1) return [`@${BOT_NAME}`, 'Direct messages'];
  const foreign = foreignGuilds.find(({ id }) => id === guildId);
  const what = foreign?.externalApps === false ? 'no external apps' : 'not installed';
  return ['#card-talk', foreign ? `${foreign.name} · ${what}` : (guilds.find(({ id }) => id === guildId)?.name ?? '')];
}
