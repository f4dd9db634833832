/** A picture that the emulated Discord can show in the place of one out on the network. */
export interface ExternalImage {
  contentType: string;
  body: string | Uint8Array;
}

const PREFIX = '/external/';

/** Where Discord itself serves a picture, so that a reader's browser asks nobody else; undefined = nowhere. */
export function proxyUrl(url: string, origin: string): string | undefined {
  return /^https?:/i.test(url) ? `${origin}${PREFIX}${encodeURIComponent(url)}` : undefined;
}

/** The address that a path under /external stands for; undefined = the path is none of those. */
export function externalUrl(path: string): string | undefined {
  if (!path.startsWith(PREFIX)) return undefined;
  try {
    return decodeURIComponent(path.slice(PREFIX.length));
  } catch {
    return undefined;
  }
}
