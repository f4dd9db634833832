/** One of several processes that share a quota: a bot without Discord that receives lookups over the IPC channel. */
import { setTimeout as sleep } from 'node:timers/promises';
import { concurrently } from '../concurrently.ts';
import { ourBot } from '../quota/our-bot.ts';
import type { AnsweredMessage, LookupMessage, LookupProcessOptions } from './lookup-processes.ts';

const { variables, ...service }: LookupProcessOptions = JSON.parse(process.argv[2] ?? '{}');
const bot = await ourBot({ ...service, fetch }, variables);

process.on('message', async ({ lookups, atMs, atOnce }: LookupMessage) => {
  let withCard = 0;
  await sleep(Math.max(0, atMs - Date.now()));
  await concurrently(lookups, atOnce, async ({ cardId, requester }) => {
    const { card } = await bot.lookUp(cardId, requester);
    if (card) withCard++;
  });
  process.send?.({ withCard, lastAtMs: Date.now() } satisfies AnsweredMessage);
});
process.once('disconnect', () => bot.close());
process.send?.('open');
