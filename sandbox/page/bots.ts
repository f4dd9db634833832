import type { ShownBots } from '../bots.ts';
import type { Guild } from '../discord/chat.ts';
import { cutOffRedis, press, startOrKill } from './api.ts';
import { Controls, row } from './controls.ts';
import { element } from './element.ts';
import { type Panel, whenChanged } from './panel.ts';
import { heldBy } from './viewer.ts';

/** The processes of the bot and their Redis, which can be killed and started. */
export function botsPanel(root: HTMLElement): Panel {
  const controls = new Controls();
  const rows = element('section');
  controls.insert(root, element('h2', { id: 'bots-heading' }, 'The bot'), rows);
  const draw = whenChanged((shown: ShownBots, guilds: readonly Guild[]) => {
    const focused = document.activeElement?.id ?? '';
    root.hidden = false;
    rows.replaceChildren(
      ...shown.bots.map((bot) => botRow(bot, heldBy(bot.number, shown.bots.length, guilds), controls)),
      redisRow(shown, controls),
    );
    if (focused !== '') document.getElementById(focused)?.focus();
  });
  return ({ bots, guilds }) => bots && draw(bots, guilds);
}

function botRow({ number, state }: ShownBots['bots'][number], held: string, controls: Controls): HTMLElement {
  const [words, route] =
    state === 'stopped' ? (['Start', '/api/bots/start'] as const) : (['Kill', '/api/bots/kill'] as const);
  const button = controls.button(words, `${words} process ${number}`, () => startOrKill(route, number));
  button.id = `bot-${number}`; // it keeps the focus when it is drawn again
  const served = held === '' ? '' : `${state === 'stopped' ? ' · nobody answers in' : ' · answers in'} ${held}`;
  return row(named(`Process ${number}`, state, served), button);
}

function redisRow({ redis }: ShownBots, controls: Controls): HTMLElement {
  if (redis === 'absent')
    return element('p', { className: 'quiet' }, 'With a Redis on this machine, there could be two.');
  const [words, label, use] =
    redis === 'unused'
      ? (['Add', 'Add a second process, over Redis', () => press('/api/bots/second')] as const)
      : redis === 'cut off'
        ? (['Reconnect', 'Reconnect Redis', () => cutOffRedis(false)] as const)
        : (['Cut off', 'Cut off Redis', () => cutOffRedis(true)] as const);
  const button = Object.assign(controls.button(words, label, use), { id: 'redis' });
  return row(redis === 'unused' ? 'A second one, over Redis' : named('Redis', redis), button);
}

function named(name: string, state: string, more = ''): HTMLElement {
  return element('span', {}, `${name} `, element('span', { className: 'quiet' }, `(${state})${more}`));
}
