import type { IncomingMessage } from 'node:http';

import { ApiError } from './api-error.ts';

const LARGEST_BODY_BYTES = 25 * 1_024 * 1_024; // reference.md, "Uploading Files"
const MOST_FILES = 10;

/** A request's JSON, and how many files came with it. */
export interface RequestBody {
  json: unknown;
  files: number;
}

/** @throws ApiError 40005, 50109, 50035 or 30015 */
export async function readBody(request: IncomingMessage): Promise<RequestBody> {
  const bytes = await readBytes(request);
  const contentType = request.headers['content-type'] ?? '';
  if (contentType.startsWith('multipart/form-data')) return readMultipart(bytes, contentType);
  if (bytes.length > 0 && !contentType.startsWith('application/json')) {
    const message = 'Expected "Content-Type" header to be one of {application/json, multipart/form-data}.';
    throw new ApiError('invalidForm', { errors: { _errors: [{ code: 'CONTENT_TYPE_INVALID', message }] } });
  }
  return { json: bytes.length === 0 ? {} : parseJson(bytes.toString()), files: 0 };
}

async function readBytes(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request) {
    length += chunk.length;
    if (length <= LARGEST_BODY_BYTES) chunks.push(chunk); // the rest is read all the same, or the answer is lost
  }
  if (length > LARGEST_BODY_BYTES) throw new ApiError('requestTooLarge');
  return Buffer.concat(chunks);
}

async function readMultipart(bytes: Buffer, contentType: string): Promise<RequestBody> {
  const form = await new Response(new Uint8Array(bytes), { headers: { 'content-type': contentType } })
    .formData()
    .catch(() => {
      throw new ApiError('invalidForm');
    });
  const payload = form.get('payload_json');
  const files = Array.from(form.values()).filter((value) => typeof value !== 'string').length;
  if (files > MOST_FILES) throw new ApiError('tooManyAttachments');
  return { json: typeof payload === 'string' ? parseJson(payload) : {}, files };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ApiError('invalidJson');
  }
}
