/** What an operator checks first after a start. */
export interface Started {
  version: string;
  node: string;
  plan: { plan: string; requestsPerMinute?: number | undefined; burst?: number | undefined };
  dataDir: string;
  /** `undefined`: state is in files. `url` may hold a password. */
  redis: { url: string; keyPrefix: string } | undefined;
}

/** Three lines of the log: version, plan, and where state is. */
export function startLines({ version, node, plan, dataDir, redis }: Started): [fields: object, text: string][] {
  const { plan: name, requestsPerMinute, burst } = plan;
  const own = requestsPerMinute !== undefined || burst !== undefined;
  return [
    [{ version, node }, `cardbot ${version} on Node ${node}`],
    [
      { plan: name, requestsPerMinute, burst },
      `plan: ${name === 'auto' ? 'auto, as the card service says' : name}${own ? ', with your own rate or burst' : ''}`,
    ],
    redis
      ? [{ redis: new URL(redis.url).host, keyPrefix: redis.keyPrefix }, `state: Redis at ${new URL(redis.url).host}`]
      : [{ dataDir }, `state: files in ${dataDir}`],
  ];
}
