import { CloseCodes, WebSocketManager, WebSocketShardEvents } from '@discordjs/ws';
import { ApplicationFlags, GatewayCloseCodes, REST } from 'discord.js';
import { describe, expect, it } from 'vitest';
import { IdentifyThrottler } from '../../../src/discord/gateway/identify-throttler.ts';
import { apiUser } from '../../../src/sandbox/discord/world.ts';
import { logLines } from '../../support/log-lines.ts';

const READY = {
  v: 10,
  user: apiUser({ id: '1', name: 'Cards' }),
  guilds: [],
  session_id: 's',
  resume_gateway_url: 'ws://127.0.0.1:9',
  application: { id: '1', flags: ApplicationFlags.Embedded, flags_new: '0' },
};

/** @param turnWaitsMs what the first askers for a turn hear; the others may go at once */
function throttled({ turnWaitsMs = [], maxConcurrency = 1 }: { turnWaitsMs?: number[]; maxConcurrency?: number } = {}) {
  const manager = new WebSocketManager({ token: 'a.b.c', intents: 0, rest: new REST() });
  const { log, lines } = logLines();
  const askedKeys: number[] = [];
  const refusals: number[] = [];
  const throttler = new IdentifyThrottler(manager, {
    maxConcurrency,
    turns: {
      async take(key) {
        askedKeys.push(key);
        return turnWaitsMs.shift() ?? 0;
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
    askedKeys,
    refusals,
    lines,
    ready: (shardId: number) => manager.emit(WebSocketShardEvents.Ready, { shardId, data: READY }),
    closed: (shardId: number, code: number) => manager.emit(WebSocketShardEvents.Closed, { shardId, code }),
  };
}

describe('a shard that wants to identify', () => {
  it('asks for its turn until it has it', async () => {
    const { identify, askedKeys, lines } = throttled({ turnWaitsMs: [3, 2] });

    await identify(0);

    expect(askedKeys).toEqual([0, 0, 0]);
    expect(lines).toEqual([]);
  });

  it('has its turn with the shards that leave the same remainder', async () => {
    const { identify, askedKeys } = throttled({ maxConcurrency: 4 });

    await Promise.all([1, 4, 6, 9].map((shard) => identify(shard)));

    expect(askedKeys).toEqual([1, 0, 2, 1]);
  });

  it('waits before it asks when its last one came to nothing, each time knowing how often, and says so', async () => {
    const { identify, askedKeys, refusals, lines } = throttled();

    for (const shard of [0, 0, 1, 0]) await identify(shard);

    expect(refusals).toEqual([1, 2]);
    expect(askedKeys).toHaveLength(4);
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
    ['a broken line', ({ closed }) => closed(0, 1_006)],
    ['an error of Discord', ({ closed }) => closed(0, GatewayCloseCodes.UnknownError)],
  ])('does not wait after %s', async (_, happens) => {
    const shard = throttled();
    await shard.identify(0);
    happens(shard);

    await shard.identify(0);

    expect(shard.refusals).toEqual([]);
  });

  it('leaves at once when its connection closes, and comes again with the next', async () => {
    const { identify, askedKeys } = throttled({ turnWaitsMs: [3_600_000] });
    const connection = new AbortController();
    const waiting = identify(0, connection.signal);
    await expect.poll(() => askedKeys).toHaveLength(1);
    connection.abort();

    await expect(waiting).rejects.toThrow('aborted');
    await identify(0);

    expect(askedKeys).toHaveLength(2);
  });
});
