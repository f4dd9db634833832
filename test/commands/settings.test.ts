import { describe, expect, it } from 'vitest';
import card from '../../commands/card.ts';
import cards from '../../commands/cards.ts';
import type { ComponentUse, Message, Reply } from '../../commands/command.ts';
import settings from '../../commands/settings.ts';
import { formatMessage } from '../../src/render/messages.ts';
import { startServices, typed } from './commands.ts';

const ADMIN = { guildId: 'server', manageGuild: true };

function chosen(argument: string, value: string, more: Parameters<typeof typed>[1] = {}): ComponentUse {
  return { ...typed({}, { ...ADMIN, ...more }), argument, values: [value], content: '', manageMessages: false };
}

/** What is selected in the menus of a reply. */
function selected({ components = [] }: Message): (string | undefined)[] {
  return components.flatMap(({ components: [menu] }) =>
    menu && 'options' in menu ? menu.options.filter((option) => option.default).map(({ value }) => value) : [],
  );
}

describe('/settings', () => {
  it('shows each choice in place, with what another has chosen meanwhile', async () => {
    const { services } = await startServices();
    const choose = async (argument: string, value: string): Promise<Reply> =>
      settings.component(chosen(argument, value), services);
    const first = await choose('language', 'en');
    expect(first).toMatchObject({ isPrivate: true, isInPlace: true });
    expect(selected(first.message)).toEqual(['en', 'public']);
    expect(selected((await choose('replies', 'private')).message)).toEqual(['en', 'private']);
    expect(selected((await choose('language', 'automatic')).message)).toEqual(['automatic', 'private']);
    expect(selected((await choose('replies', 'public')).message)).toEqual(['automatic', 'public']);
  });

  it.each([
    ['a member without Manage Server', { manageGuild: false }],
    ['direct messages', { requester: { memberId: 'alice', guildId: undefined, isInstalled: true } }],
  ])('shows nothing to %s, and changes nothing', async (_, more) => {
    const { services } = await startServices();
    const refusal = { isPrivate: true, message: { content: formatMessage('en', 'settingsRefused') } };
    expect(await settings.ask(typed({}, { ...ADMIN, ...more }), services)).toMatchObject(refusal);
    expect(await settings.component(chosen('replies', 'private', more), services)).toMatchObject(refusal);
    expect(await services.settings.of(ADMIN)).toEqual({ isPrivate: false });
  });

  it.each([
    ['language', 'xx'],
    ['language', 'constructor'],
    ['replies', 'friends'],
    ['colour', 'de'],
    ['', ''],
  ])('does not obey what it never offered: %s %s', async (argument, value) => {
    const { services } = await startServices();
    await services.settings.change('server', { isPrivate: true });
    const { message } = await settings.component(chosen(argument, value), services);
    expect(message.content).toContain('too old');
    expect(await services.settings.of(ADMIN)).toEqual({ isPrivate: true });
  });

  it('says when a choice is not kept, and shows what is set still', async () => {
    const { services } = await startServices();
    await services.settings.change('server', { isPrivate: true });
    services.settings.change = async () => undefined; // as with a full disk
    const { message, isInPlace } = await settings.component(chosen('replies', 'public'), services);
    expect(message.content).toMatch(/^I couldn't save that/);
    expect([isInPlace, selected(message)]).toEqual([true, ['automatic', 'private']]);
  });
});

describe.each([
  ['/card', card, 'id'],
  ['/cards', cards, 'ids'],
] as const)('the reply to %s is private as the member says, otherwise as the server has set it', (_, command, name) => {
  it.each([
    { server: false, member: undefined, expected: false },
    { server: false, member: true, expected: true },
    { server: true, member: undefined, expected: true },
    { server: true, member: false, expected: false },
  ])('$server, $member: $expected', async ({ server, member, expected }) => {
    const { services } = await startServices();
    const options = { [name]: 'base1-4', ...(member !== undefined && { private: member }) };
    const use = typed(options, { server: { isPrivate: server } });
    expect(await command.ask(use, services)).toMatchObject({ isPrivate: expected });
  });
});
