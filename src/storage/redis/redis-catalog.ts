import { type SharedCatalog, SharedChange } from '../../catalog/shared-catalog.ts';
import type { RedisLink } from './redis-link.ts';

/**
 * What processes tell each other of the catalog: a stream, 0.1 kB for each card. Its cursors are times of Redis, so those
 * from before a flush are good for what comes after it.
 */
export class RedisCatalog implements SharedCatalog {
  readonly name: string;
  readonly #link: RedisLink;
  readonly #key: string;

  constructor(link: RedisLink, { url, prefix }: { url: string; prefix: string }) {
    const { host, pathname } = new URL(url);
    this.name = `redis ${host}${pathname} ${prefix}`;
    this.#link = link;
    this.#key = `${prefix}:catalog`;
  }

  /** @throws RedisUnavailable */
  async publish(changes: readonly SharedChange[]): Promise<void> {
    if (changes.length === 0) return;
    await this.#link.run((client) =>
      Promise.all(changes.map((change) => client.xAdd(this.#key, '*', { change: JSON.stringify(change) }))),
    );
  }

  /** @throws RedisUnavailable */
  async changesAfter(cursor: string, limit: number): Promise<{ changes: SharedChange[]; cursor: string }> {
    const after = cursor === '' ? '-' : `(${cursor}`;
    const read = await this.#link.read((client) => client.xRange(this.#key, after, '+', { COUNT: limit }));
    const entries = read ?? [];
    return {
      changes: entries.flatMap(({ message }) => parsed(message.change) ?? []),
      cursor: entries.at(-1)?.id ?? cursor,
    };
  }
}

/** @returns `undefined` for what another version wrote */
function parsed(text: string | undefined): SharedChange | undefined {
  try {
    return SharedChange.safeParse(JSON.parse(text ?? '')).data;
  } catch {
    return undefined;
  }
}
