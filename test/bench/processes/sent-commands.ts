import { setTimeout as sleep } from 'node:timers/promises';
import { startRecordingRelay } from '../../support/redis/recording-relay.ts';
import { knownIds, unreadIds } from '../interleaved-runs.ts';
import { MeasuredBot } from '../measured-bot.ts';
import { DAY_CARDS } from '../quota/day-of-lookups.ts';

const IDLE_MS = 5_000;
/** For what a bot sends after its answer. */
const AFTER_MS = 500;
const WARM_UP = 10;
const COMMANDS = 200;

/**
 * How many commands a bot sends to Redis for one `/card`, less what it sends while it is idle. A transaction is one, and
 * so is a script: it is what has to travel. The service has the cards of a day, and Redis 300 of the stored cards.
 */
export async function sentCommands(
  variables: Record<string, string>,
  { url: serviceUrl }: { url: string },
): Promise<[string, number][]> {
  const relay = await startRecordingRelay(variables.REDIS_URL ?? '');
  const bot = await MeasuredBot.start({ serviceUrl, env: { ...variables, REDIS_URL: relay.url } });
  const during = async (work: () => Promise<unknown>) => {
    const before = relay.commands.length;
    const startMs = performance.now();
    await work();
    await sleep(AFTER_MS);
    return { commands: relay.commands.length - before, ms: performance.now() - startMs };
  };
  const answer = async (ids: Iterator<string>, count: number) => {
    for (let index = 0; index < count; index++) await bot.answered(ids.next().value ?? '');
  };
  const unknown = DAY_CARDS.map(({ id }) => id).values();
  const kinds = { 'an unknown card': unknown, 'a card in Redis alone': unreadIds(50), 'a card in memory': knownIds() };
  for (const ids of Object.values(kinds)) await answer(ids, WARM_UP);
  await sleep(IDLE_MS); // until the work after the start is done
  const idle = await during(() => sleep(IDLE_MS));
  const found: [string, number][] = [];
  for (const [kind, ids] of Object.entries(kinds)) {
    const { commands, ms } = await during(() => answer(ids, COMMANDS));
    found.push([kind, Math.max(0, commands - (idle.commands / idle.ms) * ms) / COMMANDS]);
  }
  return found;
}
