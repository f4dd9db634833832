import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '@redis/client';
import { ourBot } from '../bots.ts';
import { knownIds } from '../latency-runs.ts';
import { DAY_CARDS } from '../quota/day-of-lookups.ts';
import { storedCardId } from '../stored-cards.ts';

const IDLE_MS = 5_000;
/** For what a bot sends after its answer. */
const AFTER_MS = 500;
const WARM_UP = 10;
const COMMANDS = 200;

/**
 * How many commands a bot sends to Redis for one `/card`, less what it sends while it is idle. A transaction is one, and
 * so is a script: it is what has to travel. The service has the cards of a day, and Redis 300 of the stored cards.
 */
export async function sentCommands(variables: Record<string, string>, folder: string): Promise<[string, number][]> {
  const { REDIS_URL: url = '', CARD_SERVICE_URL: serviceUrl = '' } = variables;
  const monitor = createClient({ url });
  let sent = 0;
  const isOfTransaction = new Set<string>();
  await monitor.connect();
  const bot = await ourBot(mkdtempSync(join(folder, 'data-')), serviceUrl, variables);
  await monitor.monitor((line) => {
    const [, client = '', command = ''] = /\[\d+ (\S+)\] "(\w+)"/.exec(String(line)) ?? [];
    if (client === 'lua') return; // sent by nobody
    if (!isOfTransaction.has(client)) sent += 1;
    if (command.toLowerCase() === 'multi') isOfTransaction.add(client);
    if (command.toLowerCase() === 'exec') isOfTransaction.delete(client);
  });
  const during = async (work: () => Promise<unknown>) => {
    const before = sent;
    const startMs = performance.now();
    await work();
    await sleep(AFTER_MS);
    return { commands: sent - before, ms: performance.now() - startMs };
  };
  try {
    const unknown = DAY_CARDS.map(({ id }) => id).values();
    const elsewhere = Array.from({ length: WARM_UP + COMMANDS }, (_, index) => storedCardId(50 + index)).values();
    const answer = async (ids: Iterator<string>, count: number) => {
      for (let index = 0; index < count; index++) await bot.answered(ids.next().value ?? '');
    };
    const kinds = { 'an unknown card': unknown, 'a card in Redis alone': elsewhere, 'a card in memory': knownIds() };
    for (const ids of Object.values(kinds)) await answer(ids, WARM_UP);
    await sleep(IDLE_MS); // until the work after the start is done
    const idle = await during(() => sleep(IDLE_MS));
    const found: [string, number][] = [];
    for (const [kind, ids] of Object.entries(kinds)) {
      const { commands, ms } = await during(() => answer(ids, COMMANDS));
      found.push([kind, Math.max(0, commands - (idle.commands / idle.ms) * ms) / COMMANDS]);
    }
    return found;
  } finally {
    await bot.stop();
    monitor.destroy();
  }
}
