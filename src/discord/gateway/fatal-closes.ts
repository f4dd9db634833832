export const BAD_TOKEN =
  'Discord refuses the bot token. Make a new one in the developer portal (Bot → Reset Token) and put it into DISCORD_TOKEN.';

/** Close codes after which discord.js does not reconnect, and what to do about each. */
export const FATAL_CLOSES: ReadonlyMap<number, string> = new Map([
  [4004, BAD_TOKEN],
  [4010, 'Discord refuses the shard: check DISCORD_SHARDS and DISCORD_SHARD_COUNT.'],
  [4011, 'The bot is in too many servers for one shard: leave DISCORD_SHARDS at auto, or raise DISCORD_SHARD_COUNT.'],
  [4012, 'Discord no longer speaks this gateway version: update the bot.'],
  [4013, 'Discord refuses the intents: update the bot.'],
  [4014, 'Discord refuses the intents: update the bot.'],
]);
