import type { IncomingHttpHeaders } from 'node:http';

import { bytesOf } from '../json-body.ts';
import { ApiError } from './api-error.ts';
import type { Upload } from './file-store.ts';

const LARGEST_BODY_BYTES = 25 * 1_024 * 1_024; // reference.md, "Uploading Files"
const LARGEST_FILE_BYTES = 10 * 1_024 * 1_024; // the same page, without boosts
const MOST_FILES = 10; // topics/opcodes-and-status-codes, 30015

/** A file of a multipart request; the fields of `files[3]` have the number 3. */
export interface NumberedUpload extends Upload {
  number: number;
}

/** A request's JSON, and the files that came with it. */
export interface RequestBody {
  json: unknown;
  files: NumberedUpload[];
}

/** @throws ApiError 40005, 50109, 50035 or 30015 */
export async function readBody(
  request: AsyncIterable<Buffer> & { headers: IncomingHttpHeaders },
): Promise<RequestBody> {
  const bytes = await bytesOf(request, LARGEST_BODY_BYTES);
  if (!bytes) throw new ApiError('requestTooLarge');
  const contentType = request.headers['content-type'] ?? '';
  if (contentType.startsWith('multipart/form-data')) return readMultipart(bytes, contentType);
  if (bytes.length > 0 && !contentType.startsWith('application/json')) {
    const message = 'Expected "Content-Type" header to be one of {application/json, multipart/form-data}.';
    throw new ApiError('invalidForm', { errors: { _errors: [{ code: 'CONTENT_TYPE_INVALID', message }] } });
  }
  return { json: bytes.length === 0 ? {} : parseJson(bytes.toString()), files: [] };
}

async function readMultipart(bytes: Buffer, contentType: string): Promise<RequestBody> {
  const form = await new Response(new Uint8Array(bytes), { headers: { 'content-type': contentType } })
    .formData()
    .catch(() => {
      throw new ApiError('invalidForm');
    });
  const payload = form.get('payload_json');
  const parts = Array.from(form.entries()).filter((part): part is [string, File] => typeof part[1] !== 'string');
  if (parts.length > MOST_FILES) throw new ApiError('tooManyAttachments');
  const files = await Promise.all(parts.map(([field, file], index) => upload(field, file, index)));
  return { json: typeof payload === 'string' ? parseJson(payload) : {}, files };
}

async function upload(field: string, file: File, index: number): Promise<NumberedUpload> {
  if (file.size > LARGEST_FILE_BYTES) throw new ApiError('requestTooLarge');
  const number = Number(/^files\[(\d+)\]$/.exec(field)?.[1] ?? index);
  return { number, filename: file.name, contentType: file.type || undefined, bytes: await file.bytes() };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ApiError('invalidJson');
  }
}
