import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { Catalog } from '../../../src/catalog/catalog.ts';
import { readPastedList } from '../../../src/catalog/lines.ts';
import type { CatalogCard } from '../../../src/catalog/text.ts';
import { createLog } from '../../../src/log.ts';
import { cardIdReader } from '../../../src/model/card-id.ts';

const MEMBERS = 20;
/** Between two keystrokes of a member who types fast. */
const KEYSTROKE_MS = 150;
const LINES = 100;
const MESSAGE_CHARACTERS = 4_000;

/** For how long the thread that answers everybody was held at most, in milliseconds. */
export interface LoopDelay {
  doing: string;
  mostMs: number;
}

/** What others wait for while members type, paste a long list, and have a long message read, over a filled catalog. */
export async function loopDelays(
  dataDir: string,
  cards: readonly CatalogCard[],
  texts: readonly string[],
): Promise<LoopDelay[]> {
  const catalog = new Catalog({
    ...{ dataDir, cardsDir: dataDir, cardKeys: 'none', keepsMembers: true, readCardId: cardIdReader({}) },
    log: createLog({ level: 'warn', secrets: [] }),
  });
  await sleep(1_000); // as long as a bot that has just started takes to be ready
  const names = cards.slice(-LINES).map(({ name }) => name);
  const list = readPastedList(names.map((name) => `2 ${name}`).join('\n'));
  const message = names.join(' ').slice(0, MESSAGE_CHARACTERS);
  const delays = [
    await during('twenty members type', () => typing(catalog, texts)),
    await during('one pastes a hundred lines', async () => 'lines' in list && catalog.resolveLines(list.lines)),
    await during('one has a long message read', () => catalog.mentions(message)),
  ];
  await catalog.close();
  return delays;
}

async function typing(catalog: Catalog, texts: readonly string[]): Promise<void> {
  const all = Array.from({ length: MEMBERS }, async (_, member) => {
    await sleep((member * KEYSTROKE_MS) / MEMBERS);
    for (const text of texts.filter((_, at) => at % MEMBERS === member)) {
      for (let length = 1; length <= text.length; length++) {
        const who = { memberId: String(member), guildId: 'guild' };
        const searched = catalog.search(text.slice(0, length), who, Date.now() + 2_000);
        await Promise.all([searched, sleep(KEYSTROKE_MS)]);
      }
    }
  });
  await Promise.all(all);
}

async function during(doing: string, work: () => Promise<unknown>): Promise<LoopDelay> {
  const resolution = 1;
  const delay = monitorEventLoopDelay({ resolution });
  delay.enable();
  await work();
  await sleep(10); // what held the thread last is noted, too
  delay.disable();
  return { doing, mostMs: delay.max / 1e6 - resolution };
}
