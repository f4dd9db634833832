import type { APIAttachment } from 'discord-api-types/v10';

import { contentTypeOf, pictureSize } from './file-kinds.ts';

/** A file as a bot or a member sends it. */
export interface Upload {
  filename: string;
  /** `undefined` = what the name's ending says. */
  contentType: string | undefined;
  bytes: Uint8Array;
}

/** A file with its id and address, before it is kept. */
export interface PreparedFile {
  attachment: APIAttachment;
  bytes: Uint8Array;
}

const PREFIX = '/attachments/';
const MOST_BYTES = 64 * 1_024 * 1_024;

/** The files of all messages, served under `/attachments`. */
export class FileStore {
  readonly #byPath = new Map<string, PreparedFile>();
  readonly #origin: string;
  readonly #nextId: () => string;
  readonly #mostBytes: number;
  #bytes = 0;

  /** @param mostBytes kept in all; older files are forgotten, so that a long run needs no more memory */
  constructor(origin: string, nextId: () => string, mostBytes = MOST_BYTES) {
    this.#origin = origin;
    this.#nextId = nextId;
    this.#mostBytes = mostBytes;
  }

  prepare({ filename, contentType, bytes }: Upload, channelId: string, details: Partial<APIAttachment> = {}) {
    const id = this.#nextId();
    const name = safeName(filename);
    const url = `${this.#origin}${PREFIX}${channelId}/${id}/${name}`;
    const type = contentTypeOf(name, contentType);
    const attachment: APIAttachment = {
      id,
      filename: name,
      size: bytes.length,
      url,
      proxy_url: url,
      ...(type !== undefined && { content_type: type }),
      ...pictureSize(bytes),
      ...details,
    };
    return { attachment, bytes };
  }

  keep(files: readonly PreparedFile[]): void {
    for (const file of files) {
      this.#byPath.set(new URL(file.attachment.url).pathname, file);
      this.#bytes += file.bytes.length;
    }
    for (const [path, { bytes }] of this.#byPath) {
      if (this.#bytes <= this.#mostBytes) break;
      this.#byPath.delete(path);
      this.#bytes -= bytes.length;
    }
  }

  /** The file at a path; undefined = there is none, or no more. */
  at(path: string): PreparedFile | undefined {
    return this.#byPath.get(path);
  }
}

/** Discord keeps letters, digits and `-_.` of a name; reference.md, "Editing Message Attachments". */
function safeName(filename: string): string {
  return filename.replaceAll(/[^\w.-]+/g, '_') || 'file';
}
