import { promisify } from 'node:util';
import { crc32, deflate } from 'node:zlib';

/** A picture in at most 16 colours. */
export interface IndexedPicture {
  /** An even number: each byte holds two pixels. */
  width: number;
  height: number;
  /** 0xRRGGBB with an alpha of 0, transparent, to 255. */
  palette: readonly { colour: number; alpha: number }[];
  /** Row by row, an index of the palette for each pixel. */
  pixels: Uint8Array;
}

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const BITS = 4;
const INDEXED = 3;
/**
 * Takes a tenth less than zlib's default, for a few milliseconds more of the other thread; 9 takes three times as long.
 */
const COMPRESSION = { level: 8 };

/** The picture as a PNG (https://www.w3.org/TR/png-3/). It is compressed in another thread. */
export async function encodePng({ width, height, palette, pixels }: IndexedPicture): Promise<Buffer> {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([BITS, INDEXED], 8);
  const rowBytes = 1 + width / 2; // each row begins with its filter: none
  const rows = Buffer.alloc(rowBytes * height);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x += 2) {
      const at = y * width + x;
      rows[y * rowBytes + 1 + x / 2] = ((pixels[at] ?? 0) << BITS) | (pixels[at + 1] ?? 0);
    }
  }
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('PLTE', Buffer.from(palette.flatMap(({ colour }) => [colour >> 16, (colour >> 8) & 255, colour & 255]))),
    chunk('tRNS', Buffer.from(palette.map(({ alpha }) => alpha))),
    chunk('IDAT', await promisify(deflate)(rows, COMPRESSION)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const check = Buffer.alloc(4);
  check.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, check]);
}
