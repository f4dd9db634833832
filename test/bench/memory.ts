import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startCardService } from '../../src/sandbox/card-service.ts';
import { constantBot, ourBot } from './bots.ts';
import type { Contender } from './contender.ts';
import { residentMegabytes } from './process-memory.ts';
import { StoredCards, storedCardId } from './stored-cards.ts';
import { type BenchTable, toMarkdown } from './table.ts';

const STORED = 200_000;
/** More cards than fit into the memory layer (about 31,000). */
const COMMANDS = 35_000;
const LIMIT = 1.5;

/** Figure 5: the memory that 200,000 stored cards cost. */
export async function run(): Promise<BenchTable> {
  const folder = mkdtempSync(join(tmpdir(), 'cardbot-bench-'));
  const service = await startCardService();
  const bots: Contender[] = [];
  try {
    const stored = await StoredCards.open(folder, service.url);
    stored.put(0, STORED);
    stored.close();
    const ours = await ourBot(folder, service.url);
    bots.push(ours);
    const { embeds } = await ours.answered(storedCardId(0));
    const constant = await constantBot(folder, embeds[0]);
    bots.push(constant);

    const our = await underLoad(ours);
    const their = await underLoad(constant);
    const ratio = our.loaded / their.loaded;
    const { total } = service.counts;
    return {
      title: `Resident size with ${STORED.toLocaleString('en')} cards stored`,
      columns: ['', 'at the start', `after ${COMMANDS.toLocaleString('en')} commands`],
      rows: [
        ['cardbot', megabytes(our.atStart), megabytes(our.loaded)],
        ['a constant', megabytes(their.atStart), megabytes(their.loaded)],
        ['ratio', `${(our.atStart / their.atStart).toFixed(2)} ×`, `${ratio.toFixed(2)} ×`],
      ],
      verdicts: [
        { claim: `resident size at most ${LIMIT} × (${ratio.toFixed(2)} ×)`, reached: ratio <= LIMIT },
        { claim: `no request for a stored card (${total})`, reached: total === 0 },
      ],
      notes: ['Every command looks up another card, several at once, so that the memory in front of the file is full.'],
    };
  } finally {
    await Promise.all(bots.map((bot) => bot.stop()));
    await service.close();
    rmSync(folder, { recursive: true });
  }
}

async function underLoad(bot: Contender): Promise<{ atStart: number; loaded: number }> {
  const atStart = residentMegabytes(bot.pid);
  await bot.load(spreadIds(), COMMANDS);
  return { atStart, loaded: residentMegabytes(bot.pid) };
}

/** Each stored card once, in an order without neighbours in the file. */
function* spreadIds(): Generator<string, never> {
  const step = 7_919; // a prime, so that all are visited
  for (let index = 0; ; index++) yield storedCardId((index * step) % STORED);
}

function megabytes(value: number): string {
  return `${value.toFixed(0)} MB`;
}

if (import.meta.main) process.stdout.write(`${toMarkdown(await run())}\n`);
