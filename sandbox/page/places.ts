import type { Guild } from '../discord/chat.ts';
import type { Snapshot } from '../page-protocol.ts';
import { avatarOf, BOT_NAME, botAvatar } from './avatars.ts';
import { element } from './element.ts';
import { whenChanged } from './panel.ts';
import { isSame, type ShownPlace } from './viewer.ts';

export const DIRECT_MESSAGES: ShownPlace = { guildId: null, context: 1 };
const GROUP: ShownPlace = { guildId: null, context: 2 };
export const NOT_INSTALLED = 'The bot was not added here. Members who installed it for themselves use it all the same.';
const GROUP_NAME = 'Friends';

type Guilds = Pick<Snapshot, 'guilds' | 'foreignGuilds'>;

/** The servers, the direct messages with the bot, and places where only a member brings it. */
export function places(
  root: HTMLElement,
  onChoose: (place: ShownPlace) => void,
): (guilds: Guilds, current: ShownPlace) => void {
  const draw = whenChanged(({ guilds, foreignGuilds }: Guilds, current: ShownPlace) => {
    const button = (place: ShownPlace, name: string, picture = avatarOf(name)) => {
      const made = element('button', { type: 'button' }, element('img', { src: picture, alt: '' }), name);
      if (isSame(place, current)) made.ariaCurrent = 'page';
      made.addEventListener('click', () => onChoose(place));
      return made;
    };
    const servers = (shown: readonly Guild[]) => shown.map(({ id, name }) => button({ guildId: id, context: 0 }, name));
    const focused = root.contains(document.activeElement);
    root.replaceChildren(
      element('h2', {}, 'Servers'),
      ...servers(guilds),
      element('h2', {}, 'Direct messages'),
      button(DIRECT_MESSAGES, BOT_NAME, botAvatar()),
      element('h2', {}, 'Not installed'),
      element('p', { className: 'quiet' }, NOT_INSTALLED),
      ...servers(foreignGuilds),
      button(GROUP, GROUP_NAME),
    );
    if (focused) root.querySelector<HTMLElement>('[aria-current]')?.focus();
  });
  return ({ guilds, foreignGuilds }, { guildId, context }) => draw({ guilds, foreignGuilds }, { guildId, context });
}

/** The heading above a place, and what it is. */
export function headingOf({ guildId, context }: ShownPlace, { guilds, foreignGuilds }: Guilds): [string, string] {
  if (context === 2) return [GROUP_NAME, 'Group · not installed'];
  if (context === 1) return [`@${BOT_NAME}`, 'Direct messages'];
  const foreign = foreignGuilds.find(({ id }) => id === guildId);
  const what = foreign?.externalApps === false ? 'no external apps' : 'not installed';
  return ['#card-talk', foreign ? `${foreign.name} · ${what}` : (guilds.find(({ id }) => id === guildId)?.name ?? '')];
}
