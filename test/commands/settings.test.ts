import { expect, it } from 'vitest';
import card from '../../commands/card.ts';
import cards from '../../commands/cards.ts';
import type { Message } from '../../commands/command.ts';
import settings from '../../commands/settings.ts';
import { LANGUAGES } from '../../src/render/languages.ts';
import { formatMessage } from '../../src/render/messages.ts';
import { expectAccepted } from '../render/discord-limits.ts';
import { table } from '../table.ts';
import { pressed, startServices, typed } from './commands.ts';

const ADMIN = { guildId: 'server', manageGuild: true };

const chosen = (argument: string, value: string, more = {}) => pressed(argument, [value], { ...ADMIN, ...more });

/** What is selected in the menus of a reply. */
function selected({ components = [] }: Message): (string | undefined)[] {
  return components.flatMap(({ components: [menu] }) =>
    menu && 'options' in menu ? menu.options.filter((option) => option.default).map(({ value }) => value) : [],
  );
}

it('each choice is shown in place, with what another has chosen meanwhile', async () => {
  const { services } = await startServices();
  for (const [argument = '', value = '', ...now] of table`
    language | en | en | public
    replies | private | en | private
    language | automatic | automatic | private
    replies | public | automatic | public
  `) {
    const reply = await settings.component(chosen(argument, value), services);
    expect(reply).toMatchObject({ isPrivate: true, isInPlace: true });
    expect(selected(reply.message)).toEqual(now);
  }
});

it.each(LANGUAGES)('Discord takes the settings of a server in %s', async (locale) => {
  const { services } = await startServices();
  services.settings.change = async () => undefined; // so that there is a note
  for (const isPrivate of [true, false]) {
    services.settings.of = async () => ({ isPrivate });
    const { message } = await settings.component(chosen('replies', 'public', { locale }), services);
    expect(message.components).toHaveLength(2);
    expectAccepted(message);
  }
});

it.each([
  ['a member without Manage Server', { manageGuild: false }],
  ['direct messages', { requester: { memberId: 'alice', guildId: undefined, isInstalled: true } }],
])('/settings shows nothing to %s, and changes nothing', async (_, more) => {
  const { services } = await startServices();
  const refusal = { isPrivate: true, message: { content: formatMessage('en', 'settingsRefused') } };
  expect(await settings.ask(typed({}, { ...ADMIN, ...more }), services)).toMatchObject(refusal);
  expect(await settings.component(chosen('replies', 'private', more), services)).toMatchObject(refusal);
  expect(await services.settings.of(ADMIN)).toEqual({ isPrivate: false });
});

it.each([
  ['language', 'constructor'],
  ['replies', 'friends'],
  ['colour', 'de'],
])('what was never offered is not obeyed: %s %s', async (argument, value) => {
  const { services } = await startServices();
  await services.settings.change('server', { isPrivate: true });
  const { message } = await settings.component(chosen(argument, value), services);
  expect(message.content).toContain('too old');
  expect(await services.settings.of(ADMIN)).toEqual({ isPrivate: true });
});

it('it is said when a choice is not kept, and what is set still', async () => {
  const { services } = await startServices();
  await services.settings.change('server', { isPrivate: true });
  services.settings.change = async () => undefined; // as with a full disk
  const { message, isInPlace } = await settings.component(chosen('replies', 'public'), services);
  expect(message.content).toMatch(/^I couldn't save that/);
  expect([isInPlace, selected(message)]).toEqual([true, ['automatic', 'private']]);
});

it.each([
  ['/card', card, 'id'],
  ['/cards', cards, 'ids'],
] as const)('the reply to %s is private as the member says, otherwise as the server has set it', async (...row) => {
  const [, command, name] = row;
  const { services } = await startServices();
  const isPrivate = async (server: boolean, member?: boolean) => {
    const options = { [name]: 'base1-4', ...(member !== undefined && { private: member }) };
    const asked = await command.ask(typed(options, { server: { isPrivate: server } }), services);
    return 'isPrivate' in asked && asked.isPrivate;
  };
  expect(await Promise.all([isPrivate(false), isPrivate(false, true)])).toEqual([false, true]);
  expect(await Promise.all([isPrivate(true), isPrivate(true, false)])).toEqual([true, false]);
});
