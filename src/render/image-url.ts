/** Discord refuses an embed with a longer address. */
const MAX_URL_LENGTH = 2_048;
/** Names that mean something inside a network only, and numeric addresses: as parsed, those of version 6 have no dot. */
const NOT_PUBLIC = /(?:^[^.]+|\.(?:\d+|localhost|local|internal|lan|home|corp|home\.arpa))\.?$/i;

/**
 * The address as Discord will take it for an embed image, or `undefined` when there is nothing to show: it has to be
 * http(s), on a public host name. Discord fetches it, so a private address would be no picture anyway.
 */
export function imageUrl(text: string | undefined): string | undefined {
  const url = text === undefined ? null : URL.parse(text);
  if (url === null) return undefined;
  const { protocol, hostname, username, href } = url;
  if (protocol !== 'https:' && protocol !== 'http:') return undefined;
  if (username !== '' || NOT_PUBLIC.test(hostname)) return undefined;
  return href.length <= MAX_URL_LENGTH ? href : undefined;
}
