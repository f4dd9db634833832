import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { EmbeddedCardService } from '../../src/sandbox/card-service.ts';
import { paceVariables, startService } from '../support/backends.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { concurrently } from './concurrently.ts';
import { AT_ONCE, MeasuredBot } from './measured-bot.ts';
import { residentMegabytes } from './process-figures.ts';
import { type BenchTable, wanted } from './table.ts';

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
  const dataDir = temporaryFolder('bench');
  const service = await startService({ plan: 'business', requestsPerMinute: REQUESTS_PER_MINUTE, burst: BURST });
  const requestedAtMs = requestTimes(service);
  const bot = await MeasuredBot.start({
    serviceUrl: service.url,
    dataDir,
    env: {
      ...paceVariables({ requestsPerMinute: REQUESTS_PER_MINUTE, burst: BURST / 2 }),
      CARD_SERVICE_PLAN: 'business',
      NOT_FOUND_FRESH_SECONDS: String(LIFE_SECONDS),
      KEEP_SECONDS: String(KEEP_SECONDS),
      MEMBER_DAILY_REQUESTS: '0',
      NODE_OPTIONS: HEAP,
    },
  });
  const samples: Sample[] = [];
  let unanswered = 0;
  for (let first = 0; first < COMMANDS; first += QUARTER) {
    await concurrently(Array(QUARTER).keys(), AT_ONCE, async (index) => {
      const { content } = await bot.answered(unknownId(first + index));
      if (!content.startsWith('No card has the id')) unanswered++;
    });
    const counts = { ids: requestedAtMs.size, requests: service.counts.total };
    samples.push({ commands: first + QUARTER, ...sample(bot, dataDir), ...counts });
  }
  return table(samples, unanswered, [...requestedAtMs.values()]);
}

/** When requests arrive from now on, by path: milliseconds since the epoch. */
function requestTimes(service: EmbeddedCardService): Map<string, number[]> {
  const byPath = new Map<string, number[]>();
  let seen = 0;
  service.onChange(() => {
    const { total } = service.counts;
    const last = service.requests.at(-1);
    if (total === seen || !last) return;
    seen = total;
    byPath.set(last.path, [...(byPath.get(last.path) ?? []), last.atMs]);
  });
  return byPath;
}

/** Of four commands two look up a new id at once, one a recent id, and one an id that has been swept. */
function unknownId(command: number): string {
  const newest = Math.floor(command / 4);
  const behind = [0, 0, 100, 1_000][command % 4] ?? 0;
  return `unknown-${Math.max(0, newest - behind)}`;
}

function sample(bot: MeasuredBot, dataDir: string): Omit<Sample, 'commands' | 'ids' | 'requests'> {
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
      wanted(`every command answered (${COMMANDS - unanswered})`, unanswered === 0),
      wanted(
        `requests for an id within the ${LIFE_SECONDS} s that its absence is remembered: 0 (${tooSoon})`,
        tooSoon === 0,
      ),
      wanted(`old rows are swept: at most ${EXPIRED_ROWS} expired ones (${expired})`, expired <= EXPIRED_ROWS),
      wanted(`disk from first to last quarter at most ${GROWTH} × (${disk.toFixed(2)} ×)`, disk <= GROWTH),
      wanted(`memory likewise (${memory.toFixed(2)} ×)`, memory <= GROWTH),
    ],
    notes: [
      `Business allows 500 requests a minute, at which this takes 20 minutes; here the service and the bot are set to ${REQUESTS_PER_MINUTE.toLocaleString('en')}, an absence is remembered for ${LIFE_SECONDS} s and kept for ${KEEP_SECONDS} s. ${again.length.toLocaleString('en')} requests were for an id whose absence had been forgotten. The bot runs with \`NODE_OPTIONS="${HEAP}"\`, so that its size shows what it keeps and not what is still to be collected.`,
    ],
  };
}
