/** Why a server can never be used, as a sentence; `undefined` when it can. @param hello the answer to `HELLO` */
export function whyUnusable(hello: unknown): string | undefined {
  const mode = typeof hello === 'object' && hello && 'mode' in hello && hello.mode;
  if (mode === 'cluster') return 'REDIS_URL points to a Redis Cluster: use a server that is not in cluster mode.';
  if (mode === 'sentinel') return 'REDIS_URL points to a Redis Sentinel: use the address of the Redis server itself.';
  return undefined;
}

/** Settings with which Redis may lose deferred replies, as sentences that say what to set. @param info the answer to `INFO` */
export function settingProblems(info: string): string[] {
  const field = (name: string) => new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1];
  const policy = field('maxmemory_policy') ?? 'noeviction';
  const evicts = `Redis drops keys, deferred replies included, when its memory is full (maxmemory-policy ${policy}). Set maxmemory-policy noeviction.`;
  const isVolatile = 'Redis loses its data, deferred replies included, when it restarts. Set appendonly yes.';
  return [policy === 'noeviction' ? [] : evicts, field('aof_enabled') === '0' ? isVolatile : []].flat();
}
