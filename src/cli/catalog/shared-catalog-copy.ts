import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CatalogCard, CatalogRow, CatalogStats } from '../../catalog/catalog-card.ts';
import { changesOf, type SharedCatalog } from '../../catalog/shared-catalog.ts';
import type { Logger } from '../../log.ts';
import { RedisCatalog } from '../../storage/redis/catalog.ts';
import { RedisLink } from '../../storage/redis/link.ts';
import { redisPrefix } from '../../storage/redis/prefix.ts';
import { RedisUnavailable } from '../../storage/redis/unavailable.ts';
import { CatalogUnusable, FileCatalog, type OpenCatalog } from './open-catalog.ts';

/** No member waits, so Redis may be slow. */
const ANSWER_TIMEOUT_MS = 10_000;
const CHANGES_AT_ONCE = 20;

/**
 * The catalog that processes share through Redis, as a copy in a temporary file. What is taken is published at once. The
 * copy is made anew for each run, so that an import that was broken off is complete when it is run again.
 */
export class SharedCatalogCopy implements OpenCatalog {
  readonly #copy: FileCatalog;
  readonly #shared: SharedCatalog;
  readonly #end: () => Promise<void>;

  /** Reads everything that is in Redis. @throws CatalogUnusable */
  static async open({ url, keyPrefix }: { url: string; keyPrefix: string }, log: Logger): Promise<SharedCatalogCopy> {
    const prefix = redisPrefix(keyPrefix);
    const link = new RedisLink({ url, prefix, log, answerTimeoutMs: ANSWER_TIMEOUT_MS });
    const folder = await mkdtemp(join(tmpdir(), 'cardbot-catalog-'));
    const end = async () => {
      link.close();
      await rm(folder, { recursive: true, force: true });
    };
    try {
      const refusal = await Promise.race([link.opened(ANSWER_TIMEOUT_MS), link.refused]);
      if (refusal) throw new CatalogUnusable(refusal.message);
      const opened = new SharedCatalogCopy(
        new FileCatalog(folder, log),
        new RedisCatalog({ link, url, prefix, log }),
        end,
      );
      await opened.#readAll();
      return opened;
    } catch (error) {
      await end();
      throw error;
    }
  }

  private constructor(copy: FileCatalog, shared: SharedCatalog, end: () => Promise<void>) {
    this.#copy = copy;
    this.#shared = shared;
    this.#end = end;
  }

  async beginImport(source: string): Promise<void> {
    if (this.stats().imports.some((known) => known.source === source && known.isWithdrawn))
      await reaching(this.#shared.publish([{ kind: 'import', source }]));
    await this.#copy.beginImport(source);
  }

  async take(cards: readonly CatalogCard[], source: string): Promise<CatalogCard[]> {
    const news = await this.#copy.take(cards, source);
    await reaching(this.#shared.publish([...changesOf(news, source)]));
    return news;
  }

  rows(): Iterable<CatalogRow> {
    return this.#copy.rows();
  }

  stats(): CatalogStats {
    return this.#copy.stats();
  }

  async close(): Promise<void> {
    await this.#copy.close();
    await this.#end();
  }

  async #readAll(): Promise<void> {
    for (let cursor = ''; ; ) {
      const read = await reaching(this.#shared.changesAfter(cursor, CHANGES_AT_ONCE));
      if (read.cursor === cursor) return;
      cursor = read.cursor;
      for (const change of read.changes) await this.#copy.apply(change);
    }
  }
}

/** @throws CatalogUnusable when Redis cannot be used */
async function reaching<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof RedisUnavailable)) throw error;
    throw new CatalogUnusable(`Redis cannot be used (${error.message}). Check REDIS_URL.`, { cause: error });
  }
}
