import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { startCardService } from '../../src/sandbox/card-service.ts';
import { ourBot } from './bots.ts';
import { AT_ONCE, type Contender } from './contender.ts';
import { residentMegabytes } from './process-memory.ts';
import { requestTimes } from './request-times.ts';
import { type BenchTable, toMarkdown } from './table.ts';

const COMMANDS = 10_000;
const QUARTER = COMMANDS / 4;
const LIFE_SECONDS = 1;
const KEEP_SECONDS = 2;
/** Business allows 500 and 1,000: at that pace the commands would take 20 minutes. */
const REQUESTS_PER_MINUTE = 600_000;
const BURST = 20_000;
/** With a larger heap V8 collects late, and garbage would count as memory in use. */
const HEAP = '--max-old-space-size=160 --max-semi-space-size=8';
/** How much more the last quarter may hold than the first. */
const GROWTH = 1.25;
/** The most rows that one sweep removes. */
const EXPIRED_ROWS = 500;

/** The state after a number of commands. */
interface Sample {
  commands: number;
  ids: number;
  requests: number;
  rows: number;
  expiredRows: number;
  diskMegabytes: number;
  residentMegabytes: number;
}

/** Figure 6: the effect of unknown ids on memory, disk and requests. */
export async function run(): Promise<BenchTable> {
  const dataDir = mkdtempSync(join(tmpdir(), 'cardbot-bench-'));
  const service = await startCardService({
    plan: 'business',
    requestsPerMinute: REQUESTS_PER_MINUTE,
    burst: BURST,
  });
  const requestedAtMs = requestTimes(service);
  const bot = await ourBot(dataDir, service.url, {
    CARD_SERVICE_PLAN: 'business',
    CARD_SERVICE_REQUESTS_PER_MINUTE: String(REQUESTS_PER_MINUTE),
    CARD_SERVICE_BURST: String(BURST / 2),
    NOT_FOUND_FRESH_SECONDS: String(LIFE_SECONDS),
    KEEP_SECONDS: String(KEEP_SECONDS),
    MEMBER_DAILY_REQUESTS: '0',
    NODE_OPTIONS: HEAP,
  });
  try {
    const samples: Sample[] = [];
    let unanswered = 0;
    for (let first = 0; first < COMMANDS; first += QUARTER) {
      unanswered += await lookUp(bot, first, QUARTER);
      samples.push({
        commands: first + QUARTER,
        ...sample(bot, dataDir),
        ids: requestedAtMs.size,
        requests: service.counts.total,
      });
    }
    return table(samples, unanswered, [...requestedAtMs.values()]);
  } finally {
    await bot.stop();
    await service.close();
    rmSync(dataDir, { recursive: true });
  }
}

/** @returns how many did not get the answer "No card has the id" */
async function lookUp(bot: Contender, first: number, count: number): Promise<number> {
  let next = first;
  let unanswered = 0;
  const inSequence = async () => {
    while (next < first + count) {
      const { content } = await bot.answered(unknownId(next++));
      if (!content.startsWith('No card has the id')) unanswered++;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, inSequence));
  return unanswered;
}

/** Of four commands two look up a new id at once, one a recent id, and one an id that has been swept. */
function unknownId(command: number): string {
  const newest = Math.floor(command / 4);
  const behind = [0, 0, 100, 1_000][command % 4] ?? 0;
  return `unknown-${Math.max(0, newest - behind)}`;
}

function sample(bot: Contender, dataDir: string): Omit<Sample, 'commands' | 'ids' | 'requests'> {
  const files = readdirSync(dataDir).filter((name) => name.includes('.sqlite'));
  const bytes = files.reduce((sum, name) => sum + statSync(join(dataDir, name)).size, 0);
  const cards = new DatabaseSync(join(dataDir, 'cards.sqlite'), { readOnly: true });
  const count = 'SELECT count(*) AS rows, count(*) FILTER (WHERE expires_at <= ?) AS expired FROM cards';
  const { rows, expired } = cards.prepare(count).get(Date.now()) ?? {};
  cards.close();
  return {
    rows: Number(rows),
    expiredRows: Number(expired),
    diskMegabytes: bytes / 1e6,
    residentMegabytes: residentMegabytes(bot.pid),
  };
}

function table(samples: Sample[], unanswered: number, requestedAtMs: number[][]): BenchTable {
  const again = requestedAtMs.flatMap((times) => times.slice(1).map((atMs, index) => atMs - (times[index] ?? 0)));
  const tooSoon = again.filter((ms) => ms < LIFE_SECONDS * 1000).length;
  const growthOf = (what: 'diskMegabytes' | 'residentMegabytes') =>
    (samples.at(-1)?.[what] ?? 0) / (samples[0]?.[what] ?? 0);
  const [memory, disk] = [growthOf('residentMegabytes'), growthOf('diskMegabytes')];
  const expired = Math.max(...samples.map(({ expiredRows }) => expiredRows));
  return {
    title: `${COMMANDS.toLocaleString('en')} commands for unknown ids`,
    columns: ['commands', 'ids', 'requests', 'rows kept', 'of them expired', 'disk', 'resident'],
    rows: samples.map((s) => [
      ...[s.commands, s.ids, s.requests, s.rows, s.expiredRows].map((value) => value.toLocaleString('en')),
      `${s.diskMegabytes.toFixed(1)} MB`,
      `${s.residentMegabytes.toFixed(0)} MB`,
    ]),
    verdicts: [
      { claim: `every command answered (${COMMANDS - unanswered})`, reached: unanswered === 0 },
      {
        claim: `requests for an id within the ${LIFE_SECONDS} s that its absence is remembered: 0 (${tooSoon})`,
        reached: tooSoon === 0,
      },
      {
        claim: `old rows are swept: at most ${EXPIRED_ROWS} expired ones (${expired})`,
        reached: expired <= EXPIRED_ROWS,
      },
      { claim: `disk from first to last quarter at most ${GROWTH} × (${disk.toFixed(2)} ×)`, reached: disk <= GROWTH },
      { claim: `memory likewise (${memory.toFixed(2)} ×)`, reached: memory <= GROWTH },
    ],
    notes: [
      `Business allows 500 requests a minute, at which this takes 20 minutes; here the service and the bot are set to ${REQUESTS_PER_MINUTE.toLocaleString('en')}, an absence is remembered for ${LIFE_SECONDS} s and kept for ${KEEP_SECONDS} s. ${again.length.toLocaleString('en')} requests were for an id whose absence had been forgotten. The bot runs with \`NODE_OPTIONS="${HEAP}"\`, so that its size shows what it keeps and not what is still to be collected.`,
    ],
  };
}

if (import.meta.main) process.stdout.write(`${toMarkdown(await run())}\n`);
