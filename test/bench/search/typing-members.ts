import { setTimeout as sleep } from 'node:timers/promises';
import { startService } from '../../support/backends.ts';
import { scoped } from '../../support/on-finished.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { KNOWN, knownIds } from '../interleaved-runs.ts';
import { MEMBERS, MeasuredBot } from '../measured-bot.ts';
import { StoredCards } from '../stored-cards.ts';
import { filledCatalog } from './filled-catalog.ts';
import { KINDS, printings, queries } from './printings.ts';

const MEMBERS_TYPING = 10;
/** A member types five letters a second. */
const KEY_MS = 200;
const COMMANDS = 400;
const BLOCKS = 5;
const SEARCHES = 400;
const GAP_MS = 5;

export interface TypingFigures {
  /** From the gateway event to the callback with suggestions. */
  suggestionsMs: number[];
  /** From the gateway event to the callback of a command that the cache answers, without and with members who type. */
  quietMs: number[];
  typingMs: number[];
}

/** Suggestions and other commands of a bot whose catalog has so many cards. */
export async function typingMembers(size: number): Promise<TypingFigures> {
  const dataDir = temporaryFolder('bench');
  const service = await startService();
  const cards = printings(size);
  await scoped(async () => filledCatalog(dataDir, cards));
  (await StoredCards.open(dataDir, service.url)).put(0, KNOWN);
  const bot = await MeasuredBot.start({ serviceUrl: service.url, dataDir });
  const typed = KINDS.flatMap((kind) => queries(cards, kind, SEARCHES / KINDS.length)).map(({ typed }) => typed);
  await bot.load(knownIds(), 3_000);
  return await measure(bot, typed);
}

async function measure(bot: MeasuredBot, typed: readonly string[]): Promise<TypingFigures> {
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

async function type(bot: MeasuredBot, memberId: string, typed: readonly string[], from: number, signal: AbortSignal) {
  for (let at = from; !signal.aborted; at += MEMBERS_TYPING) {
    const text = typed[at % typed.length] ?? '';
    for (let length = 1; length <= text.length && !signal.aborted; length++) {
      await Promise.all([bot.suggestionsMs(text.slice(0, length), memberId), sleep(KEY_MS)]);
    }
  }
}
