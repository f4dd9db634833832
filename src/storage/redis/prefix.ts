/** The version of the format in Redis; processes of different versions share nothing. */
const VERSION = 'v2';

/** How all keys begin but those of cards, which know their own version. */
export function redisPrefix(keyPrefix: string): string {
  return `${keyPrefix}:${VERSION}`;
}
