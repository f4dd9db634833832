import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createLog } from '../../../src/log.ts';
import { startCardService } from '../../../src/sandbox/card-service.ts';
import { CatalogDatabase } from '../../../src/storage/sqlite/catalog/database.ts';
import { ourBot } from '../bots.ts';
import { type Contender, MEMBERS } from '../contender.ts';
import { knownIds } from '../latency-runs.ts';
import { StoredCards } from '../stored-cards.ts';
import { KINDS, printings, queries } from './printings.ts';

const MEMBERS_TYPING = 10;
/** A member types five letters a second. */
const KEY_MS = 200;
const COMMANDS = 400;
const BLOCKS = 5;
const SEARCHES = 400;
const GAP_MS = 5;
const STORED = 10;

export interface TypingFigures {
  /** From the gateway event to the callback with suggestions. */
  suggestionsMs: number[];
  /** From the gateway event to the callback of a command that the cache answers, without and with members who type. */
  quietMs: number[];
  typingMs: number[];
}

/** Suggestions and other commands of a bot whose catalog has so many cards. */
export async function typingMembers(size: number): Promise<TypingFigures> {
  const folder = mkdtempSync(join(tmpdir(), 'cardbot-bench-typing-'));
  const service = await startCardService();
  let bot: Contender | undefined;
  try {
    const cards = printings(size);
    const catalog = CatalogDatabase.open(folder, createLog({ level: 'warn', secrets: [] }));
    for (let at = 0; at < size; at += 5_000) catalog.upsert(cards.slice(at, at + 5_000), 'bench');
    catalog.close();
    const stored = await StoredCards.open(folder, service.url);
    stored.put(0, STORED);
    stored.close();
    bot = await ourBot(folder, service.url);
    const typed = KINDS.flatMap((kind) => queries(cards, kind, SEARCHES / KINDS.length)).map(({ typed }) => typed);
    await bot.load(knownIds(), 3_000);
    return await measure(bot, typed);
  } finally {
    await bot?.stop();
    await service.close();
    rmSync(folder, { recursive: true });
  }
}

async function measure(bot: Contender, typed: readonly string[]): Promise<TypingFigures> {
  for (const text of typed.slice(0, 100)) await bot.suggestionsMs(text);
  const suggestionsMs: number[] = [];
  for (const text of typed) {
    suggestionsMs.push(await bot.suggestionsMs(text));
    await sleep(GAP_MS);
  }
  const figures: TypingFigures = { suggestionsMs, quietMs: [], typingMs: [] };
  for (let block = 0; block < 2 * BLOCKS; block++) {
    const stopped = new AbortController();
    const members = block % 2 === 0 ? [] : MEMBERS.slice(0, MEMBERS_TYPING);
    const typing = members.map(({ id }, at) => type(bot, id, typed, at, stopped.signal));
    const times = block % 2 === 0 ? figures.quietMs : figures.typingMs;
    const ids = knownIds();
    for (let count = 0; count < COMMANDS / BLOCKS; count++) {
      times.push(await bot.callbackMs(ids.next().value));
      await sleep(GAP_MS);
    }
    stopped.abort();
    await Promise.all(typing);
  }
  return figures;
}

async function type(bot: Contender, memberId: string, typed: readonly string[], from: number, signal: AbortSignal) {
  for (let at = from; !signal.aborted; at += MEMBERS_TYPING) {
    const text = typed[at % typed.length] ?? '';
    for (let length = 1; length <= text.length && !signal.aborted; length++) {
      await Promise.all([bot.suggestionsMs(text.slice(0, length), memberId), sleep(KEY_MS)]);
    }
  }
}
