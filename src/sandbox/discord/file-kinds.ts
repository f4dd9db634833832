const BY_ENDING: Record<string, string> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  svg: 'image/svg+xml',
  txt: 'text/plain; charset=utf-8',
  csv: 'text/csv; charset=utf-8',
  json: 'application/json',
  pdf: 'application/pdf',
};

/** The declared media type, otherwise by the extension of the name; undefined = unknown. */
export function contentTypeOf(filename: string, declared: string | undefined): string | undefined {
  if (declared && declared !== 'application/octet-stream') return declared;
  return BY_ENDING[filename.split('.').pop()?.toLowerCase() ?? ''];
}

/** Width and height of a PNG or GIF, from its header; empty for other files. */
export function pictureSize(bytes: Uint8Array): { width: number; height: number } | undefined {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (view.length >= 24 && view.toString('latin1', 1, 4) === 'PNG') {
    return { width: view.readUInt32BE(16), height: view.readUInt32BE(20) };
  }
  if (view.length >= 10 && view.toString('latin1', 0, 3) === 'GIF') {
    return { width: view.readUInt16LE(6), height: view.readUInt16LE(8) };
  }
  return undefined;
}
