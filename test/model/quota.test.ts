import { expect, it } from 'vitest';
import { guildKey, placeKey, type Requester } from '../../src/model/quota.ts';
import { table } from '../table.ts';

it.each(table`
  in a server | guild | | true | guild | guild
  in direct messages | | | | dm:alice | dm:alice
  in direct messages of a known channel | | 7 | true | dm:alice | dm:7
  in a foreign server | guild | | false | foreign | guild
  in a group | | 8 | false | foreign | dm:8
`)('a lookup %s (%s, %s, installed: %s) is booked, and ranks: %s, %s', (_, guild, channel, installed, ...keys) => {
  const requester: Requester = {
    ...{ memberId: 'alice', guildId: guild || undefined },
    ...(channel && { channelId: channel }),
    ...(installed && { isInstalled: installed === 'true' }),
  };
  expect([guildKey(requester), placeKey(requester)]).toEqual(keys);
});
