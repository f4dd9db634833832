import { Session } from 'node:inspector/promises';
import { onFinished } from './on-finished.ts';

/** How often each named function of the bot was called, by `file function`. Callbacks without a name count with whoever is given them. */
export type RecordedPath = ReadonlyMap<string, number>;

const ROOT = new URL('../../', import.meta.url).href;
const OF_BOT = /^(?:commands|src\/(?!sandbox\/))/;

/** Records what this process calls, by V8's counts, in which each resumption after an `await` is a call, too. */
export async function recordPaths(): Promise<(use: () => Promise<unknown>) => Promise<RecordedPath>> {
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
export function commonPath(paths: readonly RecordedPath[]): RecordedPath {
  const names = [...(paths[0]?.keys() ?? [])].sort();
  const least = names.map((name) => [name, Math.min(...paths.map((path) => path.get(name) ?? 0))] as const);
  return new Map(least.filter(([, count]) => count > 0));
}

export function filesOf(path: RecordedPath): string[] {
  return [...new Set([...path.keys()].map((name) => name.split(' ', 1)[0] ?? ''))];
}
