import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { numberedCards, requestedIds, showsCard, startAppBots } from '../support/processes.ts';
import { noRealRedis, type RealServer, startRealRedis } from '../support/redis.ts';
import { type Relay, startRelay } from '../support/relay.ts';
import { finalAnswers } from '../support/world.ts';

const CARDS = numberedCards(10);
const IDS = CARDS.map(({ id }) => id);
/** The service allows more at once than the bots ask for: a busy machine delivers requests bunched. */
const FAST = { requestsPerMinute: 1_200, burst: 28, requestsPerDay: 10_000, latencyMs: 1_000, cards: CARDS };
/** As in compose.yaml: everything is persisted, nothing is evicted. */
const LASTING = { 'maxmemory-policy': 'noeviction', 'repl-diskless-sync-delay': '0' };
const SHARDS = [0, 1];

async function isReplica(server: RealServer): Promise<boolean> {
  const role = await server.command('ROLE');
  return Array.isArray(role) && role[0] === 'slave' && role.includes('connected');
}

it.skipIf(noRealRedis('bots whose Redis fails over')).each([
  ['kept', (_: Relay) => {}],
  ['dropped', (relay: Relay) => relay.drop()],
])(
  'two bots whose Redis fails over to its replica lose no reply and request each card once, with connections to the old primary %s',
  async (_, during) => {
    const old = await startRealRedis({ appendonly: 'yes', ...LASTING });
    const replica = { ...LASTING, replicaof: `127.0.0.1 ${old.port}` };
    const next = await startRealRedis({ appendonly: 'yes', ...replica });
    const relay = await startRelay(old.url);
    const redis = { url: relay.url, prefix: old.prefix };
    const processes = await startAppBots({ redis, service: FAST, env: { CARD_SERVICE_BURST: '20' } });
    const typeAll = (ids: readonly string[]) => ids.flatMap((id) => SHARDS.map((shard) => processes.card(shard, id)));
    const [before = '', underWay = '', ...others] = IDS;
    await Promise.all(typeAll([before]).map((typed) => showsCard(typed)));
    await expect.poll(() => isReplica(next)).toBe(true);
    const typed = typeAll([underWay]);
    await expect.poll(() => requestedIds(processes)).toContain(underWay);

    // Holds writes back until the replica has all of them.
    const handedOver = old.command('FAILOVER', 'TIMEOUT', '60000');
    for (const id of others.slice(0, 4)) {
      typed.push(...typeAll([id]));
      await sleep(50);
    }
    await handedOver;
    await expect.poll(() => isReplica(old)).toBe(true);
    relay.leadTo(next.url);
    during(relay);
    for (const id of others.slice(4)) typed.push(...typeAll([id]));
    await Promise.all(typed.map((each) => showsCard(each)));

    expect(requestedIds(processes).toSorted()).toEqual(IDS.toSorted());
    expect(typed.map(finalAnswers)).toEqual(typed.map(() => 1));
    expect(processes.cardService.counts.byStatus[429]).toBeUndefined();
    await old.kill();
    await Promise.all(typeAll(IDS).map((each) => showsCard(each)));
  },
);
