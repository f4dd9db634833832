import { type SharedCatalog, SharedChange } from '../../catalog/shared-catalog.ts';
import { storedJson } from '../../model/stored-json.ts';
import type { RedisLink } from './link.ts';

/** At least so many changes of each kind are kept: 20 MB of what was learned, 1 GB of imports if each has a hundred cards. */
const MOST_KEPT = 100_000;
const NOTHING = '0-0 0-0';
const CURSOR = /^\d+-\d+ \d+-\d+$/;
const Entry = storedJson(SharedChange);
/** Compares ids of a stream, which are `<milliseconds>-<count>`. */
const { compare: byTime } = new Intl.Collator('en', { numeric: true });

/** The keys in which all names are. @param scope whose ids they have */
export function catalogStreams(prefix: string, scope: string | undefined): [learned: string, imports: string] {
  const key = [prefix, 'catalog', ...(scope === undefined ? [] : [scope])].join(':');
  return [key, `${key}:imports`];
}

/**
 * What processes tell each other about the catalog, 0.1 kB for each card. What they learned and what was imported are two
 * streams, so that neither pushes the other out. Ids are times of Redis, so that one from before a flush still works after
 * it. A cursor is an id of each stream.
 */
export class RedisCatalog implements SharedCatalog {
  readonly name: string;
  readonly #link: RedisLink;
  readonly #mostKept: number;
  readonly #streams: readonly [learned: string, imports: string];

  /** @param mostKept at least so many changes of each kind are kept */
  constructor(link: RedisLink, scope?: string, mostKept = MOST_KEPT) {
    this.name = link.name;
    this.#link = link;
    this.#mostKept = mostKept;
    this.#streams = catalogStreams(link.prefix, scope);
  }

  /** @throws RedisUnavailable */
  async publish(changes: readonly SharedChange[]): Promise<void> {
    if (changes.length === 0) return;
    const TRIM = { strategy: 'MAXLEN', strategyModifier: '~', threshold: this.#mostKept } as const;
    await this.#link.run((client) =>
      Promise.all(
        changes.map((change) => client.xAdd(this.#streamOf(change), '*', { change: JSON.stringify(change) }, { TRIM })),
      ),
    );
  }

  /** @throws RedisUnavailable */
  async changesAfter(cursor: string, limit: number): Promise<{ changes: SharedChange[]; cursor: string }> {
    const after = (CURSOR.test(cursor) ? cursor : NOTHING).split(' ');
    const read = await this.#link.read((client) =>
      Promise.all(this.#streams.map((key, at) => client.xRange(key, `(${after[at]}`, '+', { COUNT: limit }))),
    );
    const entries = read.flatMap((of, stream) => (of ?? []).map((entry) => ({ ...entry, stream })));
    // In the order in which they were published, by Redis's clock; each stream is in order anyway.
    const next = entries.sort((one, other) => byTime(one.id, other.id)).slice(0, limit);
    const last = (stream: number) => next.findLast((entry) => entry.stream === stream)?.id ?? after[stream];
    const changes = next.flatMap(({ message, stream }) => {
      const { data } = Entry.safeParse(message.change);
      if (!data) this.#link.unreadable(this.#streams[stream] ?? '');
      return data ?? [];
    });
    return {
      changes,
      cursor: next.length === 0 ? cursor : this.#streams.map((_, stream) => last(stream)).join(' '),
    };
  }

  #streamOf(change: SharedChange): string {
    const isImport = change.kind === 'import' || (change.kind === 'cards' && change.source !== undefined);
    return this.#streams[isImport ? 1 : 0];
  }
}
