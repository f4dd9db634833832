import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { finalAnswer } from '../support/final-answers.ts';
import { prepareAppBots, requestedIds } from '../support/processes.ts';
import { startRedis } from '../support/redis.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const CARDS = Array.from({ length: 24 }, (_, number) => {
  return { id: `card-${number}`, name: `Card ${number}`, tcg: 'trial', set: { id: 'all', name: 'All' } };
});
const IDS = CARDS.map(({ id }) => id);
const ALLOWED = 13;
const SERVICE = { requestsPerMinute: 1_200, burst: 40, requestsPerDay: 1_000, cards: CARDS };

it.each<[string, string, () => Record<string, string>]>([
  ['a month', 'month', () => ({ CARD_SERVICE_REQUESTS_PER_MONTH: String(ALLOWED) })],
  ['an hour', 'hour', () => ({ CARD_SERVICE: serviceByTheHour() })],
])(
  'two processes together never overdraw %s that nobody states, nor when both restart meanwhile',
  async (_, window, variables) => {
    const bots = await prepareAppBots({ redis: await startRedis(), service: SERVICE, env: variables() });
    const start = () => Promise.all([0, 1].map((shard) => bots.start(shard)));
    const lookUp = (ids: readonly string[]) => Promise.all(ids.map((id, at) => finalAnswer(bots.card(at % 2, id))));
    await start();
    await lookUp(IDS.slice(0, 8));
    for (const bot of bots.bots) await bot.stop();
    await start();
    const answers = await lookUp(IDS.slice(8));

    expect(requestedIds(bots)).toHaveLength(ALLOWED);
    const refused = answers.filter((answer) => answer.startsWith(`This ${window}'s new lookups are used up.`));
    expect(refused).toHaveLength(IDS.length - ALLOWED);
  },
);

/** The default service's interface, of a service that counts by the hour and does not say so. */
function serviceByTheHour(): string {
  const { quota: _, usage: __, ...rest } = JSON.parse(readFileSync('src/service/descriptions/default.json', 'utf8'));
  const path = join(temporaryFolder(), 'by-the-hour.json');
  const plans = { free: { perHour: ALLOWED, perMinute: SERVICE.requestsPerMinute, burst: SERVICE.burst } };
  writeFileSync(path, JSON.stringify({ ...rest, name: 'By the hour', plans }));
  return path;
}
