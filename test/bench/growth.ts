import { execFileSync } from 'node:child_process';
import { readFileSync, symlinkSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startBackends } from '../support/backends.ts';
import { startProgram } from '../support/bot-process.ts';
import { onFinished, scoped } from '../support/on-finished.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { hasCard, isThinking } from '../support/world.ts';
import { printings } from './search/printings.ts';
import { type BenchTable, quantile } from './table.ts';

const RUNS = 5;
const CARDS = printings(20_000).map(({ id, name, set = '' }) => ({
  id,
  name,
  tcg: 'Any',
  set: { id: set, name: set },
}));
/** So slow that 10,000 wait, and so quick that the last of them is not refused. */
const SERVICE = { requestsPerMinute: 1_200, burst: 20, requestsPerDay: 1e6, cards: CARDS };
/** Commands, also to warm up, and how many of them at once. */
const [MEASURED, AT_ONCE] = [500, 16];
/** So many that nobody types too much in a minute. */
const members = Array.from({ length: MEASURED }, (_, index) => {
  return { id: `1180000000000${100_000 + index}`, name: 'Member', locale: 'en-US' };
});
/** Cards that are known, and of one list. */
const LIST = 10;
const LISTS = 100;
const A_WHILE_MS = 5_000;

/** What the bot of these files takes beside that of another commit: a process in turn, over an emulated Discord. */
export async function run(): Promise<BenchTable> {
  const base = process.argv[3] ?? 'HEAD';
  const trees = [checkedOut(base), '.'];
  const compiled = temporaryFolder();
  const found: Awaited<ReturnType<typeof figuresOf>>[][] = [[], []];
  for (let run = 0; run < RUNS; run++) {
    for (const [at, tree] of trees.entries()) found[at]?.push(await scoped(() => figuresOf(tree, compiled)));
  }
  return {
    title: `Beside ${base}`,
    rows: Object.keys(found[0]?.[0] ?? {}).map((name) => {
      const [before = 0, now = 0] = found.map((runs) =>
        quantile(
          runs.map((figures) => figures[name] ?? 0),
          0.5,
        ),
      );
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
  const {
    discord,
    cardService,
    env,
    type: typeAs,
  } = await startBackends(
    SERVICE,
    { LONGEST_WAIT_SECONDS: '840', LOG_LEVEL: 'warn', NODE_COMPILE_CACHE: compiled },
    { members },
  );
  const names = [`${tree}/src/cli/main.ts`, 'catalog', 'import', '--map', 'set=set.name', '-'];
  const input = CARDS.map((card) => JSON.stringify(card)).join('\n');
  execFileSync(process.execPath, names, { env, input, stdio: 'pipe' });

  const script = readFileSync(`${tree}/package.json`, 'utf8');
  const [option = ''] = /--\S+(?= \$NODE_OPTIONS)/.exec(script) ?? [];
  const startedAtMs = performance.now();
  const { child, ended } = startProgram([process.execPath, `${tree}/src/main.ts`], {
    cwd: tree,
    env: { ...env, NODE_OPTIONS: option },
  });
  onFinished(() => child.kill() && ended);
  await Promise.race([discord.gateway.whenReady(), ended]);
  const found: Record<string, number> = { 'READY, ms': performance.now() - startedAtMs };

  const read = (file: string) => readFileSync(`/proc/${child.pid}/${file}`, 'utf8');
  const cpuMs = () => Number(read('schedstat').split(' ')[0]) / 1e6;
  /** CPU time in milliseconds, and requests. */
  const costOf = async (work: () => Promise<unknown>) => {
    const [fromMs, requests] = [cpuMs(), cardService.counts.total];
    await work();
    return [cpuMs() - fromMs, cardService.counts.total - requests] as const;
  };
  await sleep(A_WHILE_MS);
  found['resident memory, MB'] = Number(/VmRSS:\s+(\d+)/.exec(read('status'))?.[1]) / 1_000;

  let typed = 0;
  const type = (command: string, options: Record<string, string>) =>
    typeAs(command, options, { memberId: members[typed++ % MEASURED]?.id ?? '' });
  const known = (at: number) => ({ id: CARDS[at % LIST]?.id ?? '' });
  await times(LIST, (at) => type('card', known(at)).until(hasCard));
  await times(MEASURED, (at) => type('card', known(at)).settled());
  found['a known card, ms'] = await p50((at) => type('card', known(at)).settled());
  found['names for a text, ms'] = await p50((at) => {
    const id = CARDS[at]?.name.slice(0, 5) ?? '';
    return discord.complete({ command: 'card', options: { id }, focused: 'id' });
  });

  let asked = LIST;
  const ask = () => {
    asked += LIST;
    const ids = CARDS.slice(asked - LIST, asked).map(({ id }) => id);
    return type('cards', { ids: ids.join() }).until(isThinking);
  };
  for (const waiting of [1_000, 10_000]) {
    await times((waiting - asked) / LIST - LISTS, ask);
    const [askedMs, meanwhile] = await costOf(() => times(LISTS, ask));
    const [sentMs, sent] = await costOf(() => sleep(A_WHILE_MS));
    const requestMs = sentMs / sent;
    found[`ten more at ${waiting} waiting, CPU ms`] = (askedMs - meanwhile * requestMs) / LISTS;
    found[`a request at ${waiting} waiting, CPU ms`] = requestMs;
  }
  return found;
}

/** In milliseconds, one after another. */
async function p50(work: (at: number) => Promise<unknown>) {
  const tookMs: number[] = [];
  while (tookMs.length < MEASURED) {
    const startedMs = performance.now();
    await work(tookMs.length);
    tookMs.push(performance.now() - startedMs);
  }
  return quantile(tookMs, 0.5);
}

async function times(count: number, work: (at: number) => Promise<unknown>) {
  let next = 0;
  const inSequence = async () => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, inSequence));
}
