import { concurrently } from '../concurrently.ts';
import { KNOWN } from '../interleaved-runs.ts';
import { discordFor, MeasuredBot } from '../measured-bot.ts';
import type { BenchTable } from '../table.ts';
import { type BenchRedis, putCards } from './bench-redis.ts';

/** The numbers of processes that are compared. */
export const PROCESSES = [1, 2, 4] as const;

/** One of the figures that make up a table; its rows have a column for each of `PROCESSES`. */
export type FigurePart = Required<Pick<BenchTable, 'rows' | 'verdicts' | 'notes'>>;

/** Bots that share a Redis and a quota, with the known cards in it; they end with the scope. Resolves when all are connected. */
export async function startGroup(
  count: number,
  { redis, serviceUrl, env = {} }: { redis: BenchRedis; serviceUrl: string; env?: Record<string, string> },
): Promise<MeasuredBot[]> {
  const variables = { ...redis.newVariables(), ...env };
  await putCards({ ...variables, CARD_SERVICE_URL: serviceUrl }, KNOWN);
  const discord = await discordFor(count);
  const start = (id: number) => MeasuredBot.start({ serviceUrl, env: variables, shard: { id, count, discord } });
  const bots = await Promise.all(Array.from({ length: count }, (_, id) => start(id)));
  await discord.gateway.whenAllReady(count);
  return bots;
}

/** Deals commands out to the bots in turn. @param atOnce in each @returns how many showed a card */
export async function lookUpAll(bots: readonly MeasuredBot[], ids: readonly string[], atOnce: number): Promise<number> {
  let withCard = 0;
  const lookUp = (bot: MeasuredBot) => async (id: string) => {
    if ((await bot.answered(id)).embeds.length > 0) withCard++;
  };
  await Promise.all(
    bots.map((bot, index) =>
      concurrently(
        ids.filter((_, nth) => nth % bots.length === index),
        atOnce,
        lookUp(bot),
      ),
    ),
  );
  return withCard;
}
