import type { APIAttachment } from 'discord-api-types/v10';

import { ApiError } from './api-error.ts';
import { mistake, type Path } from './forms.ts';
import type { NumberedUpload } from './request-body.ts';

/** An entry of `attachments`: the number of an uploaded file, or the id of a file that is kept. */
export interface AttachmentForm {
  id: string;
  filename?: string;
  description?: string;
}

export interface AttachmentPlan {
  kept: APIAttachment[];
  added: { upload: NumberedUpload; details: Partial<APIAttachment> }[];
}

/**
 * The files of a message after a request; reference.md, "Uploading Files" and "Editing Message Attachments".
 *
 * @param listed undefined = existing files are kept, and every upload is added
 * @throws ApiError 50035 for an entry that is neither uploaded nor present; the leaf code is a guess
 */
export function attachmentPlan(
  before: readonly APIAttachment[],
  listed: readonly AttachmentForm[] | null | undefined,
  uploads: readonly NumberedUpload[],
  at: Path = [],
): AttachmentPlan {
  const entries = listed === undefined ? before : (listed ?? []);
  const kept = entries.flatMap(({ id, ...details }) => {
    const found = before.find((attachment) => attachment.id === id);
    return found ? [{ ...found, ...described(details), filename: found.filename }] : [];
  });
  const added = uploads.map((upload) => {
    const entry = entries.find(({ id }) => id === String(upload.number));
    return { upload: { ...upload, filename: entry?.filename ?? upload.filename }, details: described(entry ?? {}) };
  });
  const known = new Set([...before.map(({ id }) => id), ...uploads.map(({ number }) => String(number))]);
  const unsent = entries.findIndex(({ id }) => !known.has(id));
  if (unsent !== -1) {
    throw mistake([...at, 'attachments', unsent, 'id'], 'ATTACHMENT_NOT_FOUND', 'Uploaded attachment not found.');
  }
  if (kept.length + added.length > MOST_ATTACHMENTS) throw new ApiError('tooManyAttachments');
  return { kept, added };
}

const MOST_ATTACHMENTS = 10; // topics/opcodes-and-status-codes, 30015

function described({ description }: Pick<AttachmentForm, 'description'>): Partial<APIAttachment> {
  return description ? { description } : {};
}
