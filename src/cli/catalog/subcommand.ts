import { InvalidArgumentError } from 'commander';
import type { CatalogStats } from '../../catalog/catalog-card.ts';
import { readNamesConfig, readScope, readStorageConfig, secretsOf } from '../../config/config.ts';
import { misspelledVariables } from '../../config/environment.ts';
import { StorageVariables } from '../../config/variables.ts';
import { createLog } from '../../log.ts';
import { catalogFolder } from '../../storage/state.ts';
import type { CliContext, Subcommand } from '../context.ts';
import { FIELDS, type Field, type Mapping } from './card-maker.ts';
import { exportCards } from './export.ts';
import type { ImportFlags } from './import.ts';
import { counted } from './import-report.ts';
import { OpenCatalog } from './open-catalog.ts';

const HELP = `
The catalog is in DATA_DIR; a running bot offers new cards at once.

Examples:
  npm run catalog -- fetch                                      the list of the service in CARD_SERVICE
  npm run catalog -- import cards.csv                           columns id, name, set, number, game in any order
  npm run catalog -- import --map id=uuid,set=setCode x.json    other names of fields
  npm run -s catalog -- export | gzip > cards.jsonl.gz          everything that is offered
  npm run catalog -- stats

docs/catalogues.md has a command line for each public catalogue.

Exit codes: 0 everything was taken · 2 only a part · 1 nothing`;

const IMPORT_HELP = `
FILE is CSV with a header, JSON, or JSON Lines, each also gzipped, or a folder of such files; - is standard input.
Of more files than a command line holds, name the folder.

A SOURCE is the name of a field; set.name is a field within a field, ../name one of the object around the card, @file
the name of the file. '{number}[/{set.total}]' puts several together; what is in brackets is left out if it is empty.`;

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
      run((files: string[], flags: ImportFlags) =>
        withCatalog(context, async (catalog, signal) => {
          const { importFiles } = await import('./import.ts');
          return importFiles(files, { flags, catalog, context, signal });
        }),
      ),
    );
  command
    .command('fetch')
    .description("fetch the list of cards that the card service's description tells of, and import it")
    .option('--yes', 'also if the card service counts the requests')
    .action(
      run(async ({ yes = false }: { yes?: boolean }) => {
        const { fetchNames } = await import('./fetch.ts');
        const fetched = await fetchNames(readNamesConfig(context.env), yes, context);
        return withCatalog(context, async (catalog, signal) => {
          const { importFiles } = await import('./import.ts');
          const code = await importFiles([fetched.folder], { flags: fetched.flags, catalog, context, signal });
          if (!signal.aborted) await fetched.remove();
          return code === 0 && fetched.missing > 0 ? 2 : code;
        });
      }),
    );
  command
    .command('export')
    .description('write every card that is offered to standard output, each as a line of JSON')
    .action(run(() => withCatalog(context, (catalog) => exportCards(catalog, context))));
  command
    .command('stats')
    .description('show how many cards there are, and where they came from')
    .action(
      run(async () => {
        await withCatalog(context, async (catalog) => context.stdout.write(statsReport(catalog.stats())));
        return 0;
      }),
    );
};

/** `name=cleanName,set=set.name`; of each field the last counts, and of `also` all. @throws InvalidArgumentError */
function parseMap(text: string, before: Mapping['map'] = {}): Mapping['map'] {
  const map: { -readonly [F in Field]?: NonNullable<Mapping['map']>[F] } = { ...before };
  for (const part of text.split(',')) {
    const [, name, source] = /^\s*(\w+)\s*=\s*(.+?)\s*$/.exec(part) ?? [];
    const field = FIELDS.find((each) => each === name);
    if (!field || !source)
      throw new InvalidArgumentError(`Write FIELD=SOURCE, where FIELD is one of ${FIELDS.join(', ')}.`);
    map[field] = field === 'also' ? [map.also ?? [], source].flat() : source;
  }
  return map;
}

/** `{set}-{number}` @throws InvalidArgumentError */
function parseIdTemplate(text: string): string {
  if (/\{[^{}]+\}/.test(text)) return text;
  throw new InvalidArgumentError("Write names of fields in braces, such as '{set}-{number}'.");
}

/** `groupId=Groups.csv`, `set=sets.json:code`, `set=sets.json:data.*:code` @throws InvalidArgumentError */
function parseJoin(text: string, before: ImportFlags['join'] = []): ImportFlags['join'] {
  const [, field, file, rows, key] = /^\s*([^=]+?)\s*=\s*(.+?)(?::([^:]*))??(?::([^:]+))?$/.exec(text) ?? [];
  if (field && file) return [...before, { field, file, rows, key }];
  throw new InvalidArgumentError('Write FIELD=FILE or FIELD=FILE:KEY, such as groupId=Groups.csv:id.');
}

/** Does something with the catalog. @throws ConfigError, CliFailure */
async function withCatalog<T>(
  { env, stderr, stopSignal }: CliContext,
  work: (catalog: OpenCatalog, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  for (const { name, meant } of misspelledVariables(env, StorageVariables))
    stderr.write(`${name} is unknown. Did you mean ${meant}?\n`);
  const signal = stopSignal();
  const config = readStorageConfig(env);
  const scope = readScope(env);
  const { forTerminal } = await import('../../log/terminal.ts');
  const log = createLog({ level: 'error', secrets: secretsOf(config), destination: forTerminal(stderr) });
  const catalog = new OpenCatalog(catalogFolder(config.dataDir, scope), log);
  try {
    return await work(catalog, signal);
  } finally {
    catalog.close();
  }
}

const SHOWN_IMPORTS = 20;

/** The figures of the catalog, as lines. */
function statsReport({ cards, confirmed, denied, names, imports, bytes }: CatalogStats): string {
  const withdrawn = ', no longer offered: the service denied five of its cards and confirmed none';
  const others = imports.slice(SHOWN_IMPORTS);
  const othersHave = others.reduce((sum, { unconfirmed }) => sum + unconfirmed, 0);
  const lines = [
    `Cards: ${counted(cards)} with ${counted(names)} names`,
    `Confirmed by the card service: ${counted(confirmed)}`,
    `Denied by it, while a copy is kept: ${counted(denied)}`,
    `Not confirmed: ${counted(cards - confirmed)}`,
    ...imports
      .slice(0, SHOWN_IMPORTS)
      .map((each) => `  ${each.source}: ${counted(each.unconfirmed)}${each.isWithdrawn ? withdrawn : ''}`),
    ...(others.length > 0 ? [`  ${counted(others.length)} more: ${counted(othersHave)}`] : []),
    `On disk: ${(bytes / 1e6).toLocaleString('en', { maximumFractionDigits: 1 })} MB`,
  ];
  return `${lines.join('\n')}\n`;
}
