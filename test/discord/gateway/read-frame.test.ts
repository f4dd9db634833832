import { describe, expect, it } from 'vitest';
import { readFrame } from '../../../src/discord/gateway/read-frame.ts';

const ID = '1180000000000000001';
const READY = {
  user: { id: ID },
  application: { id: ID },
  guilds: [{ id: ID, unavailable: true }],
  session_id: 'session',
  resume_gateway_url: 'wss://gateway.example',
};
const INTERACTION = { id: ID, application_id: ID, token: 'token', member: { user: { id: ID } }, guild_id: ID };

function event(t: unknown, d: unknown, s: unknown = 1) {
  return { op: 0, t, d, s };
}

describe('a frame', () => {
  it.each([
    ['an event that is not read', event('GUILD_CREATE', undefined)],
    ['READY', event('READY', READY)],
    ['an interaction in a server', event('INTERACTION_CREATE', INTERACTION)],
    ['one in a direct message', event('INTERACTION_CREATE', { ...INTERACTION, member: undefined, user: { id: ID } })],
    ['HELLO', { op: 10, d: { heartbeat_interval: 41_250 } }],
    ['a resumable session', { op: 9, d: true }],
    ['an unknown op code', { op: 99 }],
  ])('that is valid passes unchanged: %s', (_, frame) => {
    expect(readFrame(frame, false)).toEqual({ frame });
  });

  it.each<[unknown, string]>([
    [null, 'no gateway payload'],
    ['text', 'no gateway payload'],
    [{ op: '0' }, 'no gateway payload'],
    [event(undefined, {}), 'an event without a name'],
    [event('error', {}), 'an event without a name'],
    [event('__proto__', {}), 'an event without a name'],
    [event('READY', undefined), 'wrong or missing: user, application, guilds, session_id'],
    [event('READY', { ...READY, session_id: undefined }), 'wrong or missing: session_id'],
    [event('READY', { ...READY, guilds: [{}] }), 'wrong or missing: guilds'],
    [event('INTERACTION_CREATE', { ...INTERACTION, member: {} }), 'wrong or missing: author'],
    [event('INTERACTION_CREATE', { ...INTERACTION, user: {} }), 'wrong or missing: author'],
    [event('INTERACTION_CREATE', { ...INTERACTION, token: '' }), 'wrong or missing: token'],
    [{ op: 10 }, 'HELLO without a heartbeat interval'],
    [{ op: 10, d: { heartbeat_interval: 0 } }, 'HELLO without a heartbeat interval'],
    [{ op: 10, d: { heartbeat_interval: '41250' } }, 'HELLO without a heartbeat interval'],
    [{ op: 10, d: { heartbeat_interval: 2 ** 31 } }, 'HELLO without a heartbeat interval'],
  ])('that discord.js cannot handle is dropped: %j', (frame, odd) => {
    expect(readFrame(frame, false)).toMatchObject({ odd });
  });

  it('with a second HELLO is dropped: it would double the heartbeats', () => {
    expect(readFrame({ op: 10, d: { heartbeat_interval: 41_250 } }, true)).toEqual({ odd: 'a second HELLO' });
  });

  it.each([null, undefined, 'true', {}])(
    'that ends a session without saying true is treated as not resumable: %s',
    (d) => {
      expect(readFrame({ op: 9, d }, true)).toEqual({ frame: { op: 9, d: false } });
    },
  );

  it.each([null, '7', -1, 1.5, {}])('with the invalid sequence number %s gets none', (s) => {
    expect(readFrame(event('RESUMED', {}, s), true)).toMatchObject({ frame: { s: null } });
  });

  it.each([undefined, 7, 'gateway', 'https://gateway.example'])('loses the invalid resume address %s', (url) => {
    expect(readFrame(event('READY', { ...READY, resume_gateway_url: url }), true)).toMatchObject({
      frame: { d: { session_id: 'session', resume_gateway_url: undefined } },
    });
  });
});
