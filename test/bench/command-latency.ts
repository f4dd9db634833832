import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startCardService } from '../../src/sandbox/card-service.ts';
import { constantBot, ourBot } from './bots.ts';
import type { Contender } from './contender.ts';
import { median, quantile } from './quantile.ts';
import { StoredCards, storedCardId } from './stored-cards.ts';
import { type BenchTable, toMarkdown, type Verdict } from './table.ts';

const SIZES = [10, 10_000, 200_000] as const;
const RUNS = 5;
const BLOCKS = 3;
const BLOCK = 50;
/** Until V8 has compiled what is used; a bot runs for weeks. */
const WARM_UP = 3_000;
/** A bot finishes its log line before the next command. */
const GAP_MS = 1;
/** p50 against the constant bot. */
const LIMITS = { disk: 1.5, memory: 1.25 } as const;

const P50 = 0.5;
const P99 = 0.99;
/** Cards that are asked for again and again. */
const KNOWN = 10;

/** `again` is the constant bot once more: how far two measurements of the same thing lie apart. */
const NAMES = ['ours', 'constant', 'again'] as const;

type Layer = keyof typeof LIMITS;
type Name = (typeof NAMES)[number];
type Constants = Record<Exclude<Name, 'ours'>, Contender>;
type Ids = Iterator<string, never>;
/** The times of one run, in milliseconds. */
type Run = Record<Name, number[]>;

/** Figure 4: what it costs that an answer comes from the cache and not from a constant. */
export async function run(): Promise<BenchTable> {
  const folder = mkdtempSync(join(tmpdir(), 'cardbot-bench-'));
  const service = await startCardService();
  const bots: Contender[] = [];
  try {
    const rows: string[][] = [];
    const verdicts: Verdict[] = [];
    let constants: Constants | undefined;
    for (const size of SIZES) {
      const dataDir = mkdtempSync(join(folder, 'data-'));
      const stored = await StoredCards.open(dataDir, service.url);
      stored.put(0, size);
      const ours = await ourBot(dataDir, service.url);
      bots.push(ours);
      await ours.answered('base1-4'); // from the service, so that replies show what is left of the day
      constants ??= await constantBots(ours, dataDir, bots);

      const known = knownIds();
      const unread = unreadIds(stored, size);
      await ours.load(unread, WARM_UP, 1); // no row is replaced while it is asked for
      const fromDisk = await runs({ ours, ...constants }, { ours: unread, constant: known, again: known });
      stored.put(0, size);
      await ours.load(known, WARM_UP);
      const fromMemory = await runs({ ours, ...constants }, { ours: known, constant: known, again: known });

      for (const [layer, found] of [
        ['disk', fromDisk],
        ['memory', fromMemory],
      ] as const) {
        rows.push(row(size, layer, found));
        verdicts.push(verdict(size, layer, found));
      }
      stored.close();
    }
    const { total } = service.counts;
    verdicts.push({ claim: `no request for a stored card (${total - SIZES.length})`, reached: total === SIZES.length });
    return {
      title: 'A command answered from the cache, against a discord.js bot that replies with a constant',
      columns: [
        'cards stored',
        'card from',
        'p50',
        'constant',
        'ratio',
        'p99',
        'constant',
        'ratio',
        'constant: itself',
      ],
      rows,
      verdicts,
      notes: [
        `From INTERACTION_CREATE written to the gateway until the head of the callback arrives, one command at a time and ${GAP_MS} ms apart; median of ${RUNS} runs, in each ${BLOCKS} × ${BLOCK} commands to each bot in turn. Each bot is a process of its own and has answered ${WARM_UP.toLocaleString('en')} commands before. The last column is the p99 of a second constant bot against the first: a ratio nearer to 1 means nothing.`,
        'From disk: no card is asked for twice.',
      ],
    };
  } finally {
    await Promise.all(bots.map((bot) => bot.stop()));
    await service.close();
    rmSync(folder, { recursive: true });
  }
}

/** The first bot's answer is what the constant bots are to send. */
async function constantBots(ours: Contender, logDir: string, bots: Contender[]): Promise<Constants> {
  const { embeds } = await ours.answered(storedCardId(0));
  const [constant, again] = [await constantBot(logDir, embeds[0]), await constantBot(logDir, embeds[0])];
  bots.push(constant, again);
  for (const bot of [constant, again]) await bot.load(knownIds(), WARM_UP);
  return { constant, again };
}

async function runs(bots: Record<Name, Contender>, ids: Record<Name, Ids>): Promise<Run[]> {
  const all: Run[] = [];
  for (let index = 0; index < RUNS; index++) {
    const run: Run = { ours: [], constant: [], again: [] };
    for (let block = 0; block < BLOCKS; block++) {
      // Each bot goes first, second and last about as often as the others.
      for (const name of rotated(NAMES, block + index)) {
        for (let count = 0; count < BLOCK; count++) {
          run[name].push(await bots[name].callbackMs(ids[name].next().value));
          await sleep(GAP_MS);
        }
      }
    }
    all.push(run);
  }
  return all;
}

/** Ids of stored cards that were never asked for; a small store is filled with new cards as they run out. */
function* unreadIds(stored: StoredCards, size: number): Ids {
  for (let index = 1; ; index++) {
    if (index % size === 0) stored.put(index, size);
    yield storedCardId(index);
  }
}

/** The same few stored cards over and over. */
function* knownIds(): Ids {
  for (let index = 0; ; index++) yield storedCardId(index % KNOWN);
}

function rotated<T>(items: readonly T[], by: number): T[] {
  const first = by % items.length;
  return [...items.slice(first), ...items.slice(0, first)];
}

function row(size: number, layer: Layer, runs: Run[]): string[] {
  const ms = (name: Name, share: number) => `${median(runs.map((run) => quantile(run[name], share))).toFixed(2)} ms`;
  const times = (share: number) => [
    ms('ours', share),
    ms('constant', share),
    `${ratio(runs, 'ours', share).toFixed(2)} ×`,
  ];
  const itself = `${ratio(runs, 'again', P99).toFixed(2)} ×`;
  return [size.toLocaleString('en'), layer, ...times(P50), ...times(P99), itself];
}

function verdict(size: number, layer: Layer, runs: Run[]): Verdict {
  const found = ratio(runs, 'ours', P50);
  const what = `p50 with ${size.toLocaleString('en')} cards stored, the card from ${layer}`;
  return {
    claim: `${what}: at most ${LIMITS[layer]} × (${found.toFixed(2)} ×)`,
    reached: found <= LIMITS[layer],
    timing: true,
  };
}

/** Of a bot to the constant one, in the middle one of the runs. */
function ratio(runs: Run[], name: Name, share: number): number {
  return median(runs.map((run) => quantile(run[name], share) / quantile(run.constant, share)));
}

if (import.meta.main) process.stdout.write(`${toMarkdown(await run())}\n`);
