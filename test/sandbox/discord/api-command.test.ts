import { describe, expect, it } from 'vitest';
import { isVisible, type RegisteredCommand } from '../../../sandbox/discord/api-command.ts';
import type { Whereabouts } from '../../../sandbox/discord/chat.ts';
import { readCommand } from '../../../sandbox/discord/command-rules.ts';
import { placeOf } from '../../../sandbox/discord/place.ts';
import { DEFAULT_WORLD as world } from '../../../sandbox/discord/world.ts';

const GUILD = '1180000000000655361';
const FOREIGN = world.foreignGuilds[0]?.id ?? '';
const MANAGE_GUILD = '32';
const BOTH = { integration_types: [0, 1] };

function registered(form: object, guildId: string | null = null): RegisteredCommand {
  return { id: '1', version: '2', guildId, form: readCommand({ name: 'card', description: 'x', ...form }) };
}

describe('a command is visible', () => {
  it.each<[string, object, string | null, string | null, boolean, boolean]>([
    ['global, in a server', {}, null, GUILD, false, true],
    ['global, in direct messages', {}, null, null, false, true],
    ['for servers only, in direct messages', { contexts: [0] }, null, null, false, false],
    ['without direct messages, in them', { dm_permission: false }, null, null, false, false],
    ['for direct messages only, in a server', { contexts: [1] }, null, GUILD, false, false],
    ["a server's own, there", {}, GUILD, GUILD, false, true],
    ["a server's own, in another", {}, GUILD, '1180000000004849665', false, false],
    ["a server's own, in direct messages", {}, GUILD, null, false, false],
    ['for managers, to a member', { default_member_permissions: MANAGE_GUILD }, null, GUILD, false, false],
    ['for managers, to one', { default_member_permissions: MANAGE_GUILD }, null, GUILD, true, true],
    ['for managers, in direct messages', { default_member_permissions: MANAGE_GUILD }, null, null, false, true],
    ['for administrators, to a manager', { default_member_permissions: '0' }, null, GUILD, true, false],
  ])('%s', (_what, form, scope, guildId, manageGuild, expected) => {
    const at = placeOf({ guildId, manageGuild }, world);
    expect(isVisible(registered(form, scope), at)).toBe(expected);
  });

  it.each<[string, object, Whereabouts, boolean]>([
    ['of an app that only the server has, in a group', {}, { context: 2 }, false],
    ['for users, in a group', { integration_types: [1] }, { context: 2 }, true],
    ['for users but not for groups, in a group', { integration_types: [1], contexts: [0, 1] }, { context: 2 }, false],
    ['for users, to one who has not installed it', { integration_types: [1] }, {}, false],
    ['for users, to one who has', { integration_types: [1] }, { installedFor: 'user' }, true],
    ['for servers, to one who has it alone', { integration_types: [0] }, { installedFor: 'user' }, false],
    ['for both, to one who has both', BOTH, { installedFor: 'both' }, true],
    ['for users, in a foreign server', { integration_types: [1] }, { guildId: FOREIGN }, true],
    ['for servers, in a foreign one', { integration_types: [0] }, { guildId: FOREIGN, installedFor: 'both' }, false],
    ['for both, to one who has not installed it', BOTH, { guildId: FOREIGN, installedFor: 'guild' }, false],
    ['for servers, in direct messages of one who shares none', {}, { guildId: null, installedFor: 'user' }, true],
  ])('%s', (_what, form, at, expected) => {
    expect(isVisible(registered(form), placeOf(at, world))).toBe(expected);
  });
});
