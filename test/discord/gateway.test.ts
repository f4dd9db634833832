import { once } from 'node:events';
import { createServer } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { WebSocketManager, WebSocketShardEvents } from '@discordjs/ws';
import { ApplicationFlags, REST } from 'discord.js';
import { expect, it, vi } from 'vitest';
import { apiUser } from '../../sandbox/discord/world.ts';
import { listen } from '../../sandbox/listen.ts';
import { createClient, login, reconnectWaitMs, refusedWaitMs } from '../../src/discord/gateway.ts';
import { Events } from '../../src/model/events.ts';
import { Claims } from '../../src/model/store/claims.ts';
import { fakeTimers } from '../support/fake-timers.ts';
import { logLines } from '../support/log-lines.ts';
import { onFinished } from '../support/on-finished.ts';
import { expectSaid, table } from '../table.ts';

const DAY_MS = 86_400_000;

/** How often a shard tries in that time, with these waits between. */
function triesIn(ms: number, waitMs: (tries: number) => number): number {
  let tries = 0;
  for (let elapsedMs = 0; elapsedMs < ms; elapsedMs += waitMs(tries)) tries++;
  return tries;
}

it('a day of failures takes fewer identifies than those after which Discord resets the token', () => {
  expect(triesIn(DAY_MS, (tries) => reconnectWaitMs(tries, true, 0))).toBeLessThan(1_000);
  expect(triesIn(DAY_MS, (tries) => refusedWaitMs(tries, 0.5))).toBeLessThan(1_000);
});

it('a minute without a gateway takes fewer than ten tries, and as many log lines, the first at once', () => {
  expect(triesIn(60_000, (tries) => reconnectWaitMs(tries, false, 0))).toBeLessThan(10);
  expect(reconnectWaitMs(1, false, 1)).toBe(0);
});

it.each(table`
  2 | true | 1000
  3 | true | 2000
  8 | true | 64000
  5000 | true | 100000
  6 | false | 15000
`)('after %s failures (greeted: %s) the next try is in %s ms, and up to a fifth more', (failures, greeted, ms) => {
  const [least, most] = [0, 1].map((random) => reconnectWaitMs(Number(failures), greeted === 'true', random));
  expect([least, most]).toEqual([Number(ms), Number(ms) * 1.2]);
});

it('a refused identify is repeated once the accepted one no longer counts, spread wider the more often', () => {
  expect([1, 2].flatMap((refusals) => [refusedWaitMs(refusals, 0), refusedWaitMs(refusals, 1)])).toEqual([
    6_000, 10_000, 6_000, 14_000,
  ]);
  expect(refusedWaitMs(50, 0.5)).toBe(100_000);
});

const shardId = 0;
const READY = {
  ...{ v: 10, guilds: [], session_id: 's', resume_gateway_url: 'ws://127.0.0.1:9' },
  user: apiUser({ id: '1', name: 'Cards' }),
  application: { id: '1', flags: ApplicationFlags.Embedded, flags_new: '0' },
};

/** What the log says of a shard of which Discord's library tells these steps; a number is the code of a close. */
async function logOf(steps: string): Promise<string> {
  const { log, lines } = logLines();
  const turnsMs: number[] = [];
  const claims: Pick<Claims, 'claim'> = {
    async claim(_, { ttlMs }) {
      turnsMs.push(ttlMs);
      return 'mine';
    },
  };
  const { options } = createClient({ apiUrl: 'http://127.0.0.1:9', shards: 'auto', claims, events: new Events(), log });
  const manager = new WebSocketManager({ token: 'a.b.c', intents: 0, rest: new REST() });
  const session_start_limit = { total: 1, remaining: 1, reset_after: 1, max_concurrency: 1 };
  manager.fetchGatewayInformation = async () => ({ url: 'ws://127.0.0.1:9', shards: 1, session_start_limit });
  options.ws?.buildStrategy?.(manager);
  const throttler = await manager.options.buildIdentifyThrottler(manager);
  fakeTimers({ toFake: ['Date'] });
  for (const step of steps.split(' ')) {
    if (step === 'identify') {
      const connection = new AbortController();
      const waiting = throttler.waitForIdentify(shardId, connection.signal).catch(() => {});
      await setImmediate();
      connection.abort();
      await waiting;
    } else if (step === 'ready') manager.emit(WebSocketShardEvents.Ready, { shardId, data: READY });
    else if (step === 'resumed') manager.emit(WebSocketShardEvents.Resumed, { shardId });
    else if (step.startsWith('+')) vi.setSystemTime(Date.now() + Number(step) * 1_000);
    else manager.emit(WebSocketShardEvents.Closed, { shardId, code: Number(step) });
  }
  // Discord takes one in 5 s.
  expect(new Set(turnsMs.map((ms) => ms > 5_000))).toEqual(new Set(steps.includes('identify') ? [true] : []));
  return lines
    .map(({ msg, refusals, failures = 1 }) => `${/refused|lost|cannot/.exec(msg)} ${refusals ?? failures}`)
    .join(', ');
}

it.each(table`
  waits where the last one had no READY, and again with the next connection | identify identify identify | refused 1, refused 1
  waits after op 9, which closes so | identify 1000 identify | lost 1, refused 1
  does not wait after READY | identify ready 1000 identify | lost 1
  does not wait after a broken connection | identify 1006 identify | lost 1
  does not wait after an error of Discord | identify 4000 identify | lost 1
`)('an identify %s: %s', expectSaid(logOf));

it.each(table`
  never became ready | 1006 1006 | lost 1, cannot 2
  broke soon after a new session | 1006 ready +59 1006 | lost 1, cannot 2
  held for a minute | 1006 ready +60 1006 | lost 1, lost 1
  went on with its session | 1006 resumed 1006 | lost 1, lost 1
`)('a connection that breaks and that %s is counted so: %s', expectSaid(logOf));

it('a connection whose handshake does not end is closed before the next, so that its late error ends nothing', async () => {
  const server = createServer((_, response) => {
    const session_start_limit = { total: 1_000, remaining: 1_000, reset_after: 1, max_concurrency: 1 };
    const info = { url: `ws://127.0.0.1:${port}`, shards: 1, session_start_limit };
    response.setHeader('content-type', 'application/json').end(JSON.stringify(info));
  });
  const port = await listen(server, 0);
  const { log, lines } = logLines();
  const apiUrl = `http://127.0.0.1:${port}`;
  const client = createClient({ apiUrl, shards: 'auto', claims: new Claims(), events: new Events(), log });
  const stopping = new AbortController();
  onFinished(async () => {
    stopping.abort();
    await client.destroy();
    server.closeAllConnections();
    server.close();
  });
  const upgraded = once(server, 'upgrade');
  login(client, { token: 'token', log, signal: stopping.signal }).catch(() => {});
  const [, first] = await upgraded;
  first.resume();
  setTimeout(() => first.write('HTTP/1.1 101 '), 5_000); // whose arrival the handshake's own timeout counts from

  const [, second] = await once(server, 'upgrade');

  expect(first.readableEnded).toBe(true);
  expect(lines.map(({ msg }) => msg)).toContain('gateway connection lost, reconnecting');
  second.destroy();
});
