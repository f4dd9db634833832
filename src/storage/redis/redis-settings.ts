import type { Logger } from '../../log.ts';
import type { RedisLink } from './redis-link.ts';

/** Why a server can never be used, as a sentence; `undefined` when it can. @param hello the answer to `HELLO` */
export function whyUnusable(hello: unknown): string | undefined {
  const mode = typeof hello === 'object' && hello && 'mode' in hello && hello.mode;
  if (mode === 'cluster') return 'REDIS_URL is a Redis Cluster: use a server that is not in cluster mode.';
  if (mode === 'sentinel') return 'REDIS_URL is a Redis Sentinel: use the address of the Redis server itself.';
  return undefined;
}

/** Settings with which Redis may lose deferred replies, as sentences that say what to set. @param info the answer to `INFO` */
export function settingProblems(info: string): string[] {
  const field = (name: string) => new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1];
  const policy = field('maxmemory_policy') ?? 'noeviction';
  const evicts = `redis drops keys, deferred replies among them, when its memory is full (maxmemory-policy ${policy}): set maxmemory-policy noeviction`;
  const isVolatile = 'redis loses its data, deferred replies among it, when it is restarted: set appendonly yes';
  return [policy === 'noeviction' ? [] : evicts, field('aof_enabled') === '0' ? isVolatile : []].flat();
}

/** Warns once, as soon as Redis is usable. A Redis that does not report its settings causes no warning. */
export function warnOfSettings(link: RedisLink, log: Logger): void {
  let isAsked = false;
  link.onHealth((health) => {
    if (isAsked || health !== 'usable') return;
    isAsked = true;
    const warn = (info: string) => settingProblems(info).forEach((problem) => void log.warn(problem));
    link.read((client) => client.info().catch(() => '')).then(warn, () => {});
  });
}
