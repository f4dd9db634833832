import type { Member } from '../discord/chat.ts';
import { avatarOf } from './avatars.ts';
import { element } from './element.ts';
import { whenChanged } from './panel.ts';
import type { Viewer } from './viewer.ts';

export type IdentityChange = { memberId: string } | { manageGuild: boolean };

/** "You are": the member who types, with or without Manage Server. */
export class Identity {
  readonly #picture = element('img', { alt: '' });
  readonly #select = element('select', { ariaLabel: 'Member' });
  readonly #manage = element('input', { type: 'checkbox' });
  readonly #list = whenChanged((members: readonly Member[]) =>
    this.#select.replaceChildren(...members.map(({ id, name }) => element('option', { value: id }, name))),
  );

  constructor(root: HTMLElement, { onChange }: { onChange: (change: IdentityChange) => void }) {
    this.#select.addEventListener('change', () => onChange({ memberId: this.#select.value }));
    this.#manage.addEventListener('change', () => onChange({ manageGuild: this.#manage.checked }));
    root.append(
      element('h2', {}, 'You are'),
      element('div', { className: 'who' }, this.#picture, this.#select),
      element('label', { className: 'tick' }, this.#manage, 'with Manage Server'),
    );
  }

  show(members: readonly Member[], { member, guildId, manageGuild }: Viewer): void {
    this.#list(members);
    this.#select.value = member.id;
    this.#picture.src = avatarOf(member.name);
    this.#manage.checked = manageGuild && guildId !== null;
    this.#manage.disabled = guildId === null;
  }
}
