/** A part of a moving picture: what is different from the frame before, as a WebP of its own. */
export interface Frame {
  webp: Uint8Array;
  durationMs: number;
  /** Where it lies in the picture, both even, because the format counts in twos. */
  x: number;
  y: number;
  width: number;
  height: number;
}

// The container is described at https://developers.google.com/speed/webp/docs/riff_container
const RIFF_HEADER = 12;
const CHUNK_HEADER = 8;
const ANIMATION = 0b10;
/** The part replaces what is below it, and stays. */
const NOT_BLENDED = 0b10;
/** Of the chunk of a frame, before its picture. */
const DURATION_AT = 12;

/** An endless moving picture of these frames, the first of which has its whole size. */
export function movingPicture(frames: readonly Frame[]): Buffer {
  const [{ width, height } = { width: 0, height: 0 }] = frames;
  const extended = chunk('VP8X', [ANIMATION, 0, 0, 0, ...int24(width - 1), ...int24(height - 1)]);
  const animation = chunk('ANIM', [0, 0, 0, 255, 0, 0]);
  const body = Buffer.concat([Buffer.from('WEBP'), extended, animation, ...frames.map(frameChunk)]);
  return chunk('RIFF', body);
}

/** How long each frame of such a picture is shown. */
export function frameDurationsMs(picture: Uint8Array): number[] {
  const found = chunksOf(Buffer.from(picture)).filter(({ name }) => name === 'ANMF');
  return found.map(({ body }) => body.readUIntLE(DURATION_AT, 3));
}

function frameChunk({ webp, durationMs, x, y, width, height }: Frame): Buffer {
  const numbers = [x / 2, y / 2, width - 1, height - 1, durationMs].flatMap(int24);
  const parts = chunksOf(Buffer.from(webp)).filter(({ name }) => /^VP8[ L]$/.test(name));
  return chunk('ANMF', Buffer.concat([Buffer.from([...numbers, NOT_BLENDED]), ...parts.map(({ whole }) => whole)]));
}

function chunksOf(file: Buffer): { name: string; body: Buffer; whole: Buffer }[] {
  const chunks = [];
  for (let at = RIFF_HEADER; at < file.length; ) {
    const name = file.toString('latin1', at, at + 4);
    const end = at + CHUNK_HEADER + file.readUInt32LE(at + 4);
    const next = end + (end % 2);
    chunks.push({ name, body: file.subarray(at + CHUNK_HEADER, end), whole: file.subarray(at, next) });
    at = next;
  }
  return chunks;
}

function chunk(name: string, body: Uint8Array | readonly number[]): Buffer {
  const header = Buffer.alloc(CHUNK_HEADER);
  header.write(name, 'latin1');
  header.writeUInt32LE(body.length, 4);
  return Buffer.concat([header, Buffer.from(body), Buffer.alloc(body.length % 2)]);
}

function int24(number: number): number[] {
  return [number & 255, (number >> 8) & 255, number >> 16];
}
