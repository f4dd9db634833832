import { unlessMalformed } from '../bulk-listing.ts';

/** A picture that the emulated Discord serves instead of an external one. */
export interface ExternalImage {
  contentType: string;
  body: string | Uint8Array;
}

const PREFIX = '/external/';

/** The address at which Discord proxies a picture, so that browsers load nothing external; undefined = not proxied. */
export function proxyUrl(url: string, origin: string): string | undefined {
  return /^https?:/i.test(url) ? `${origin}${PREFIX}${encodeURIComponent(url)}` : undefined;
}

/** The original address of a path under /external; undefined for other paths. */
export function externalUrl(path: string): string | undefined {
  if (!path.startsWith(PREFIX)) return undefined;
  return unlessMalformed(() => decodeURIComponent(path.slice(PREFIX.length)));
}
