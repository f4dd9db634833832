import type { APIAttachment } from 'discord-api-types/v10';

import { proxyUrl } from './external-images.ts';
import { mistake } from './forms.ts';

const SCHEME = 'attachment://';
const NOT_FOUND = 'UNFURLED_MEDIA_ITEM_REFERENCED_ATTACHMENT_NOT_FOUND';

/**
 * Embeds with the addresses at which Discord serves their pictures: `attachment://` names a file of the message, and
 * external addresses are proxied. Addresses that Discord serves already are kept.
 *
 * @throws ApiError 50035 for a file that the message does not have; the code is a guess.
 */
export function withServedMedia<T>(part: T, files: readonly APIAttachment[], origin: string, at: readonly string[]): T {
  if (Array.isArray(part))
    return part.map((each, index) => withServedMedia(each, files, origin, [...at, String(index)])) as T;
  if (typeof part !== 'object' || part === null) return part;
  return Object.fromEntries(
    Object.entries(part).map(([key, value]) => [key, served(key, value, files, origin, [...at, key])]),
  ) as T;
}

const MEDIA: ReadonlySet<string> = new Set(['image', 'thumbnail']);

function served(key: string, value: unknown, files: readonly APIAttachment[], origin: string, at: readonly string[]) {
  if (key === 'icon_url' && isLink(value)) return attachmentOf(value, files, at).url;
  if (!MEDIA.has(key) || typeof value !== 'object' || value === null) return withServedMedia(value, files, origin, at);
  const { url } = value as { url: string };
  if (isLink(url)) return { ...value, ...unfurled(attachmentOf(url, files, [...at, 'url'])) };
  const isServed = url.startsWith(`${origin}/attachments/`);
  return { ...value, proxy_url: isServed ? url : proxyUrl(url, origin) };
}

function unfurled({ url, proxy_url, width, height, content_type }: APIAttachment): object {
  const type = content_type === undefined ? {} : { content_type };
  return { url, proxy_url, ...(width !== undefined && { width, height }), ...type };
}

function isLink(value: unknown): value is `attachment://${string}` {
  return typeof value === 'string' && value.startsWith(SCHEME);
}

function attachmentOf(link: string, files: readonly APIAttachment[], at: readonly string[]): APIAttachment {
  const found = files.find(({ filename }) => filename === link.slice(SCHEME.length));
  if (!found) throw mistake(at, NOT_FOUND, 'The referenced attachment was not found in the message');
  return found;
}

/** The files that no embed shows. */
export function standingFiles(files: readonly APIAttachment[], embeds: readonly unknown[]): APIAttachment[] {
  const shown = JSON.stringify(embeds);
  return files.filter(({ url }) => !shown.includes(url));
}
