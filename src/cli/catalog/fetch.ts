import { createHash } from 'node:crypto';
import { mkdir, readFile, rm, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { readNamesConfig } from '../../config/config.ts';
import { isObject } from '../../model/field-source.ts';
import type { NextList } from '../../model/service-description.ts';
import { endpoint } from '../../service/request.ts';
import { DAY_MS } from '../../time/utc-day.ts';
import { agree, type CliContext, CliFailure } from '../context.ts';
import { Downloads, shown } from './downloads.ts';
import type { ImportFlags } from './import.ts';
import { counted } from './import-report.ts';
import { ProgressLine } from './progress-line.ts';
import type { Join } from './read-rows.ts';
import { Unusable } from './source-row.ts';

/** Lists as they can be imported. */
export interface FetchedNames {
  folder: string;
  flags: ImportFlags;
  /** Lists of an index that are not there. */
  missing: number;
  /** Removes what was fetched, so that the next time brings what is new. */
  remove(): Promise<void>;
}

/** A list that is wanted, and where it is kept. */
interface Wanted {
  url: URL;
  file: string;
}

/**
 * Fetches the list of names that a card service's description tells of. What is complete stays in `DATA_DIR` until it
 * was imported, for a day at most: fetching again goes on with the rest.
 *
 * @throws CliFailure
 */
export async function fetchNames(
  config: ReturnType<typeof readNamesConfig>,
  isAgreed: boolean,
  context: CliContext,
): Promise<FetchedNames> {
  const { dataDir, requestsPerDay, cardService } = config;
  const { description, baseUrl } = cardService;
  const { name, names } = description;
  if (!names) throw new CliFailure(`${name} has no list that can be fetched. See docs/catalogues.md for others.`);
  const addressOf = (text: string) => {
    const url = text.startsWith('/') ? endpoint(baseUrl, text) : URL.parse(text);
    if (!url) throw new CliFailure('The description or its index names a list whose address is none.');
    return url;
  };
  const first = addressOf(names.url);
  const downloads = new Downloads(config, [...names.hosts, first.hostname]);
  const above = join(resolve(dataDir), 'fetched', hashOf([baseUrl, names.url]));
  const folder = join(above, name.replace(/[^\p{L}\p{N}]+/gu, '-').slice(0, 40));
  await mkdir(folder, { recursive: true, mode: 0o700 }).catch((error: Error) => {
    throw new CliFailure(`${folder} cannot be written (${error.message}).`, { cause: error });
  });

  /** @param further what is not known yet of the costs @returns how many are not there */
  const get = async (lists: readonly Wanted[], further: string): Promise<number> => {
    const there = await Promise.all(lists.map(({ file }) => isKept(file)));
    const wanted = lists.filter((_, at) => !there[at]);
    const costs = `${name}: this takes ${counted(wanted.length)} ${wanted.length === 1 ? 'request' : 'requests'}${further}`;
    const ofDay = requestsPerDay === undefined ? '' : `, of ${counted(requestsPerDay)} a day`;
    if (wanted.length > 0) await agree(costs + ofDay, isAgreed || ofDay === '', context);
    const missing: string[] = [];
    const line = new ProgressLine(context.stderr);
    for (const [at, { url, file }] of wanted.entries()) {
      const tell = () =>
        line.show(`${counted(at + 1)} of ${counted(wanted.length)} lists, ${Math.ceil(downloads.bytes / 1e6)} MB`);
      await downloads.save(url, file, tell).catch((error: unknown) => {
        if (!(error instanceof Unusable)) throw error;
        missing.push(`${shown(url)} ${error.message}.\n`);
      });
    }
    line.replaceBy(missing.slice(0, SHOWN_MISSING).join(''));
    if (missing.length === lists.length) throw new CliFailure(`${name} has no such list. Correct \`names\`.`);
    return missing.length;
  };

  const joined = names.join.map((text): Join & Wanted => {
    const [, field = '', address = '', key] = /^([^=]+)=(.+?)(?::([^:/]+))?$/.exec(text) ?? [];
    return { field, key, url: addressOf(address), file: join(above, `${hashOf([address])}.json`) };
  });
  const head = { url: first, file: names.then ? join(above, 'index.json') : join(folder, fileName(first)) };
  const isIndex = names.then !== undefined;
  if ((await get([head, ...joined], isIndex ? ', and then one for each list of its index' : '')) > 0)
    throw new CliFailure('A list that the others need is not there.');
  const next = names.then && nextLists(await indexIn(head), names.then).map(addressOf);
  const lists = next?.map((url) => ({ url, file: join(folder, fileName(url)) }));
  const missing = lists ? await get(lists, '') : 0;
  const { rows, map, idTemplate, game = description.game } = names;
  const remove = () => rm(above, { recursive: true, force: true });
  return { folder, flags: { rows, map, idTemplate, game, join: joined }, missing, remove };
}

const SHOWN_MISSING = 20;
const MOST_LISTS = 5_000;
const MOST_INDEX_BYTES = 16 * 1024 * 1024;

async function indexIn({ file, url }: Wanted): Promise<unknown> {
  if ((await stat(file)).size > MOST_INDEX_BYTES) throw new CliFailure(`${shown(url)} is larger than 16 MB.`);
  try {
    return JSON.parse(await readFile(file, 'utf8'));
  } catch {
    await rm(file);
    throw new CliFailure(`${shown(url)} is not JSON.`);
  }
}

/**
 * The addresses and paths to which an index leads, each once. Its rows are the list that it is, or the first list of
 * objects in it; an index without such a list is itself the only row.
 *
 * @throws CliFailure when a row leads nowhere
 */
export function nextLists(index: unknown, then: readonly NextList[]): string[] {
  const inside = isObject(index) ? Object.values(index) : [index];
  const rows = inside.find((value): value is unknown[] => Array.isArray(value) && value.some(isObject)) ?? [index];
  const texts = rows.map((row) => {
    const [text] = then.flatMap(({ isAddress, template }) => {
      const filled = template.filled((path) => segment(path.valueIn(row), isAddress));
      return filled ?? [];
    });
    if (text === undefined) throw new CliFailure('A row of the index has no value for the address in `names.then`.');
    return text;
  });
  if (texts.length > MOST_LISTS) throw new CliFailure(`The index names more than ${counted(MOST_LISTS)} lists.`);
  return [...new Set(texts)];
}

/** @returns the value as one segment of a path or, if it is an address, as it stands */
function segment(value: unknown, isAddress: boolean): string | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  const text = String(value).toWellFormed();
  if (isAddress) return text;
  return /^\.*$/.test(text) ? undefined : encodeURIComponent(text);
}

async function isKept(file: string): Promise<boolean> {
  const stats = await stat(file).catch(() => undefined);
  return stats !== undefined && Date.now() - stats.mtimeMs < DAY_MS;
}

/** A list's own, and much the same as its address, since messages name it. */
function fileName(url: URL): string {
  const end = url.pathname.replace(/\.jsonl?(\.gz)?$/, '').replace(/[^\w-]+/g, '-');
  return `${end.slice(-40).replace(/^-/, '')}-${hashOf([url.href])}.json`;
}

function hashOf(texts: readonly string[]): string {
  return createHash('sha256').update(texts.join(' ')).digest('hex').slice(0, 8);
}
