import { ApiError } from './api-error.ts';
import { withServedMedia } from './attachment-links.ts';
import { attachmentPlan } from './attachment-rules.ts';
import type { MessageBody } from './chat.ts';
import { withIds } from './components.ts';
import type { FileStore } from './file-store.ts';
import { edited, isEmpty, type MessageForm } from './message-rules.ts';
import type { NumberedUpload } from './request-body.ts';

/** Where files are stored and pictures are served. */
export interface ServedAt {
  files: FileStore;
  channelId: string;
  origin: string;
}

/**
 * The message after this form is applied: its files are stored, and its pictures have the addresses at which they are
 * served. A refused form changes nothing.
 *
 * @throws ApiError 50035 with `at` before every path, 50006 or 30015
 */
export function changedReply(
  before: MessageBody,
  form: MessageForm,
  uploads: readonly NumberedUpload[],
  { files, channelId, origin }: ServedAt,
  at: readonly string[],
): MessageBody {
  const { kept, added } = attachmentPlan(before.attachments, form.attachments, uploads, at);
  const prepared = added.map(({ upload, details }) => files.prepare(upload, channelId, details));
  const changed = edited(before, form, [...kept, ...prepared.map(({ attachment }) => attachment)]);
  if (isEmpty(changed)) throw new ApiError('emptyMessage');
  const served = {
    ...changed,
    embeds: withServedMedia(changed.embeds, changed.attachments, origin, [...at, 'embeds']),
    components: withIds(changed.components),
  };
  files.keep(prepared);
  return served;
}
