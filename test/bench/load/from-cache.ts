import { setTimeout as sleep } from 'node:timers/promises';
import { startCardService } from '../../../src/sandbox/card-service.ts';
import { StoredCards, storedCardId } from '../stored-cards.ts';
import type { LoadRow } from './load-row.ts';
import { ProbedBot } from './probed-bot.ts';
import { steady } from './steady.ts';

const SECONDS = 60;
const COMMANDS_A_SECOND = 500;
/** Few enough that all are in memory before the first measurement. */
const STORED = 1_000;
/** With a larger heap V8 collects late, and garbage would count as memory in use. */
const HEAP = '--max-old-space-size=160 --max-semi-space-size=8';
/** So many that no member comes near the limit of 240 commands a minute. */
const MEMBERS = 1_000;
const DELAY_LIMIT_MS = 50;
/** The part of the run after which the bot must have reached its size. */
const EARLY = 1 / 6;
const HALF = 1 / 2;
const FLAT = 1.1;
/** Discord gives up after 3 s. */
const PATIENCE_MS = 4_000;

/** 500 commands a second, all from the cache. @param scale of the time */
export async function fromCache(scale: number): Promise<LoadRow> {
  const seconds = SECONDS * scale;
  const commands = Math.round(COMMANDS_A_SECOND * seconds);
  const service = await startCardService();
  const bot = await ProbedBot.start({
    serviceUrl: service.url,
    members: MEMBERS,
    env: { NODE_OPTIONS: HEAP },
    prepare: async (dataDir) => {
      const stored = await StoredCards.open(dataDir, service.url);
      stored.put(0, STORED);
      stored.close();
    },
  });
  try {
    let cards = 0;
    bot.discord.onMessage(({ state, embeds }) => {
      if (state === 'answered' && embeds.length > 0) cards++;
    });
    await bot.ask('begin');
    const resident: number[] = [];
    const sizes = (async () => {
      for (const share of [EARLY, HALF - EARLY]) {
        await sleep(share * seconds * 1_000);
        resident.push(bot.residentMegabytes);
      }
    })();
    await steady(commands, seconds, (index) => {
      const memberId = bot.members[index % MEMBERS]?.id ?? '';
      bot.discord.type({ command: 'card', options: { id: storedCardId(index % STORED) }, memberId });
    });
    await sizes;
    resident.push(bot.residentMegabytes);
    const measure = await bot.ask('measure');
    for (let waitedMs = 0; cards < commands && waitedMs < PATIENCE_MS; waitedMs += 50) await sleep(50);

    const { heapMegabytes } = await bot.ask('collect');

    const growth = (resident.at(-1) ?? 0) / (resident[0] ?? 0);
    const delay = `${measure.delayP99Ms.toFixed(1)} ms`;
    return {
      name: `${COMMANDS_A_SECOND} a second from the cache`,
      commands,
      seconds,
      ...measure,
      residentMegabytes: resident,
      verdicts: [
        { claim: `every card from the cache shown (${cards} of ${commands})`, reached: cards === commands },
        { claim: `no request (${service.counts.total})`, reached: service.counts.total === 0 },
        {
          claim: `p99 of the event loop's delay under ${DELAY_LIMIT_MS} ms (${delay})`,
          reached: measure.delayP99Ms < DELAY_LIMIT_MS,
          timing: true,
        },
        {
          claim: `resident size from the first sixth on at most ${FLAT} × (${growth.toFixed(2)} ×)`,
          reached: growth <= FLAT,
          timing: true,
        },
      ],
      note: `From the cache: ${STORED.toLocaleString('en')} stored cards, one after the other, by ${MEMBERS.toLocaleString('en')} members, at fixed times, whether or not the last command was answered. The bot runs with \`NODE_OPTIONS="${HEAP}"\`, so that its size shows memory in use; in the end that is a heap of ${heapMegabytes.toFixed(0)} MB.`,
    };
  } finally {
    await bot.stop();
    await service.close();
  }
}
