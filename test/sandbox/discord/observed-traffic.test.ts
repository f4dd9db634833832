import { describe, expect, it } from 'vitest';

import { GatewaySession } from '../../../src/sandbox/discord/gateway-session.ts';
import { announcedGuilds, readyPayload } from '../../../src/sandbox/discord/ready-payload.ts';
import { apiUser, DEFAULT_WORLD } from '../../../src/sandbox/discord/world.ts';
import { eventViolations, exchangeViolations } from '../../support/discord-spec/violations.ts';

const CALLBACK = { method: 'POST', route: '/interactions/:id/:token/callback' };
const GATEWAY = { method: 'GET', route: '/gateway' };
const NO_CONTENT = { status: 204, body: undefined };
const NO_FIELDS = { status: 200, body: {} };
const FAILED = { status: 500, body: {} };

// What happens in every other test is held to the same, in test/support/each-file.ts; it would show there if something
// valid were forbidden.
describe("Discord's specification", () => {
  it.each<[string, Parameters<typeof exchangeViolations>[0], string]>([
    [
      'forbids an unknown field of a body, at any depth',
      { ...CALLBACK, sent: { type: 4, data: { embeds: [{ image: { url: 'https://x.test/a.png', alt: 'A' } }] } } },
      'POST /interactions/:id/:token/callback request data.embeds.0.image: unknown alt',
    ],
    [
      'forbids an unknown field of a body that is refused for another reason',
      {
        ...CALLBACK,
        sent: { type: 5, more: 1 },
        answered: { status: 404, body: { code: 10_062, message: 'Unknown' } },
      },
      'POST /interactions/:id/:token/callback request : unknown more',
    ],
    [
      'forbids an answer without content',
      { ...GATEWAY, answered: NO_CONTENT },
      'GET /gateway 204 : invalid_type undefined',
    ],
    [
      'requires fields of an answer',
      { ...GATEWAY, answered: NO_FIELDS },
      'GET /gateway 200 url: invalid_type undefined',
    ],
    ['forbids that it fails', { method: 'GET', answered: FAILED }, 'GET undefined 500 : invalid_type {}'],
    ['knows every route', { method: 'GET', route: '/nowhere' }, 'GET /nowhere: not in the table of routes'],
  ])('%s', (_rule, exchange, expected) => {
    expect(exchangeViolations(exchange)).toEqual([expected]);
  });

  it('requires the fields of a user in an event', () => {
    const { flags: _, ...user } = apiUser({ id: '1180000000000000101', name: 'Alice' });

    expect(eventViolations({ type: 'INTERACTION_CREATE', json: JSON.stringify({ user }) })).toEqual([
      'INTERACTION_CREATE user flags: invalid_type undefined',
    ]);
  });
});

it('READY and guilds have what other libraries read, although no specification requires it', () => {
  const world = DEFAULT_WORLD;
  const session = new GatewaySession([0, 1], { send() {}, close() {} });

  const ready = readyPayload(session, { world, resumeUrl: 'ws://x.test', version: 10 });
  const [guild] = announcedGuilds(
    { token: '', intents: 1, properties: {}, shard: [0, 1], compress: false },
    session,
    world,
  );

  expect(ready).toMatchObject({ private_channels: [] });
  expect(guild).toMatchObject({
    channels: expect.arrayContaining([expect.objectContaining({ type: 2, bitrate: 64_000 })]),
  });
});
