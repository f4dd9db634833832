import { CatalogDatabase } from '../../../src/catalog/database.ts';
import { search } from '../../../src/catalog/search.ts';
import type { CatalogCard } from '../../../src/catalog/text.ts';
import { createLog } from '../../../src/log.ts';
import { typedTexts } from '../../catalog/typed/texts.ts';
import { startBackends } from '../../support/backends.ts';
import { startBotProcess } from '../../support/bot-process.ts';
import { onFinished, scoped } from '../../support/on-finished.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import type { BenchTable, Verdict } from '../table.ts';
import { importList, listsIn } from './card-lists.ts';
import { filledCatalog } from './filled-catalog.ts';
import { type LoopDelay, loopDelays } from './loop-delay.ts';
import { printings } from './printings.ts';
import { type TriedText, tableOf, tryTexts } from './tried-texts.ts';

const CARDS = 200_000;
const WHO = { memberId: '1', guildId: '2' };
const WARM_UP = 100;
const MOST_HELD_MS = 50;

/** Texts that members type, over real lists: those by which nothing was tuned. */
export async function run(): Promise<BenchTable> {
  const { cards, tried } = await triedTexts(process.argv[3]);
  const many = [...cards, ...printings(CARDS).slice(cards.length)];
  const texts = tried.map(({ typed }) => typed);
  const { timesMs, delays } = await keystrokeTimes(many, texts);
  const table = tableOf(`What members type, over ${cards.length.toLocaleString('en')} real cards`, { tried, timesMs }, [
    `Texts of \`test/catalog/typed\` by kind and by list, each over its own list: how many have what is meant first, among five and among 25, and how many get an empty list. Half of the texts, by a hash of each; the search was tuned by the other half. A list that is held out has all its texts in its own row and none in another: nothing was tuned by them. Times with ${CARDS.toLocaleString('en')} cards, made-up ones beside all lists: from the keystroke until the suggestions are there.`,
  ]);
  return { ...table, verdicts: [...(table.verdicts ?? []), ...delays.map(heldVerdict)] };
}

/** Types the texts by which nothing was tuned, each list alone, as its bot would have it. */
async function triedTexts(folder: string | undefined) {
  if (folder === undefined) throw new Error('Name the folder in which the lists are cloned.');
  const all: { cards: CatalogCard[]; tried: TriedText[] } = { cards: [], tried: [] };
  for (const list of listsIn(folder)) {
    const texts = typedTexts(list).filter(({ isTuning }) => !isTuning);
    if (texts.length === 0) continue;
    await scoped(async () => {
      const dataDir = temporaryFolder('lists');
      importList(folder, list, dataDir);
      const catalog = CatalogDatabase.open(dataDir, createLog({ level: 'warn', secrets: [] }));
      onFinished(() => catalog.close());
      const cards = [...catalog.index.rows()];
      for (const card of cards) all.cards.push(card);
      all.tried.push(...tryTexts(texts, cards, (typed) => search(catalog.index, typed, WHO)));
    });
  }
  return all;
}

function heldVerdict({ doing, mostMs }: LoopDelay): Verdict {
  const claim = `no other reply is held for more than ${MOST_HELD_MS} ms while ${doing} (${mostMs.toFixed(0)} ms)`;
  return { claim, reached: mostMs <= MOST_HELD_MS, timing: true };
}

/** By text, and for how long the bot's thread is held. */
async function keystrokeTimes(cards: readonly CatalogCard[], texts: readonly string[]) {
  const { discord, env } = await startBackends();
  await scoped(async () => filledCatalog(env.DATA_DIR, cards));
  startBotProcess(env);
  await discord.gateway.whenReady();
  const timesMs = new Map<string, number>();
  for (const text of [...texts.slice(0, WARM_UP), ...texts]) {
    const typedAtMs = performance.now();
    await discord.complete({ command: 'card', options: { id: text }, focused: 'id' });
    timesMs.set(text, performance.now() - typedAtMs);
  }
  return { timesMs, delays: await loopDelays(env.DATA_DIR, cards, texts) };
}
