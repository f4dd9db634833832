import { describe, expect, it } from 'vitest';
import { readableFrame } from '../../../src/discord/gateway/sturdy-shard.ts';

const ID = '1180000000000000001';
const INTERACTION = { id: ID, application_id: ID, token: 'token', member: { user: { id: ID } }, guild_id: ID };
const HELLO = { op: 10, d: { heartbeat_interval: 41_250 } };

describe('a frame', () => {
  it.each([
    ['an event', { op: 0, t: 'READY', s: 1, d: { session_id: 'session' } }],
    ['an interaction', { op: 0, t: 'INTERACTION_CREATE', s: 2, d: INTERACTION }],
    ['HELLO', HELLO],
    ['a resumable session', { op: 9, d: true }],
    ['an unknown op code', { op: 99 }],
  ])('that is valid passes unchanged: %s', (_, frame) => {
    expect(readableFrame(structuredClone(frame), false)).toEqual(frame);
  });

  it.each([null, 'text', 7, undefined])('that is no object is dropped: %j', (frame) => {
    expect(readableFrame(frame, false)).toBeNull();
  });

  it('with a second HELLO is dropped: it would double the heartbeats', () => {
    expect(readableFrame(HELLO, true)).toBeNull();
  });

  it.each([null, undefined, 'true', {}])(
    'that ends a session without saying true is treated as not resumable: %s',
    (d) => {
      expect(readableFrame({ op: 9, d }, true)).toEqual({ op: 9, d: false });
    },
  );
});
