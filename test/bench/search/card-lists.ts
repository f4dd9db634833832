import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { HELD_OUT, LISTS, type List } from '../../catalog/typed/texts.ts';

/** The repository of each list, as a clone of it is called, and the heading of its command line in the documentation. */
const REPOSITORIES: Readonly<Record<List, string>> = {
  pokemon: 'pokemon-tcg-data',
  yugioh: 'yaml-yugi',
  fab: 'flesh-and-blood-cards',
  netrunner: 'netrunner-cards-json',
  arkham: 'arkhamdb-json-data',
  marvel: 'marvelsdb-json-data',
};
const PAGE = 'docs/catalogues.md';

/** The lists that are in this folder. */
export function listsIn(folder: string): List[] {
  return [...LISTS, ...HELD_OUT].filter((list) => existsSync(join(folder, REPOSITORIES[list])));
}

/** Imports a list as its command line in the documentation says. */
export function importList(folder: string, list: List, dataDir: string): void {
  const repository = REPOSITORIES[list];
  const command = documentedLine(repository);
  const ran = spawnSync('sh', ['-c', `npm --prefix "$PROJECT" run --silent ${command}`], {
    cwd: join(folder, repository),
    env: { ...process.env, PROJECT: process.cwd(), DATA_DIR: dataDir },
    encoding: 'utf8',
  });
  if (ran.status !== 0 && ran.status !== 2) throw new Error(`npm run ${command}\n${ran.stderr}`);
  process.stderr.write(`${list}: ${ran.stdout.trimEnd().split('\n').at(-1)}\n`);
}

/** A section of the page that is about several repositories names them in its first line, and has their command lines in this order. */
function documentedLine(repository: string): string | undefined {
  for (const section of readFileSync(PAGE, 'utf8').split(/^(?=\*\*)/m)) {
    const [heading = ''] = section.split('\n');
    const at = [...heading.matchAll(/\*\*(.+?)\*\*/g)].findIndex(([, name]) => name === repository);
    if (at >= 0) return [...section.matchAll(/^ {4}npm run (catalog -- import .*)$/gm)][at]?.[1];
  }
  return undefined;
}
