import { InvalidArgumentError } from 'commander';
import type { CatalogStats } from '../../catalog/card-index.ts';
import { CatalogDatabase } from '../../catalog/database.ts';
import { readNamesConfig, readScope, readStorageConfig, secretsOf } from '../../config/config.ts';
import { misspelledVariables, StorageVariables } from '../../config/variables.ts';
import { createLog } from '../../log.ts';
import { Template } from '../../model/field-source.ts';
import { catalogFolder } from '../../storage/state.ts';
import type { CliContext, Subcommand } from '../context.ts';
import { FIELDS, joinIn, type Mapping } from './card.ts';
import { exportCards } from './export.ts';
import { serviceLists } from './fetch.ts';
import { counted, importLists } from './import.ts';
import { bytesOf, filesOf } from './input.ts';

const HELP = `
Examples:
  npm run catalog -- fetch                                      the list of the service in CARD_SERVICE
  npm run catalog -- import cards.csv                           columns id, name, set, number, game in any order
  npm run catalog -- import --map id=uuid,set=setCode x.json    other names of fields
  npm run -s catalog -- export | gzip > cards.jsonl.gz          everything that is offered

docs/catalogues.md has more, and a command line for each public catalogue.

Exit codes: 0 everything was taken · 2 only a part · 1 nothing`;

const IMPORT_HELP = `
FILE is CSV with a header, JSON, or JSON Lines, each also gzipped, or a folder of such files; - is standard input.
docs/catalogues.md tells what a SOURCE may be, such as set.name, ../name, @file or '{number}[/{total}]'.`;

/** Another import leaves the lock for a moment after each batch. */
const BUSY_TIMEOUT_MS = 60_000;

/** `npm run catalog` */
export const subcommand: Subcommand = (command, context, run) => {
  command.addHelpText('after', HELP);
  command
    .command('import')
    .description('import the cards in files')
    .argument('<file...>')
    .option(
      '--map <field=source,...>',
      "where a card's id, name, set, number, game, release or other names are",
      parseMap,
    )
    .option(
      '--id-template <template>',
      "builds ids, such as '{set}-{number}', from fields of the file",
      parseIdTemplate,
    )
    .option('--rows <path>', 'where the cards are in a JSON document, such as data.*.cards')
    .option(
      '--join <field=file[:rows]:key>',
      'puts the row of another file in place of a field of each card, whose value that row has as KEY',
      parseJoin,
    )
    .option('--game <name>', 'the game of cards that name none')
    .addHelpText('after', IMPORT_HELP)
    .action(
      run((files: string[], { join = [], ...flags }: Mapping & { join?: readonly JoinFlag[] }) =>
        withCatalog(context, async (catalog, signal) => {
          const lists = await Promise.all(files.map((file) => filesOf(file, context)));
          const joins = join.map(({ from, ...each }) => ({ ...each, name: from, bytes: () => bytesOf(from, context) }));
          return importLists(lists.flat(), { flags, joins, catalog, signal }, context);
        }),
      ),
    );
  command
    .command('fetch')
    .description("fetch the list of cards that the card service's description tells of, and import it")
    .option('--yes', 'also if the card service counts the requests')
    .action(
      run(({ yes = false }: { yes?: boolean }) =>
        withCatalog(context, async (catalog, signal) => {
          const { lists, ...fetched } = await serviceLists(readNamesConfig(context.env), yes, context, signal);
          return importLists(lists, { ...fetched, catalog, signal }, context);
        }),
      ),
    );
  command
    .command('export')
    .description('write every card that is offered to standard output, each as a line of JSON')
    .action(run(() => withCatalog(context, (catalog) => exportCards(catalog.index.rows(), context))));
  command
    .command('stats')
    .description('show how many cards there are, and where they came from')
    .action(
      run(async () => {
        await withCatalog(context, async (catalog) => context.stdout.write(statsReport(catalog.index.stats())));
        return 0;
      }),
    );
};

/** `name=cleanName,set=set.name` @throws InvalidArgumentError */
function parseMap(text: string, before: Mapping['map'] = {}): Mapping['map'] {
  const map = { ...before };
  for (const part of text.split(',')) {
    const [, name, source = ''] = /^\s*(\w+)\s*=\s*(.+?)\s*$/.exec(part) ?? [];
    const field = FIELDS.find((each) => each === name);
    if (!field) throw new InvalidArgumentError(`Write FIELD=SOURCE, where FIELD is one of ${FIELDS.join(', ')}.`);
    map[field] = [map[field] ?? [], source].flat();
  }
  return map;
}

/** `{set}-{number}` @throws InvalidArgumentError */
function parseIdTemplate(text: string): string {
  if (Template.isOne(text)) return text;
  throw new InvalidArgumentError("Write names of fields in braces, such as '{set}-{number}'.");
}

type JoinFlag = NonNullable<ReturnType<typeof joinIn>>;

/** @throws InvalidArgumentError */
function parseJoin(text: string, before: readonly JoinFlag[] = []): readonly JoinFlag[] {
  const join = joinIn(text);
  if (join) return [...before, join];
  throw new InvalidArgumentError('Write FIELD=FILE or FIELD=FILE:KEY, such as groupId=Groups.csv:id.');
}

/** Does something with the catalog. @throws ConfigError, CliFailure */
async function withCatalog<T>(
  { env, stderr, stopSignal }: CliContext,
  work: (catalog: CatalogDatabase, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  for (const { name, meant } of misspelledVariables(env, StorageVariables))
    stderr.write(`${name} is unknown. Did you mean ${meant}?\n`);
  const signal = stopSignal();
  const config = readStorageConfig(env);
  const scope = readScope(env);
  const { forTerminal } = await import('../../log/terminal.ts');
  const log = createLog({ level: 'error', secrets: secretsOf(config), destination: forTerminal(stderr) });
  const catalog = new CatalogDatabase(catalogFolder(config.dataDir, scope), log, BUSY_TIMEOUT_MS);
  try {
    return await work(catalog, signal);
  } finally {
    catalog.close();
  }
}

/** The figures of the catalog, as lines. */
function statsReport({ cards, confirmed, denied, names, imports, bytes }: CatalogStats): string {
  const withdrawn = ', no longer offered: the service denied five of its cards and confirmed none';
  const lines = [
    `Cards: ${counted(cards)} with ${counted(names)} names`,
    `Confirmed by the card service: ${counted(confirmed)}`,
    `Denied by it, while a copy is kept: ${counted(denied)}`,
    `Not confirmed: ${counted(cards - confirmed)}`,
    ...imports.map((each) => `  ${each.source}: ${counted(each.unconfirmed)}${each.withdrawn ? withdrawn : ''}`),
    `On disk: ${(bytes / 1e6).toFixed(1)} MB`,
  ];
  return `${lines.join('\n')}\n`;
}
