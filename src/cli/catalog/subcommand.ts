import { basename } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { InvalidArgumentError } from 'commander';
import { decodeHTMLStrict } from 'entities/decode';
import type { CatalogStats } from '../../catalog/card-index.ts';
import { CatalogDatabase } from '../../catalog/database.ts';
import { type CatalogCard, nameKey } from '../../catalog/text.ts';
import { readNamesConfig, readScope, readStorageConfig, secretsOf } from '../../config/config.ts';
import { misspelledVariables, StorageVariables } from '../../config/variables.ts';
import { createLog } from '../../log.ts';
import { forTerminal } from '../../log-terminal.ts';
import { plainText } from '../../render/formats.ts';
import { Template } from '../../service/field-source.ts';
import { catalogFolder, sqliteCode } from '../../storage/sqlite/file.ts';
import { type CliContext, CliFailure, type Subcommand } from '../context.ts';
import {
  cardReader,
  FIELDS,
  type Given,
  type Join,
  type Joined,
  joinIn,
  lackOf,
  type Mapping,
  readJoined,
} from './card.ts';
import { serviceLists } from './fetch.ts';
import { bytesOf, counted, filesOf, type List, rowsOf, Unusable } from './files.ts';

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
export const subcommand: Subcommand = (command, context) => {
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
    .action((files: string[], { join: joins = [], ...flags }: Mapping & { join?: readonly Join[] }) =>
      withCatalog(context, async (catalog, signal) => {
        const lists = await Promise.all(files.map((file) => filesOf(file, context)));
        await importLists({ lists: lists.flat(), flags, joins }, catalog, signal, context);
      }),
    );
  command
    .command('fetch')
    .description("fetch the list of cards that the card service's description tells of, and import it")
    .option('--yes', 'also if the card service counts the requests')
    .action(({ yes = false }) =>
      withCatalog(context, async (catalog, signal) => {
        const given = await serviceLists(readNamesConfig(context.env), yes, context, signal);
        await importLists(given, catalog, signal, context);
      }),
    );
  command
    .command('export')
    .description('write every card that is offered to standard output, each as a line of JSON')
    .action(() => withCatalog(context, ({ index }) => exportCards(index.rows(), context)));
  command
    .command('stats')
    .description('show how many cards there are, and where they came from')
    .action(() => withCatalog(context, async ({ index }) => void context.stdout.write(statsReport(index.stats()))));
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
  work: (catalog: CatalogDatabase, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  for (const { name, meant } of misspelledVariables(env, StorageVariables))
    stderr.write(`${name} is unknown. Did you mean ${meant}?\n`);
  const signal = stopSignal();
  const config = readStorageConfig(env);
  const log = createLog({ level: 'error', secrets: secretsOf(config), destination: forTerminal(stderr) });
  const catalog = new CatalogDatabase(catalogFolder(config.dataDir, readScope(env)), log);
  try {
    await work(catalog, signal);
  } finally {
    catalog.close();
  }
}

/**
 * Imports one list after the other, and tells what became of them; by the exit code, too: 2 where only a part was taken,
 * 1 for nothing.
 *
 * @param signal ends the import after the cards that it has
 * @throws CliFailure when what is joined cannot be had
 */
async function importLists(
  { lists, joins, flags }: Given,
  catalog: CatalogDatabase,
  signal: AbortSignal,
  context: CliContext,
): Promise<void> {
  const report = new Report(context);
  const joined = await Array.fromAsync(joins, readJoined);
  let isWhole = true;
  try {
    for (const list of lists)
      for await (const cards of batchesOf(list, flags, joined, report, signal))
        write(cards, list.source, catalog, report);
  } catch (error) {
    const why = signal.aborted ? 'Stopped.' : error instanceof CliFailure && error.message;
    if (!why) throw error;
    isWhole = false;
    report.say(`${why} What was taken stays. Run the same command again for the rest`);
  }
  report.warn(flags);
  const what = lists.length === 1 ? lists[0]?.name : `All ${counted(lists.length, 'file')}`;
  context.stdout.write(`${what}: ${report.sums}\n`);
  if (report.cards === 0) context.exitCode = 1;
  else if (!isWhole || report.refused > 0) context.exitCode = 2;
}

/** Cards that are not written yet, each with its list and its place in that. */
type Batch = Map<CatalogCard, string>;

/** In one transaction, which keeps other writers out: some 50 ms. With 500 an import takes a third longer. */
const BATCH = 2_000;

/** What of a list can be used. What was read before the list could not be read on is the last batch. */
async function* batchesOf(
  { name, bytes }: List,
  flags: Mapping,
  joined: readonly Joined[],
  report: Report,
  signal: AbortSignal,
): AsyncGenerator<Batch> {
  const file = basename(name);
  let cards: Batch = new Map();
  let isEmpty = true;
  try {
    const { isTable, rows } = await rowsOf(bytes(), flags.rows, JSON.stringify(flags).includes('../'));
    const cardOf = cardReader(flags, joined, file.replace(/(?<=.)\..*$/, ''), isTable);
    for await (const row of rows) {
      signal.throwIfAborted();
      isEmpty = false;
      const place = `${name}: ${row.place}`;
      try {
        cards.set(cardOf(row), place);
      } catch (error) {
        const lack = !row.refused && lackOf(flags, row.value);
        if (lack && isTable) throw new Unusable(lack); // no other row has more fields
        report.lack ||= lack && `${name} ${lack}`;
        report.refuse(place, error);
      }
      if (cards.size < BATCH) continue;
      yield cards;
      cards = new Map();
    }
    if (isEmpty) report.empty.push(file);
  } catch (error) {
    report.refuse(name, error);
  } finally {
    yield cards;
  }
}

/** Writes cards in one transaction. One that may not take the place of the card with its id is refused. @throws CliFailure */
function write(cards: Batch, source: string, catalog: CatalogDatabase, report: Report): void {
  if (cards.size === 0) return;
  if (catalog.isReplaced())
    throw new CliFailure(
      `${catalog.file} was moved away meanwhile, as the bot does when it is corrupt. Run this again.`,
    );
  try {
    catalog.beginImport(source);
    report.news += catalog.upsert([...cards.keys()], source, (card, { name, game, confirmed }) => {
      if (name === card.name || nameKey(name) === nameKey(card.name)) return true;
      // Different games number their cards alike, and so may the lists of one game.
      if (card.game && game && card.game.toLowerCase() !== game.toLowerCase()) {
        report.refuse(cards.get(card) ?? '', new Unusable(`has the id of ${name}, a card of ${game}`));
        return !cards.delete(card);
      }
      if (!confirmed) report.renamed.push(`${card.id}: ${name} → ${card.name}`);
      return true;
    });
  } catch (error) {
    if (!sqliteCode(error)) throw error;
    throw new CliFailure(`${catalog.file} cannot be written (${Object(error).message}).`, { cause: error });
  }
  for (const card of cards.keys()) report.count(card);
}

/** More are only counted: one mistake in each line must not fill the screen. */
const SHOWN_REFUSALS = 20;
const LONGEST_EXAMPLES = 100;

/** What has become of the cards so far, and what the operator is told of that. */
class Report {
  readonly say: (sentence: string) => void;
  /** How many cards were taken, and how many of them were new or changed. */
  cards = 0;
  news = 0;
  /** How many rows and files were not taken. */
  refused = 0;
  readonly #ids = new Set<string>();
  readonly #twice = new Set<string>();
  readonly #filled = new Set<string>();
  readonly empty: string[] = [];
  readonly renamed: string[] = [];
  /** Which fields the first card that was refused lacks, and its file. */
  lack: string | false | undefined;

  constructor({ stderr }: CliContext) {
    this.say = (sentence) => void stderr.write(`${sentence}.\n`);
  }

  /** A row or a file is not taken. @throws what is no reason for that */
  refuse(what: string, error: unknown): void {
    if (!(error instanceof Unusable)) throw error;
    if (++this.refused <= SHOWN_REFUSALS) this.say(`${what} ${error.message}`);
  }

  /** A card was taken. */
  count(card: CatalogCard): void {
    this.cards++;
    (this.#ids.has(card.id) ? this.#twice : this.#ids).add(card.id);
    for (const [field, value] of Object.entries(card)) if (value !== undefined) this.#filled.add(field);
  }

  /** Says in the end what may not be as the operator meant it. */
  warn({ rows, map = {} }: Mapping): void {
    const { cards, refused, empty, renamed, lack } = this;
    const where = rows === undefined ? '' : ` at ${rows}`;
    if (refused > SHOWN_REFUSALS) this.say(`${counted(refused - SHOWN_REFUSALS)} more were refused`);
    if (empty.length > 0) this.say(`No cards${where} in ${examples(empty, 'file')}`);
    if (cards === 0 && lack) this.say(lack);
    const unfound = Object.entries(map).filter(([field]) => cards > 0 && !this.#filled.has(field));
    for (const [field, source] of unfound) this.say(`--map ${field}=${source} found nothing in any card`);
    if (renamed.length > 0)
      this.say(`New names for ${examples(renamed, 'id')}: if these are other cards, make ids with --id-template`);
  }

  get sums(): string {
    const taken = `${counted(this.cards, 'card')}, ${counted(this.news)} new or changed`;
    const again = this.#twice.size > 0 ? `; ${examples(this.#twice, 'id')} came twice, the last counts` : '';
    return `${taken}; ${counted(this.refused)} refused${again}`;
  }
}

function examples(names: Iterable<string>, what: string): string {
  const all = [...names];
  return `${counted(all.length, what)} (${plainText(all.join(', '), LONGEST_EXAMPLES)})`;
}

/** Writes cards to standard output, each as a line of JSON. */
async function exportCards(cards: Generator<CatalogCard>, { stdout, stderr }: CliContext): Promise<void> {
  let count = 0;
  const lines = cards.map((card) => {
    count++;
    return `${JSON.stringify(card, escaped)}\n`;
  });
  try {
    await pipeline(lines, stdout, { end: false });
  } catch (error) {
    if (Object(error).code === 'EPIPE') return; // `head` has read enough
    throw error;
  }
  stderr.write(`standard output: ${counted(count, 'card')}\n`);
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
