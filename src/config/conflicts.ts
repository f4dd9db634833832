/** Variables as they were read, or as they were written where they are faulty. */
type Read = Readonly<Record<string, unknown>>;

/** What variables that are valid alone must not say together. */
export function conflicts(read: Read): [name: string, message: string][] {
  return [...planConflicts(read), ...shardConflicts(read), ...secretConflicts(read)];
}

function planConflicts(read: Read): [string, string][] {
  if (read.CARD_SERVICE_PLAN !== 'enterprise') return [];
  return ['CARD_SERVICE_REQUESTS_PER_MINUTE', 'CARD_SERVICE_BURST']
    .filter((name) => read[name] === undefined)
    .map((name) => [name, 'is required for the plan enterprise']);
}

function shardConflicts({ DISCORD_SHARDS: shards, DISCORD_SHARD_COUNT: count }: Read): [string, string][] {
  if (shards === 'auto' && Number(count) >= 1)
    return [['DISCORD_SHARD_COUNT', "needs DISCORD_SHARDS: write this process's shards there"]];
  if (!Array.isArray(shards)) return [];
  if (count === undefined)
    return [
      ['DISCORD_SHARD_COUNT', 'is required with DISCORD_SHARDS: write how many shards there are on all machines'],
    ];
  if (!shards.some((shard) => shard >= Number(count))) return [];
  return [['DISCORD_SHARDS', `shards are numbered from 0: with ${count} of them, write numbers below that`]];
}

/** The key is sent to the card service. */
function secretConflicts({ CARD_SERVICE_API_KEY: key, DISCORD_TOKEN: token }: Read): [string, string][] {
  if (key === undefined || key !== token) return [];
  const message = "is the same as DISCORD_TOKEN, which nobody else may see: write the card service's key";
  return [['CARD_SERVICE_API_KEY', message]];
}
