import { resolve } from 'node:path';
import { misspelledVariables, readStorageConfig, redisSecretsOf, type StorageConfig } from '../../config/config.ts';
import { StorageVariables } from '../../config/variables.ts';
import { createLog, forTerminal, type Logger } from '../../log.ts';
import { DatabaseInUse, DatabaseUnusable } from '../../storage/sqlite/database.ts';
import { type CliContext, CliFailure, type Subcommand } from '../context.ts';
import { exportFile, exportFormat } from './export-file.ts';
import { FilesImport, type ImportFlags } from './import-files.ts';
import { parseIdTemplate, parseJoin, parseMap } from './import-options.ts';
import { FileCatalog, type OpenCatalog } from './open-catalog.ts';
import { counted } from './progress.ts';
import { statsReport } from './stats-report.ts';

const HELP = `
The catalog is in DATA_DIR or, with REDIS_URL, in Redis; a running bot offers new cards within 5 s.

Examples:
  npm run catalog -- import cards.csv                           columns id, name, set, number, game in any order
  npm run catalog -- import --map id=uuid,set=setCode x.json    other names of fields
  npm run catalog -- export - | gzip > cards.jsonl.gz           everything that is offered
  npm run catalog -- stats

docs/catalogues.md has a command line for each public catalogue.

Exit codes: 0 everything was taken · 2 only a part · 1 nothing`;

const IMPORT_HELP = `
FILE is CSV with a header, JSON, or JSON Lines, each also gzipped; - is standard input.

A SOURCE is the name of a field; set.name is a field within a field, ../name one of the object around the card, @file
the name of the file. '{number}/{set.total}' puts several together.`;

/** `npm run catalog` */
export const subcommand: Subcommand = (command, context, run) => {
  command.addHelpText('after', HELP);
  command
    .command('import')
    .description('import the cards in files')
    .argument('<file...>')
    .option('--map <field=source,...>', "where a card's id, name, set, number or game is", parseMap)
    .option(
      '--id-template <template>',
      "builds ids, such as '{set}-{number}', from fields of the file",
      parseIdTemplate,
    )
    .option('--rows <path>', 'where the cards are in a JSON document, such as data.*.cards')
    .option('--join <field=file>', 'puts the row of another file in place of a field of each card', parseJoin)
    .option('--game <name>', 'the game of cards that name none')
    .addHelpText('after', IMPORT_HELP)
    .action(
      run(
        (files: string[], { map = {}, ...flags }: Omit<ImportFlags, 'sources'> & { map?: ImportFlags['sources'] }) => {
          const options = { sources: map, ...flags };
          return withCatalog(context, (catalog, signal) =>
            new FilesImport(options, catalog, context, signal).run(files),
          );
        },
      ),
    );
  command
    .command('export')
    .description(
      'write every card that is offered to FILE: .csv, .json or .jsonl, each also with .gz; - for JSON Lines on standard output',
    )
    .argument('<file>')
    .action(run((file: string) => withCatalog(context, (catalog) => exportTo(file, catalog, context))));
  command
    .command('stats')
    .description('show how many cards there are, and where they came from')
    .action(
      run(() =>
        withCatalog(context, async (catalog) => {
          context.stdout.write(statsReport(catalog.stats()));
          return 0;
        }),
      ),
    );
};

/** Does something with the catalog. @returns the exit code @throws ConfigError, CliFailure */
async function withCatalog(
  { env, stderr, stopSignal }: CliContext,
  work: (catalog: OpenCatalog, signal: AbortSignal) => Promise<number>,
): Promise<number> {
  for (const { name, meant } of misspelledVariables(env, StorageVariables))
    stderr.write(`${name} is unknown. Did you mean ${meant}?\n`);
  const signal = stopSignal();
  const config = readStorageConfig(env);
  const log = createLog({ level: 'error', secrets: redisSecretsOf(config), destination: forTerminal(stderr) });
  const catalog = await openCatalog(config, log);
  try {
    return await work(catalog, signal);
  } finally {
    await catalog.close();
  }
}

async function openCatalog({ dataDir, redis }: StorageConfig, log: Logger): Promise<OpenCatalog> {
  if (!redis) return openFile(dataDir, log);
  // Loaded only when it is used: it takes 25 MB and 0.1 s.
  const { SharedCatalogCopy } = await import('./shared-catalog-copy.ts');
  return SharedCatalogCopy.open(redis, log);
}

function openFile(dataDir: string, log: Logger): OpenCatalog {
  try {
    return new FileCatalog(dataDir, log);
  } catch (error) {
    if (error instanceof DatabaseInUse || error instanceof DatabaseUnusable) throw new CliFailure(error.message);
    throw error;
  }
}

async function exportTo(file: string, catalog: OpenCatalog, { folder, stdout, stderr }: CliContext): Promise<number> {
  const format = exportFormat(file);
  if (!format) {
    stderr.write(`${file}: the name must end with .csv, .json or .jsonl, each also with .gz.\n`);
    return 1;
  }
  try {
    const cards = await exportFile(catalog.rows(), format, file === '-' ? stdout : resolve(folder, file));
    stderr.write(`${file === '-' ? 'standard output' : file}: ${counted(cards)} cards\n`);
    return 0;
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error) || !('syscall' in error)) throw error;
    if (error.code === 'EPIPE') return 0; // a reader such as `head` has read enough
    stderr.write(`${file} cannot be written (${error.message}).\n`);
    return 1;
  }
}
