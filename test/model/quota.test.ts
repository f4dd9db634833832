import { expect, it } from 'vitest';
import { guildKey, placeKey, type Requester } from '../../src/model/quota.ts';

const MEMBER = { memberId: 'alice' };

it.each<[string, Requester, booked: string, ranks: string]>([
  ['in a server', { ...MEMBER, guildId: 'guild', isInstalled: true }, 'guild', 'guild'],
  ['in direct messages', { ...MEMBER, guildId: undefined }, 'dm:alice', 'dm:alice'],
  [
    'in direct messages of a known channel',
    { ...MEMBER, guildId: undefined, channelId: '7', isInstalled: true },
    'dm:alice',
    'dm:7',
  ],
  ['in a foreign server', { ...MEMBER, guildId: 'guild', isInstalled: false }, 'foreign', 'guild'],
  ['in a group', { ...MEMBER, guildId: undefined, channelId: '8', isInstalled: false }, 'foreign', 'dm:8'],
])('a lookup %s is booked, and ranks', (_, requester, booked, ranks) => {
  expect([guildKey(requester), placeKey(requester)]).toEqual([booked, ranks]);
});
