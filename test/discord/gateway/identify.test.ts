import { CloseCodes, WebSocketManager, WebSocketShardEvents } from '@discordjs/ws';
import { ApplicationFlags, GatewayCloseCodes, REST } from 'discord.js';
import { describe, expect, it } from 'vitest';
import { apiUser } from '../../../sandbox/discord/world.ts';
import { IdentifyThrottler, refusedWaitMs } from '../../../src/discord/gateway/identify.ts';
import { logLines } from '../../support/log-lines.ts';

const READY = {
  v: 10,
  user: apiUser({ id: '1', name: 'Cards' }),
  guilds: [],
  session_id: 's',
  resume_gateway_url: 'ws://127.0.0.1:9',
  application: { id: '1', flags: ApplicationFlags.Embedded, flags_new: '0' },
};

/** @param heldForMs of the first attempts to claim; the later ones succeed */
function throttled({ heldForMs = [], maxConcurrency = 1 }: { heldForMs?: number[]; maxConcurrency?: number } = {}) {
  const manager = new WebSocketManager({ token: 'a.b.c', intents: 0, rest: new REST() });
  const { log, lines } = logLines();
  const requested: string[] = [];
  const refusals: number[] = [];
  const throttler = new IdentifyThrottler(manager, {
    maxConcurrency,
    claims: {
      async claim(name, { ttlMs, endsWithOwner }) {
        expect([ttlMs, endsWithOwner]).toEqual([5_500, false]);
        requested.push(name);
        const waitMs = heldForMs.shift();
        return waitMs === undefined ? 'mine' : { heldForMs: waitMs };
      },
    },
    log,
    waitMs(count) {
      refusals.push(count);
      return 1;
    },
  });
  return {
    identify: (shard: number, signal = new AbortController().signal) => throttler.waitForIdentify(shard, signal),
    requested,
    refusals,
    lines,
    ready: (shardId: number) => manager.emit(WebSocketShardEvents.Ready, { shardId, data: READY }),
    closed: (shardId: number, code: number) => manager.emit(WebSocketShardEvents.Closed, { shardId, code }),
  };
}

describe('a shard that wants to identify', () => {
  it('asks for its turn until it has it', async () => {
    const { identify, requested, lines } = throttled({ heldForMs: [3, 2] });
    await identify(0);
    expect(requested).toEqual(['identify:0', 'identify:0', 'identify:0']);
    expect(lines).toEqual([]);
  });

  it('takes turns with the shards that leave the same remainder', async () => {
    const { identify, requested } = throttled({ maxConcurrency: 4 });
    await Promise.all([1, 4, 6, 9].map((shard) => identify(shard)));
    expect(requested).toEqual([1, 0, 2, 1].map((key) => `identify:${key}`));
  });

  it('waits first when its last identify was refused, by the number of refusals, and logs it', async () => {
    const { identify, requested, refusals, lines } = throttled();

    for (const shard of [0, 0, 1, 0]) await identify(shard);

    expect(refusals).toEqual([1, 2]);
    expect(requested).toHaveLength(4);
    expect(lines).toMatchObject([
      { shard: 0, refusals: 1, waitMs: 1 },
      { shard: 0, refusals: 2, waitMs: 1 },
    ]);
  });

  it('still waits when the connection was closed after op 9', async () => {
    const { identify, refusals, closed } = throttled();
    await identify(0);
    closed(0, CloseCodes.Normal);
    await identify(0);
    expect(refusals).toEqual([1]);
  });

  it.each<[string, (shard: ReturnType<typeof throttled>) => void]>([
    ['READY', ({ ready }) => ready(0)],
    ['a broken connection', ({ closed }) => closed(0, 1_006)],
    ['an error of Discord', ({ closed }) => closed(0, GatewayCloseCodes.UnknownError)],
  ])('does not wait after %s', async (_, happens) => {
    const shard = throttled();
    await shard.identify(0);
    happens(shard);
    await shard.identify(0);
    expect(shard.refusals).toEqual([]);
  });

  it('stops waiting when its connection closes, and asks again with the next', async () => {
    const { identify, requested } = throttled({ heldForMs: [3_600_000] });
    const connection = new AbortController();
    const waiting = identify(0, connection.signal);
    await expect.poll(() => requested).toHaveLength(1);
    connection.abort();

    await expect(waiting).rejects.toThrow('aborted');
    await identify(0);

    expect(requested).toHaveLength(2);
  });
});

it.each([
  ['outlasts the identify that was accepted by a second', 1, 0, 6_000],
  ['is up to four seconds longer, at random', 1, 1, 10_000],
  ['spreads twice as wide after the next', 2, 1, 14_000],
  ['keeps its minimum', 9, 0, 6_000],
  ['is 100 s in the mean after many, so that no day has 1,000 of them', 50, 0.5, 100_000],
])('the wait after a refused identify %s', (_, refusals, random, waitMs) => {
  expect(refusedWaitMs(refusals, () => random)).toBe(waitMs);
});
