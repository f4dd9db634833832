import { startService } from '../support/backends.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { MeasuredBot } from './measured-bot.ts';
import { residentMegabytes } from './process-figures.ts';
import { StoredCards, storedCardId } from './stored-cards.ts';
import { type BenchTable, wanted } from './table.ts';

const STORED = 200_000;
/** More cards than fit into the memory layer (about 31,000). */
const COMMANDS = 35_000;
const LIMIT = 1.5;

/** Figure 5: the memory that 200,000 stored cards cost. */
export async function run(): Promise<BenchTable> {
  const dataDir = temporaryFolder('bench');
  const service = await startService();
  (await StoredCards.open(dataDir, service.url)).put(0, STORED);
  const ours = await MeasuredBot.start({ serviceUrl: service.url, dataDir });
  const { embeds } = await ours.answered(storedCardId(0));
  const constant = await MeasuredBot.startConstant(embeds[0]);

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
      wanted(`resident size at most ${LIMIT} × (${ratio.toFixed(2)} ×)`, ratio <= LIMIT),
      wanted(`no request for a stored card (${total})`, total === 0),
    ],
    notes: ['Every command looks up another card, several at once, so that the memory in front of the file is full.'],
  };
}

async function underLoad(bot: MeasuredBot): Promise<{ atStart: number; loaded: number }> {
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
