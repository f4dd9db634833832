import type { APIAttachment } from 'discord-api-types/v10';

import { ApiError } from './api-error.ts';
import type { MessageBody } from './chat.ts';
import type { FileStore } from './file-store.ts';
import { mistake, type Path } from './forms.ts';
import { type ArrivedMessage, withIds } from './message-rules.ts';
import { proxyUrl } from './rest.ts';

/** Where files are stored and pictures are served. */
interface ServedAt {
  files: FileStore;
  channelId: string;
  origin: string;
}

export const EMPTY_REPLY: MessageBody = { content: '', embeds: [], components: [], attachments: [] };

/**
 * The message after this form is applied: absent fields are unchanged, null and empty ones are cleared. Its files are
 * stored, and its pictures have the addresses at which they are served.
 *
 * @throws ApiError 50035 with `at` before every path, 50006 or 30015
 */
export function changedReply(
  before: MessageBody,
  { form, uploads, at }: ArrivedMessage,
  { files, channelId, origin }: ServedAt,
): MessageBody {
  const { content = before.content, embeds = before.embeds, components = before.components, attachments } = form;
  const kept = attachments === undefined ? before.attachments : [];
  const listed = attachments ?? [];
  // reference.md, "Uploading Files"; that single files of a message are kept by their ids is not emulated
  const unsent = listed.findIndex(({ id }) => !uploads.some(({ number }) => String(number) === id));
  if (unsent !== -1) throw mistake([...at, 'attachments', unsent, 'id'], 'ATTACHMENT_NOT_FOUND'); // a guess
  const added = uploads.map((upload) => {
    const { filename = upload.filename, description } = listed.find(({ id }) => id === String(upload.number)) ?? {};
    return files.add({ ...upload, filename }, channelId, description ? { description } : {});
  });
  const all = [...kept, ...added];
  if (all.length > MOST_ATTACHMENTS) throw new ApiError('tooManyAttachments');
  const changed = { content: content ?? '', embeds: embeds ?? [], components: withIds(components ?? []) };
  const isEmpty = changed.content === '' && changed.embeds.length + changed.components.length + all.length === 0;
  if (isEmpty) throw new ApiError('emptyMessage');
  const served = withServedMedia(changed.embeds, all, origin, [...at, 'embeds']);
  return { ...changed, embeds: served, attachments: all };
}

const MOST_ATTACHMENTS = 10; // topics/opcodes-and-status-codes, 30015

const SCHEME = 'attachment://';
const NOT_FOUND = 'UNFURLED_MEDIA_ITEM_REFERENCED_ATTACHMENT_NOT_FOUND';

/**
 * Embeds with the addresses at which Discord serves their pictures: `attachment://` names a file of the message, and
 * external addresses are proxied. Addresses that Discord serves already are kept.
 *
 * @throws ApiError 50035 for a file that the message does not have; the code is a guess.
 */
function withServedMedia<T>(part: T, files: readonly APIAttachment[], origin: string, at: Path): T {
  if (typeof part !== 'object' || part === null) return part;
  const served = Object.entries(part).map(([key, value]) => [key, servedPart(key, value, files, origin, [...at, key])]);
  return (Array.isArray(part) ? served.map(([, value]) => value) : Object.fromEntries(served)) as T;
}

function servedPart(key: string, value: unknown, files: readonly APIAttachment[], origin: string, at: Path): unknown {
  if (key === 'icon_url' && isLink(value)) return attachmentOf(value, files, at).url;
  if (key !== 'image' && key !== 'thumbnail') return withServedMedia(value, files, origin, at);
  const { url } = value as { url: string };
  if (isLink(url)) {
    const { proxy_url, width, height, content_type, url: served } = attachmentOf(url, files, [...at, 'url']);
    const unfurled = { url: served, proxy_url, width, height, content_type };
    return { ...(value as object), ...unfurled };
  }
  const isServed = url.startsWith(`${origin}/attachments/`);
  return { ...(value as object), proxy_url: isServed ? url : proxyUrl(url, origin) };
}

function isLink(value: unknown): value is `attachment://${string}` {
  return typeof value === 'string' && value.startsWith(SCHEME);
}

function attachmentOf(link: string, files: readonly APIAttachment[], at: Path): APIAttachment {
  const found = files.find(({ filename }) => filename === link.slice(SCHEME.length));
  if (!found) throw mistake(at, NOT_FOUND);
  return found;
}

/** The files that no embed shows. */
export function standingFiles({ attachments, embeds }: MessageBody): APIAttachment[] {
  const shown = JSON.stringify(embeds);
  return attachments.filter(({ url }) => !shown.includes(url));
}
