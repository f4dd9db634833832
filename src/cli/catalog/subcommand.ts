import { pipeline } from 'node:stream/promises';
import { InvalidArgumentError } from 'commander';
import { decodeHTMLStrict } from 'entities/decode';
import type { CatalogStats } from '../../catalog/card-index.ts';
import { CatalogDatabase } from '../../catalog/database.ts';
import type { CatalogCard } from '../../catalog/text.ts';
import { readNamesConfig, readScope, readStorageConfig, secretsOf } from '../../config/config.ts';
import { misspelledVariables, StorageVariables } from '../../config/variables.ts';
import { createLog } from '../../log.ts';
import { Template } from '../../model/field-source.ts';
import { catalogFolder } from '../../storage/state.ts';
import type { CliContext, Subcommand } from '../context.ts';
import { FIELDS, type Join, joinIn, type Mapping } from './card.ts';
import { serviceLists } from './fetch.ts';
import { counted, Import } from './import.ts';
import { bytesOf, filesOf } from './rows.ts';

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
    .option('--id-template <template>', "builds ids, such as '{set}-{number}', from fields of the file", (text) => {
      if (Template.isOne(text)) return text;
      throw new InvalidArgumentError("Write names of fields in braces, such as '{set}-{number}'.");
    })
    .option('--rows <path>', 'where the cards are in a JSON document, such as data.*.cards')
    .option(
      '--join <field=file[:rows]:key>',
      'puts the row of another file in place of a field of each card, whose value that row has as KEY',
      (text, before: readonly Join[] = []) => {
        const join = joinIn(text, (name) => ({ name, bytes: () => bytesOf(name, context) }));
        if (join) return [...before, join];
        throw new InvalidArgumentError('Write FIELD=FILE or FIELD=FILE:KEY, such as groupId=Groups.csv:id.');
      },
    )
    .option('--game <name>', 'the game of cards that name none')
    .addHelpText('after', IMPORT_HELP)
    .action(
      run((files: string[], { join: joins = [], ...flags }: Mapping & { join?: readonly Join[] }) =>
        withCatalog(context, async (catalog, signal) => {
          const lists = await Promise.all(files.map((file) => filesOf(file, context)));
          return new Import({ ...context, lists: lists.flat(), flags, joins, catalog, signal }).run();
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
          const given = await serviceLists(readNamesConfig(context.env), yes, context, signal);
          return new Import({ ...context, ...given, catalog, signal }).run();
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
      run(() =>
        withCatalog(context, async (catalog) => {
          context.stdout.write(statsReport(catalog.index.stats()));
          return 0;
        }),
      ),
    );
};

/** `name=cleanName,set=set.name` @throws InvalidArgumentError */
function parseMap(text: string, before: Mapping['map'] = {}) {
  const map = { ...before };
  for (const part of text.split(',')) {
    const [, name, source = ''] = /^\s*(\w+)\s*=\s*(.+?)\s*$/.exec(part) ?? [];
    const field = FIELDS.find((each) => each === name);
    if (!field) throw new InvalidArgumentError(`Write FIELD=SOURCE, where FIELD is one of ${FIELDS.join(', ')}.`);
    map[field] = [map[field] ?? [], source].flat();
  }
  return map;
}

/** Does something with the catalog. @throws ConfigError, CliFailure */
async function withCatalog(
  { env, stderr, stopSignal }: CliContext,
  work: (catalog: CatalogDatabase, signal: AbortSignal) => Promise<number>,
): Promise<number> {
  for (const { name, meant } of misspelledVariables(env, StorageVariables))
    stderr.write(`${name} is unknown. Did you mean ${meant}?\n`);
  const signal = stopSignal();
  const config = readStorageConfig(env);
  const { forTerminal } = await import('../../log/terminal.ts');
  const log = createLog({ level: 'error', secrets: secretsOf(config), destination: forTerminal(stderr) });
  const catalog = new CatalogDatabase(catalogFolder(config.dataDir, readScope(env)), log);
  try {
    return await work(catalog, signal);
  } finally {
    catalog.close();
  }
}

/** Writes cards to standard output, each as a line of JSON. @returns the exit code */
async function exportCards(cards: Generator<CatalogCard>, { stdout, stderr }: CliContext): Promise<number> {
  let count = 0;
  const lines = cards.map((card) => {
    count++;
    return `${JSON.stringify(card, escaped)}\n`;
  });
  try {
    await pipeline(lines, stdout, { end: false });
  } catch (error) {
    if (Object(error).code === 'EPIPE') return 0; // `head` has read enough
    throw error;
  }
  stderr.write(`standard output: ${counted(count, 'card')}\n`);
  return 0;
}

/**
 * What looks like an HTML entity is written so that an import, which decodes it in all but ids, gives the same text.
 */
function escaped(field: string, value: unknown): unknown {
  const isText = typeof value === 'string' && field !== 'id';
  return isText && decodeHTMLStrict(value) !== value ? value.replaceAll('&', '&amp;') : value;
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
