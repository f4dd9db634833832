import { expect, it } from 'vitest';
import { SAMPLE_CARDS } from '../../sandbox/sample-cards.ts';
import { serverOfShard } from '../support/backends.ts';
import { press } from '../support/buttons.ts';
import { logOf, requestedIds, showsCard, startAppBots } from '../support/processes.ts';
import { startRedis } from '../support/redis.ts';

const PATIENCE_MS = 60_000;
/** One card in two seconds after the first two. */
const SLOW = { requestsPerMinute: 30, burst: 2, requestsPerDay: 1_000 };
const LIST = SAMPLE_CARDS.slice(0, 10).map(({ id }) => id);

it('a reply that one process has taken over is deleted through another: neither completes it, and its lookups are given back', {
  timeout: 240_000,
}, async () => {
  const processes = await startAppBots({ redis: await startRedis(), service: SLOW });
  const { discord, bots } = processes;
  const [first, other] = bots;
  const list = discord.type({ command: 'cards', options: { ids: LIST.join() }, guildId: serverOfShard(0).id });
  await list.until(({ embeds }) => embeds.length > 0, PATIENCE_MS);
  await first?.stop();
  await other?.wrote('deferred replies taken over');
  await processes.start(0);

  press({ discord }, list.message, 'Delete');
  await list.until(({ deleted }) => deleted === true, PATIENCE_MS);
  await other?.wrote('"outcome":"deleted"');
  const [requested, edited] = [requestedIds(processes).length, list.history.length];
  expect(requested).toBeLessThan(LIST.length);

  await showsCard(processes.card(1, 'clock-4'));
  await showsCard(processes.card(0, 'clock-29'));
  expect(requestedIds(processes).slice(requested)).toEqual(['clock-4', 'clock-29']);
  expect(list.history).toHaveLength(edited);
  const outcomes = bots.flatMap(logOf).filter(({ command, outcome }) => command === 'cards' && outcome !== undefined);
  expect(outcomes).toMatchObject([{ outcome: 'deleted' }]);
});
