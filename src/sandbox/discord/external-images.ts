import type { APIEmbed } from 'discord-api-types/v10';

/** A picture that the emulated Discord can show in the place of one out on the network. */
export interface ExternalImage {
  contentType: string;
  body: string | Uint8Array;
}

const PREFIX = '/external/';

/** Fills in where Discord itself serves an embed's pictures, so that a reader's browser asks nobody else. */
export function withProxyUrls(embeds: readonly APIEmbed[], origin: string): APIEmbed[] {
  return embeds.map((embed) => ({
    ...embed,
    type: 'rich' as APIEmbed['type'] & {},
    ...(embed.image && { image: proxied(embed.image, origin) }),
    ...(embed.thumbnail && { thumbnail: proxied(embed.thumbnail, origin) }),
  }));
}

function proxied<T extends { url: string }>(media: T, origin: string): T {
  if (!/^https?:/i.test(media.url)) return media;
  return { ...media, proxy_url: `${origin}${PREFIX}${encodeURIComponent(media.url)}` };
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
