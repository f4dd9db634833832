import { describe, expect, it } from 'vitest';
import { type Application, applicationChanges, applicationForm } from '../../../src/cli/commands/application.ts';

const OWN = { description: 'Ours', tags: ['ours'] };
const link = (...scopes: string[]) => ({ oauth2_install_params: { scopes, permissions: '8' } });
const discords = (...scopes: string[]) => ({ oauth2_install_params: { scopes, permissions: '0' } });
const SERVER = link('applications.commands', 'bot');
const MEMBER = link('applications.commands');

function form(set: Partial<Application>, hasUserInstall = true) {
  return applicationForm({ id: '1', name: 'Cards', ...set }, hasUserInstall);
}

describe('the installs of an application', () => {
  const NEW = { 0: discords('applications.commands', 'bot'), 1: discords('applications.commands') };
  const both = { 0: SERVER, 1: MEMBER };
  const cases: [string, boolean, Partial<Application>, Application['integration_types_config']][] = [
    ['are both offered by one that never said', true, {}, NEW],
    ['are both offered by one that said nothing', true, { integration_types_config: null }, NEW],
    ['stay as they are where both are offered', true, { integration_types_config: both }, undefined],
    [
      'stay without a link where an operator took it away',
      true,
      { integration_types_config: { 0: {}, 1: {} } },
      undefined,
    ],
    [
      'get the scopes that the bot needs, and keep the permissions that an operator chose',
      true,
      { integration_types_config: { 0: link('applications.commands'), 1: MEMBER } },
      both,
    ],
    [
      'in another order are the same',
      true,
      { integration_types_config: { 1: MEMBER, 0: link('bot', 'applications.commands') } },
      undefined,
    ],
    [
      "get members' where only servers' was offered",
      true,
      { integration_types_config: { 0: SERVER } },
      { 0: SERVER, 1: NEW[1] },
    ],
    ["lose members' where user install is off", false, { integration_types_config: both }, { 0: SERVER }],
    ["get servers' alone where user install is off", false, {}, { 0: NEW[0] }],
    [
      'of servers alone are right where user install is off',
      false,
      { integration_types_config: { 0: SERVER } },
      undefined,
    ],
    [
      'get no link where the bot is private, for which Discord takes none',
      true,
      { bot_public: false },
      { 0: {}, 1: {} },
    ],
    ['get no link where an operator has one', true, { custom_install_url: 'https://own.test' }, { 0: {}, 1: {} }],
  ];
  it.each(cases)('%s', (_, hasUserInstall, set, expected) => {
    const wanted = form({ ...OWN, ...set }, hasUserInstall);
    expect(wanted).toEqual(expected === undefined ? {} : { integration_types_config: expected });
    const written = { ...OWN, ...set, ...wanted } as Partial<Application>;
    expect(form(written, hasUserInstall)).toEqual({});
  });
});

describe('the words of an application', () => {
  const rest = { integration_types_config: { 0: SERVER, 1: MEMBER } };
  it.each([
    ['are both written where both are empty', { description: '', tags: [] }, ['description', 'tags']],
    ['are both written where Discord leaves them out', {}, ['description', 'tags']],
    ['are written where there is nothing but blanks', { ...OWN, description: ' \n' }, ['description']],
    ['are written one by one', { ...OWN, tags: null }, ['tags']],
    ['stay where an operator wrote them', OWN, []],
  ])('%s', (_, set, written) => {
    expect(Object.keys(form({ ...rest, ...set }))).toEqual(written);
  });
});

it('a change names each field, with what it was', () => {
  const application = { id: '1', name: 'Cards', ...OWN, description: '', integration_types_config: { 0: SERVER } };
  const { description, ...others } = applicationForm(application, true);
  expect(applicationChanges(application, { description: 'New', ...others })).toEqual([
    { path: 'description', before: '', after: 'New' },
    { path: 'integration_types_config.1', after: discords('applications.commands') },
  ]);
});
