import { resolve } from 'node:path';
import { Command, CommanderError } from 'commander';
import {
  ConfigError,
  misspelledVariables,
  readStorageConfig,
  redisSecretsOf,
  type StorageConfig,
} from '../config/config.ts';
import { StorageVariables } from '../config/variables.ts';
import { createLog, forTerminal, type Logger } from '../log.ts';
import { DatabaseInUse, DatabaseUnusable } from '../storage/sqlite/database.ts';
import { type CliContext, counted } from './cli-context.ts';
import { exportFile, exportFormat } from './export-file.ts';
import { FilesImport, type ImportFlags } from './import-files.ts';
import { parseIdTemplate, parseJoin, parseMap } from './import-options.ts';
import { CatalogUnusable, FileCatalog, type OpenCatalog } from './open-catalog.ts';
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

/** Runs the catalog CLI; `args` without program and script. @returns the exit code: 0, 2 or 1 */
export async function runCatalogCli(args: readonly string[], context: CliContext): Promise<number> {
  const { stdout, stderr } = context;
  let exitCode = 0;
  const run = (work: (catalog: OpenCatalog) => Promise<number>) => async () => {
    exitCode = await attempt(work, context);
  };
  const program = new Command('npm run catalog --')
    .description('Gives the bot cards that members can find by name.')
    .addHelpText('after', HELP)
    .configureOutput({ writeOut: (text) => stdout.write(text), writeErr: (text) => stderr.write(text) })
    .showHelpAfterError('(see --help)')
    .exitOverride();
  program
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
      (files: string[], { map = {}, ...flags }: Omit<ImportFlags, 'sources'> & { map?: ImportFlags['sources'] }) =>
        run((catalog) => new FilesImport({ sources: map, ...flags }, catalog, context).run(files))(),
    );
  program
    .command('export')
    .description(
      'write every card that is offered to FILE: .csv, .json or .jsonl, each also with .gz; - for JSON Lines on standard output',
    )
    .argument('<file>')
    .action((file: string) => run((catalog) => exportTo(file, catalog, context))());
  program
    .command('stats')
    .description('show how many cards there are, and where they came from')
    .action(
      run(async (catalog) => {
        stdout.write(statsReport(catalog.stats()));
        return 0;
      }),
    );
  try {
    await program.parseAsync(args, { from: 'user' });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 1;
    throw error;
  }
}

/** Their messages are sentences for the operator. */
const EXPLAINED = [ConfigError, DatabaseInUse, DatabaseUnusable, CatalogUnusable];

/** Does something with the catalog, or says why it cannot be used. @returns the exit code */
async function attempt(work: (catalog: OpenCatalog) => Promise<number>, { env, stderr }: CliContext): Promise<number> {
  for (const { name, meant } of misspelledVariables(env, StorageVariables))
    stderr.write(`${name} is unknown. Did you mean ${meant}?\n`);
  let catalog: OpenCatalog | undefined;
  try {
    const config = readStorageConfig(env);
    const log = createLog({ level: 'error', secrets: redisSecretsOf(config), destination: forTerminal(stderr) });
    catalog = await openCatalog(config, log);
    return await work(catalog);
  } catch (error) {
    if (!(error instanceof Error) || !EXPLAINED.some((kind) => error instanceof kind)) throw error;
    stderr.write(`${error.message}\n`);
    return 1;
  } finally {
    await catalog?.close();
  }
}

async function openCatalog({ dataDir, redis }: StorageConfig, log: Logger): Promise<OpenCatalog> {
  if (!redis) return new FileCatalog(dataDir, log);
  // Loaded only when it is used: it takes 25 MB and 0.1 s.
  const { SharedCatalogCopy } = await import('./shared-catalog-copy.ts');
  return SharedCatalogCopy.open(redis, log);
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
