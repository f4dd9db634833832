import { ApiError } from './api-error.ts';
import { withServedMedia } from './attachment-links.ts';
import { attachmentPlan } from './attachment-rules.ts';
import { withIds } from './components.ts';
import type { FileStore } from './file-store.ts';
import { edited, isEmpty, type MessageForm, type Reply, refuseUnfit } from './message-rules.ts';
import type { NumberedUpload } from './request-body.ts';

/** Where a message's files go, and where pictures are served. */
export interface ServedAt {
  files: FileStore;
  channelId: string;
  origin: string;
}

/**
 * The message as Discord keeps it after this form: its files kept, its pictures at their served addresses.
 * Nothing is kept of a form that is refused.
 *
 * @throws ApiError 50035 with `at` before every path, 50006 or 30015
 */
export function changedReply(
  before: Reply,
  form: MessageForm,
  uploads: readonly NumberedUpload[],
  { files, channelId, origin }: ServedAt,
  at: readonly string[],
): Reply {
  const { kept, added } = attachmentPlan(before.attachments, form.attachments, uploads, at);
  const prepared = added.map(({ upload, details }) => files.prepare(upload, channelId, details));
  const changed = edited(before, form, [...kept, ...prepared.map(({ attachment }) => attachment)]);
  if (isEmpty(changed)) throw new ApiError('emptyMessage');
  refuseUnfit(changed, at);
  const served = {
    ...changed,
    embeds: withServedMedia(changed.embeds, changed.attachments, origin, [...at, 'embeds']),
    components: withServedMedia(withIds(changed.components), changed.attachments, origin, [...at, 'components']),
  };
  files.keep(prepared);
  return served;
}
