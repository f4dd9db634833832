import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Logger } from '../../log.ts';
import { RedisCatalog } from '../../storage/redis/catalog.ts';
import { redisPrefix } from '../../storage/redis/client.ts';
import { RedisLink } from '../../storage/redis/link.ts';
import { RedisUnavailable } from '../../storage/redis/unavailable.ts';
import { CliFailure } from '../context.ts';
import { OpenCatalog } from './open-catalog.ts';

/** No member waits, so Redis may be slow. */
const ANSWER_TIMEOUT_MS = 10_000;
const CHANGES_AT_ONCE = 20;

/**
 * The catalog that processes share through Redis, as a copy in a temporary file. What is taken is published at once. The
 * copy is made anew for each run, so that an import that was broken off is complete when it is run again.
 *
 * @throws CliFailure
 */
export async function openSharedCatalogCopy(
  { url, keyPrefix }: { url: string; keyPrefix: string },
  scope: string | undefined,
  log: Logger,
): Promise<OpenCatalog> {
  const link = new RedisLink({ url, prefix: redisPrefix(keyPrefix), log, answerTimeoutMs: ANSWER_TIMEOUT_MS });
  const folder = await mkdtemp(join(tmpdir(), 'cardbot-catalog-'));
  const onClose = async () => {
    link.close();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const refusal = await Promise.race([link.opened(ANSWER_TIMEOUT_MS), link.refused]);
    if (refusal) throw new CliFailure(refusal.message);
    const shared = new RedisCatalog(link, scope);
    const copy = new OpenCatalog(folder, { log, publish: (changes) => reaching(shared.publish(changes)), onClose });
    for (let cursor = ''; ; ) {
      const read = await reaching(shared.changesAfter(cursor, CHANGES_AT_ONCE));
      if (read.cursor === cursor) return copy;
      for (const change of read.changes) copy.apply(change);
      cursor = read.cursor;
    }
  } catch (error) {
    await onClose();
    throw error;
  }
}

/** @throws CliFailure when Redis cannot be used */
async function reaching<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof RedisUnavailable)) throw error;
    throw new CliFailure(`Redis cannot be used (${error.message}). Check REDIS_URL.`, { cause: error });
  }
}
