import { execFileSync } from 'node:child_process';
import { readFileSync, symlinkSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startBackends } from '../support/backends.ts';
import { startProgram } from '../support/bot-process.ts';
import { manyCards } from '../support/many-cards.ts';
import { onFinished, scoped } from '../support/on-finished.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { hasCard, isThinking } from '../support/world.ts';
import { type BenchTable, quantile } from './table.ts';

const RUNS = 5;
const CARDS = manyCards(20_000).map(({ id, name, set = '' }) => ({
  id,
  name,
  tcg: 'Any',
  set: { id: set, name: set },
}));
/** So slow that 10,000 wait, and so quick that the last of them is not refused. */
const SERVICE = { requestsPerMinute: 1_200, burst: 20, requestsPerDay: 1e6, cards: CARDS };
/** So many that nobody types too much in a minute. */
const members = Array.from({ length: 500 }, (_, index) => {
  return { id: `1180000000000${100_000 + index}`, name: 'Member', locale: 'en-US' };
});
/** Of so many commands the median is taken: the first ones, which warm up, do not count then. */
const MEASURED = 1_000;
/** Cards that are known, and of one list. */
const LIST = 10;
const LISTS = 100;
const A_WHILE_MS = 5_000;

/** What the bot of these files takes beside that of another commit: a process in turn, over an emulated Discord. */
export async function run(): Promise<BenchTable> {
  const base = process.argv[3] ?? 'HEAD';
  const trees = [checkedOut(base), '.'];
  const compiled = temporaryFolder();
  const found: Record<string, number>[][] = [[], []];
  for (let run = 0; run < RUNS; run++) {
    for (const [at, tree] of trees.entries()) found[at]?.push(await scoped(() => figuresOf(tree, compiled)));
  }
  return {
    title: `Beside ${base}`,
    rows: Object.keys(found[0]?.[0] ?? {}).map((name) => {
      const [before = 0, now = 0] = found.map((runs) => quantile(runs.map((figures) => figures[name] ?? 0)));
      return { '': name, [base]: before.toFixed(2), this: now.toFixed(2), ratio: `${(now / before).toFixed(2)} ×` };
    }),
  };
}

/** With the packages of these files. */
function checkedOut(commit: string) {
  const tree = temporaryFolder();
  execFileSync('sh', ['-c', 'git archive "$0" | tar -x -C "$1"', commit, tree]);
  symlinkSync(resolve('node_modules'), `${tree}/node_modules`);
  return tree;
}

async function figuresOf(tree: string, compiled: string) {
  const variables = { LONGEST_WAIT_SECONDS: '840', LOG_LEVEL: 'warn', NODE_COMPILE_CACHE: compiled };
  const { discord, cardService, env, suggested, ...typing } = await startBackends(SERVICE, variables, { members });
  const names = [`${tree}/src/cli/main.ts`, 'catalog', 'import', '--map', 'set=set.name', '-'];
  const input = CARDS.map((card) => JSON.stringify(card)).join('\n');
  execFileSync(process.execPath, names, { env, input, stdio: 'pipe' });

  const [NODE_OPTIONS = ''] = /--\S+(?= \$NODE_OPTIONS)/.exec(readFileSync(`${tree}/package.json`, 'utf8')) ?? [];
  const startedAtMs = performance.now();
  const options = { cwd: tree, env: { ...env, NODE_OPTIONS } };
  const { child, ended } = startProgram([process.execPath, `${tree}/src/main.ts`], options);
  onFinished(() => child.kill() && ended);
  await Promise.race([discord.gateway.whenReady(), ended]);
  const found: Record<string, number> = { 'READY, ms': performance.now() - startedAtMs };

  const read = (file: string) => readFileSync(`/proc/${child.pid}/${file}`, 'utf8');
  const spent = () => [Number(read('schedstat').split(' ')[0]) / 1e6, cardService.counts.total] as const;
  await sleep(A_WHILE_MS);
  found['resident memory, MB'] = Number(/VmRSS:\s+(\d+)/.exec(read('status'))?.[1]) / 1_000;

  let typed = 0;
  const type = (command: string, options: Record<string, string>) =>
    typing.type(command, options, { memberId: members[typed++ % members.length]?.id ?? '' });
  found['a known card, ms'] = await p50Ms(MEASURED, (at) =>
    type('card', { id: CARDS[at % LIST]?.id ?? '' }).until(hasCard),
  );
  found['names for a text, ms'] = await p50Ms(MEASURED, (at) => suggested(CARDS[at]?.name.slice(0, 5) ?? ''));

  let asked = LIST;
  const ask = () => {
    asked += LIST;
    const ids = CARDS.slice(asked - LIST, asked).map(({ id }) => id);
    return type('cards', { ids: ids.join() }).until(isThinking);
  };
  for (const waiting of [1_000, 10_000]) {
    await p50Ms((waiting - asked) / LIST - LISTS, ask);
    const [cpuMs, requests] = spent();
    await p50Ms(LISTS, ask);
    const [askedCpuMs, askedRequests] = spent();
    await sleep(A_WHILE_MS);
    const [endCpuMs, endRequests] = spent();
    const requestMs = (endCpuMs - askedCpuMs) / (endRequests - askedRequests);
    const askingMs = askedCpuMs - cpuMs - requestMs * (askedRequests - requests);
    found[`ten more at ${waiting} waiting, CPU ms`] = askingMs / LISTS;
    found[`a request at ${waiting} waiting, CPU ms`] = requestMs;
  }
  return found;
}

/** One after another. */
async function p50Ms(times: number, work: (at: number) => Promise<unknown>) {
  const tookMs: number[] = [];
  for (let at = 0; at < times; at++) {
    const startedMs = performance.now();
    await work(at);
    tookMs.push(performance.now() - startedMs);
  }
  return quantile(tookMs);
}
