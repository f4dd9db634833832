import type { APIAttachment } from 'discord-api-types/v10';

/** A file as a bot sends it. */
export interface Upload {
  /** 3 of `files[3]`. */
  number: number;
  filename: string;
  /** As declared; `undefined` = not at all. */
  contentType: string | undefined;
  bytes: Uint8Array;
}

/** A file as it is served. */
export interface ServedFile {
  contentType: string;
  body: string | Uint8Array;
}

const PREFIX = '/attachments/';
const MOST_BYTES = 64 * 1_024 * 1_024;

/** The files of all messages, served under `/attachments`. */
export class FileStore {
  readonly #byPath = new Map<string, ServedFile>();
  readonly #origin: string;
  readonly #nextId: () => string;
  readonly #mostBytes: number;
  #bytes = 0;

  /** @param mostBytes of all files; older files are dropped, so that memory stays bounded */
  constructor(origin: string, nextId: () => string, mostBytes = MOST_BYTES) {
    this.#origin = origin;
    this.#nextId = nextId;
    this.#mostBytes = mostBytes;
  }

  add(
    { filename, contentType, bytes }: Upload,
    channelId: string,
    details: Partial<APIAttachment> = {},
  ): APIAttachment {
    const id = this.#nextId();
    // Discord keeps letters, digits and `-_.` of a name; reference.md, "Editing Message Attachments"
    const name = filename.replaceAll(/[^\w.-]+/g, '_') || 'file';
    const path = `${PREFIX}${channelId}/${id}/${name}`;
    const url = this.#origin + path;
    const attachment: APIAttachment = {
      id,
      filename: name,
      size: bytes.length,
      url,
      proxy_url: url,
      ...(contentType !== undefined && { content_type: contentType }),
      ...pictureSize(bytes),
      ...details,
    };
    this.#byPath.set(path, { contentType: contentType ?? 'application/octet-stream', body: bytes });
    this.#bytes += bytes.length;
    this.#dropOldest();
    return attachment;
  }

  /** The file at a path; undefined = none, or it was dropped. */
  at(path: string): ServedFile | undefined {
    return this.#byPath.get(path);
  }

  #dropOldest(): void {
    for (const [path, { body }] of this.#byPath) {
      if (this.#bytes <= this.#mostBytes) return;
      this.#byPath.delete(path);
      this.#bytes -= body.length;
    }
  }
}

/** Width and height of a PNG, from its header; undefined for other files. */
export function pictureSize(bytes: Uint8Array): { width: number; height: number } | undefined {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (view.length < 24 || view.toString('latin1', 1, 4) !== 'PNG') return undefined;
  return { width: view.readUInt32BE(16), height: view.readUInt32BE(20) };
}
