import { type SharedCatalog, SharedChange } from '../../catalog/shared-catalog.ts';
import type { Logger } from '../../log.ts';
import type { RedisLink } from './link.ts';

/** At least so many changes of each kind are kept: 20 MB of what was learned, 1 GB of imports if each has a hundred cards. */
const MOST_KEPT = 100_000;
const NOTHING = '0-0 0-0';

export interface RedisCatalogOptions {
  link: RedisLink;
  url: string;
  prefix: string;
  log: Pick<Logger, 'info' | 'warn'>;
  /** At least so many changes of each kind are kept. */
  mostKept?: number;
}

/**
 * What processes tell each other about the catalog, 0.1 kB for each card. What they learned and what was imported are two
 * streams, so that neither pushes the other out. Ids are times of Redis, so that one from before a flush still works after
 * it. A cursor is an id of each stream.
 */
export class RedisCatalog implements SharedCatalog {
  readonly name: string;
  readonly #options: RedisCatalogOptions;
  readonly #streams: readonly [learned: string, imports: string];
  #isGapChecked = false;

  constructor(options: RedisCatalogOptions) {
    const { url, prefix } = options;
    const { host, pathname } = new URL(url);
    this.name = `redis ${host}${pathname} ${prefix}`;
    this.#options = options;
    this.#streams = [`${prefix}:catalog`, `${prefix}:catalog:imports`];
  }

  /** @throws RedisUnavailable */
  async publish(changes: readonly SharedChange[]): Promise<void> {
    if (changes.length === 0) return;
    const { link, mostKept = MOST_KEPT } = this.#options;
    const TRIM = { strategy: 'MAXLEN', strategyModifier: '~', threshold: mostKept } as const;
    await link.run((client) =>
      Promise.all(
        changes.map((change) => client.xAdd(this.#streamOf(change), '*', { change: JSON.stringify(change) }, { TRIM })),
      ),
    );
  }

  /** @throws RedisUnavailable */
  async changesAfter(cursor: string, limit: number): Promise<{ changes: SharedChange[]; cursor: string }> {
    const after = (cursor || NOTHING).split(' ');
    const read = await this.#options.link.read((client) =>
      Promise.all(this.#streams.map((key, at) => client.xRange(key, `(${after[at]}`, '+', { COUNT: limit }))),
    );
    if (!this.#isGapChecked) await this.#checkGap(after);
    const entries = read.flatMap((of, stream) => (of ?? []).map((entry) => ({ ...entry, stream })));
    // In the order in which they were published, by Redis's clock; each stream is in order anyway.
    const next = entries.sort((one, other) => byTime(one.id, other.id)).slice(0, limit);
    const last = (stream: number) => next.findLast((entry) => entry.stream === stream)?.id ?? after[stream];
    return {
      changes: next.flatMap(({ message }) => parsed(message.change) ?? []),
      cursor: next.length === 0 ? cursor : this.#streams.map((_, stream) => last(stream)).join(' '),
    };
  }

  #streamOf(change: SharedChange): string {
    const isImport = change.kind === 'import' || (change.kind === 'cards' && change.source !== undefined);
    return this.#streams[isImport ? 1 : 0];
  }

  /** A process that is new, or was away for long, lacks what is no longer kept: the log says so. */
  async #checkGap(after: readonly string[]): Promise<void> {
    const { link, log, mostKept = MOST_KEPT } = this.#options;
    const [lacksLearned, lacksImports] = await link.read((client) =>
      Promise.all(
        this.#streams.map(async (key, at) => {
          const [count, oldest] = await Promise.all([client.xLen(key), client.xRange(key, '-', '+', { COUNT: 1 })]);
          const oldestId = oldest?.[0]?.id;
          return count >= mostKept && oldestId !== undefined && byTime(after[at] ?? '', oldestId) < 0;
        }),
      ),
    );
    this.#isGapChecked = true;
    if (lacksLearned)
      log.info(
        'other processes learned more cards than redis keeps: the oldest are found by name once they are looked up',
      );
    if (lacksImports) log.warn('more was imported than redis keeps: to find all of it by name, import the files again');
  }
}

/** Compares ids of a stream, which are `<milliseconds>-<count>`. */
function byTime(one: string, other: string): number {
  const [oneParts, otherParts] = [one.split('-').map(Number), other.split('-').map(Number)];
  return (oneParts[0] ?? 0) - (otherParts[0] ?? 0) || (oneParts[1] ?? 0) - (otherParts[1] ?? 0);
}

/** @returns `undefined` for what another version wrote */
function parsed(text: string | undefined): SharedChange | undefined {
  try {
    return SharedChange.safeParse(JSON.parse(text ?? '')).data;
  } catch {
    return undefined;
  }
}
