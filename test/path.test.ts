import { appendFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { DEFAULT_WORLD } from '../sandbox/discord/emulated-discord.ts';
import { SAMPLE_CARDS } from '../sandbox/sample-cards.ts';
import { startAppBot, startBackends } from './support/backends.ts';
import { onFinished } from './support/on-finished.ts';
import { showsCard } from './support/processes.ts';

/** The stages that any card needs, and what they keep it in; a feature that this card does not use stands beside the way. */
const STAGES =
  /^(?:commands|src\/(?:app\.ts|log|catalog|discord|known|lookup|model|quota|render|replies|service|time|storage\/sqlite\/(?:cards|file|rows)))(?:\/|\.ts|$)/;

const CARD = 'clock-4';
const UNKNOWN = [CARD, 'clock-29', 'clock-61', 'clock-74', 'tide-11', 'tide-42', 'tide-7', 'dusk2-12', 'clock-16'];
const KNOWN = UNKNOWN.map(() => CARD);
const MEMBERS = Array.from({ length: 40 }, (_, index) => ({
  ...{ name: `member ${index}`, locale: 'en-GB', id: String(1_180_000_000_000_001_000n + BigInt(index)) },
}));
/** One for each of them. */
const OTHERS = SAMPLE_CARDS.map(({ id }) => id).filter((id) => !UNKNOWN.includes(id));

let alone: number;
let together: number;
let paths: Record<'unknown' | 'known', RecordedPath>;
beforeAll(async () => {
  const { discord, env } = await startBackends(
    { plan: 'pro' },
    {},
    { members: [...DEFAULT_WORLD.members, ...MEMBERS] },
  );
  const bot = await startAppBot(env);
  await bot.wrote('gateway ready');
  await showsCard(discord.type({ command: 'card', options: { id: CARD } }));
  const record = await recordPaths();
  const pathOf = async (ids: readonly string[]) => {
    const recorded: RecordedPath[] = [];
    for (const id of ids) {
      const use = async () => {
        const before = bot.output().length;
        await showsCard(discord.type({ command: 'card', options: { id } }));
        await bot.wrote('"msg":"command"', before);
      };
      recorded.push(await record(use));
    }
    const later = recorded.slice(1); // what follows a reply is recorded with the next one
    alone ??= later.reduce((sum, path) => sum + callsOf(path), 0) / later.length;
    return commonPath(later);
  };
  paths = { unknown: await pathOf(UNKNOWN), known: await pathOf(KNOWN) };
  const all = await record(async () => {
    const before = bot.output().length;
    const typed = MEMBERS.map(({ id: memberId }, at) =>
      discord.type({ command: 'card', options: { id: OTHERS[at] ?? '' }, memberId }),
    );
    await Promise.all(typed.map(showsCard));
    const logged = () => bot.output().slice(before).split('"msg":"command"').length - 1;
    await vi.waitFor(() => expect(logged()).toBeGreaterThanOrEqual(typed.length), 60_000);
  });
  together = callsOf(all);
  if (process.env.PATH_RECORD) {
    for (const [card, path] of Object.entries(paths)) {
      const lines = [...path].map(([name, count]) => `${String(count).padStart(5)} ${name}\n`);
      appendFileSync(process.env.PATH_RECORD, `${card} card: ${sizeOf(path)}\n${lines.join('')}\n`);
    }
  }
});

function sizeOf(path: RecordedPath): string {
  return `${filesOf(path).length} files, ${callsOf(path)} calls`;
}

function callsOf(path: RecordedPath): number {
  return [...path.values()].reduce((sum, count) => sum + count, 0);
}

describe.each([
  { card: 'unknown', most: { files: 55, calls: 758 } },
  { card: 'known', most: { files: 28, calls: 148 } },
] as const)('a card that is $card', ({ card, most }) => {
  it('enters no file of a feature that it does not need', () => {
    expect(filesOf(paths[card])).toContain('commands/card.ts');
    expect(filesOf(paths[card]).filter((file) => !STAGES.test(file))).toEqual([]);
  });

  it(`enters at most ${most.files} files, with ${most.calls} calls`, () => {
    expect(filesOf(paths[card]).length).toBeLessThanOrEqual(most.files);
    expect(callsOf(paths[card])).toBeLessThanOrEqual(most.calls);
  });
});

it('forty cards of forty members at once cost at most one and a half times as many calls as one after the other', () => {
  expect(together).toBeLessThanOrEqual(1.5 * MEMBERS.length * alone);
});

/** How often each named function of the bot was called, by `file function`. Callbacks without a name count with whoever is given them. */
type RecordedPath = ReadonlyMap<string, number>;

const ROOT = new URL('../', import.meta.url).href;
const OF_BOT = /^(?:commands|src\/(?!sandbox\/))/;

/** Records what this process calls, by V8's counts, in which each resumption after an `await` is a call, too. */
async function recordPaths(): Promise<(use: () => Promise<unknown>) => Promise<RecordedPath>> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true });
  onFinished(() => session.disconnect());
  return async (use) => {
    await session.post('Profiler.takePreciseCoverage'); // counts from here
    await use();
    const { result } = await session.post('Profiler.takePreciseCoverage');
    const calls = result.flatMap(({ url, functions }) => {
      const file = url.startsWith(ROOT) ? url.slice(ROOT.length) : '';
      if (!OF_BOT.test(file)) return [];
      const called = functions.filter(({ functionName, ranges }) => functionName !== '' && ranges[0]?.count);
      return called.map(({ functionName, ranges }) => [`${file} ${functionName}`, ranges[0]?.count ?? 0] as const);
    });
    const path = new Map<string, number>();
    for (const [name, count] of calls) path.set(name, (path.get(name) ?? 0) + count);
    return path;
  };
}

/** What all of them have: what came in between by itself, such as a heartbeat of an earlier test, is not in each. */
function commonPath(paths: readonly RecordedPath[]): RecordedPath {
  const names = [...(paths[0]?.keys() ?? [])].sort();
  const least = names.map((name) => [name, Math.min(...paths.map((path) => path.get(name) ?? 0))] as const);
  return new Map(least.filter(([, count]) => count > 0));
}

function filesOf(path: RecordedPath): string[] {
  return [...new Set([...path.keys()].map((name) => name.split(' ', 1)[0] ?? ''))];
}
