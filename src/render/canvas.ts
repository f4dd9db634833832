import { promisify } from 'node:util';
import { crc32, deflate } from 'node:zlib';

export type Point = readonly [x: number, y: number];

/** 0xRRGGBB, and how much it covers of the ground, 0 to 1. */
interface Ink {
  colour: number;
  opacity?: number;
}

/**
 * Where a text stands: `x` is its middle, unless it would leave the space between `left` and `right`; `y` is its top,
 * and `height` that of a digit.
 */
type Place = Record<'x' | 'y' | 'left' | 'right' | 'height', number>;

/** How finely edges are smoothed: more steps look the same, and take more bytes. */
const ALPHAS = [85, 170, 255];
const LEVELS = ALPHAS.length;
/** Shares of the height of a digit. */
const STROKE = 0.13;
const SPACING = 0.24;

/** A picture on a transparent ground, in a few inks with smooth edges. Lengths are pixels, y grows downwards. */
export class Canvas {
  readonly width: number;
  readonly height: number;
  /** Row by row, an index of the palette for each pixel. */
  readonly pixels: Uint8Array;
  readonly #inks = new Set<Ink>();

  constructor(width: number, height: number) {
    this.width = width;
    this.height = height;
    this.pixels = new Uint8Array(width * height);
  }

  /** The ground, then each ink by how much of it covers a pixel. */
  get palette() {
    const inked = [...this.#inks].flatMap(({ colour, opacity = 1 }) =>
      ALPHAS.map((alpha) => ({ colour, alpha: Math.round(alpha * opacity) })),
    );
    return [{ colour: 0, alpha: 0 }, ...inked];
  }

  /** A rectangle of whole pixels inside the picture. */
  fill(ink: Ink, left: number, top: number, right: number, bottom: number): void {
    const index = this.#before(ink) + LEVELS;
    for (let y = Math.round(top); y < Math.round(bottom); y++) {
      const row = y * this.width;
      this.pixels.fill(index, row + Math.round(left), row + Math.round(right));
    }
  }

  /** A line along these points with round ends; a single point is a dot. */
  stroke(ink: Ink, points: readonly Point[], width: number): void {
    const before = this.#before(ink);
    for (const [at, from] of points.entries()) this.#segment(before, from, points[at + 1] ?? from, width / 2);
  }

  /** A line of digits, separators and currency signs; smaller where there is little space. Other signs are left out. */
  text(ink: Ink, text: string, { x, y, left, right, height: wanted }: Place): void {
    const height = Math.min(wanted, (wanted * (right - left)) / textWidth(text, wanted));
    const width = textWidth(text, height);
    let atX = Math.max(left, Math.min(right - width, x - width / 2));
    const topY = y + wanted - height;
    for (const glyph of glyphsOf(text)) {
      for (const stroke of glyph.strokes) {
        const points = stroke.map(([dx, dy]) => [atX + dx * height, topY + dy * height] as const);
        this.stroke(ink, points, STROKE * height);
      }
      atX += (glyph.width + SPACING) * height;
    }
  }

  /** The index of the palette before those of an ink. */
  #before(ink: Ink): number {
    return [...this.#inks.add(ink)].indexOf(ink) * LEVELS;
  }

  /** Every pixel is covered by how far its centre is inside the line. */
  #segment(before: number, [ax, ay]: Point, [bx, by]: Point, radius: number): void {
    const [dx, dy, reach] = [bx - ax, by - ay, radius + 0.5];
    const perSquare = 1 / (dx * dx + dy * dy || 1);
    const fromX = Math.max(0, Math.floor(Math.min(ax, bx) - reach));
    const toX = Math.min(this.width - 1, Math.ceil(Math.max(ax, bx) + reach));
    const toY = Math.min(this.height - 1, Math.ceil(Math.max(ay, by) + reach));
    for (let y = Math.max(0, Math.floor(Math.min(ay, by) - reach)); y <= toY; y++) {
      const py = y + 0.5 - ay;
      for (let x = fromX; x <= toX; x++) {
        const px = x + 0.5 - ax;
        const along = Math.max(0, Math.min(1, (px * dx + py * dy) * perSquare));
        const away = Math.sqrt((px - along * dx) ** 2 + (py - along * dy) ** 2);
        if (away < reach) this.#cover(y * this.width + x, before, Math.min(1, reach - away));
      }
    }
  }

  /** Two inks do not mix: of a pixel that has one already, the new one takes what it covers for the most part. */
  #cover(at: number, before: number, share: number): void {
    const index = before + Math.round(LEVELS * share);
    const present = this.pixels[at] ?? 0;
    const isSame = present > before && present <= before + LEVELS;
    if (index > before && (isSame ? index > present : present === 0 || share > 0.5)) this.pixels[at] = index;
  }
}

/** Whether `Canvas.text` draws every sign of it. */
export function isDrawable(text: string): boolean {
  return [...text].every((character) => GLYPHS.has(character));
}

/** @param height of a digit */
export function textWidth(text: string, height: number): number {
  const withSpaces = glyphsOf(text).reduce((sum, { width }) => sum + (width + SPACING), 0);
  return Math.max(0, withSpaces - SPACING) * height;
}

function glyphsOf(text: string) {
  return [...text].flatMap((character) => GLYPHS.get(character) ?? []);
}

const STEP_DEGREES = 24;

/**
 * What figures, dates and prices are written with, in any language: a picture has no fonts but its own. Each has its
 * width and its strokes, with `/` between them. A stroke goes through points, `x,y`, and along arcs of ellipses,
 * `x,y,radiusX,radiusY,from,to`: 0° is to the right, 90° is down.
 */
const SHAPES = {
  '0': '.58 / .29,.5,.29,.5,0,360',
  '1': '.3 / 0,.2 .24,0 .24,1',
  '2': '.58 / .28,.28,.27,.28,190,390 0,1 .58,1',
  '3': '.56 / .26,.25,.25,.25,205,430 .26,.74,.29,.26,290,515',
  '4': '.62 / .46,1 .46,0 0,.72 .62,.72',
  '5': '.56 / .52,0 .1,0 .05,.46 .26,.68,.3,.32,230,510',
  '6': '.58 / .29,.69,.27,.31,0,360 / .48,0 .3,.14 .12,.38 .02,.66',
  '7': '.56 / 0,0 .56,0 .18,1',
  '8': '.58 / .29,.24,.24,.24,0,360 / .29,.74,.29,.26,0,360',
  '9': '.58 / .29,.31,.27,.31,0,360 / .1,1 .28,.86 .46,.62 .56,.34',
  '.': '.12 / .06,.96,.03,.03,0,360',
  ',': '.1 / .08,.98 .02,1.18',
  '·': '.3 / .15,.55,.03,.03,0,360',
  '-−': '.36 / .02,.55 .34,.55',
  "'’": '.1 / .05,0 .05,.2',
  ' \u00a0\u202f': '.12',
  $: '.58 / .29,.28,.26,.22,330,110 .29,.73,.28,.23,285,515 / .29,-.12 .29,1.12',
  '€': '.68 / .42,.5,.34,.5,312,48 / 0,.4 .46,.4 / 0,.6 .42,.6',
  '£': '.58 / .36,.24,.2,.24,345,180 .2,.6 .16,.84 .02,1 .58,1 / .02,.55 .4,.55',
  '¥￥': '.6 / 0,0 .3,.45 .6,0 / .3,.45 .3,1 / .04,.52 .56,.52 / .04,.74 .56,.74',
  // Of 3E12, US$ and R$.
  E: '.5 / .5,0 .04,0 .04,1 .5,1 / .04,.5 .44,.5',
  R: '.56 / 0,1 0,0 .28,0 .28,.27,.26,.27,270,450 0,.54 / .28,.54 .56,1',
  S: '.58 / .29,.26,.26,.26,330,110 .29,.74,.28,.26,285,515',
  U: '.58 / .02,0 .29,.71,.27,.29,180,0 .56,0',
};

const GLYPHS = new Map(
  Object.entries(SHAPES).flatMap(([characters, shape]) =>
    Array.from(characters, (one) => [one, glyph(shape)] as const),
  ),
);

/** How a character is drawn: lines in units of a digit's height, from its upper left corner. */
function glyph(shape: string) {
  const [width, ...strokes] = shape.split(' / ');
  return { width: Number(width), strokes: strokes.map((stroke) => stroke.split(' ').flatMap(points)) };
}

/** A point is itself; an arc has one every few degrees. */
function points(part: string): Point[] {
  const [x = 0, y = 0, radiusX = 0, radiusY = 0, from = 0, to = from] = part.split(',').map(Number);
  const steps = Math.ceil(Math.abs(to - from) / STEP_DEGREES);
  return Array.from({ length: steps + 1 }, (_, step) => {
    const angle = ((from + ((to - from) * step) / (steps || 1)) * Math.PI) / 180;
    return [x + radiusX * Math.cos(angle), y + radiusY * Math.sin(angle)];
  });
}

const BITS = 4;
const INDEXED = 3;
/**
 * Takes a tenth less than zlib's default, for a few milliseconds more of the other thread; 9 takes three times as long.
 */
const COMPRESSION = { level: 8 };

/**
 * The picture as a PNG (https://www.w3.org/TR/png-3/). It is compressed in another thread.
 *
 * @param canvas of an even width, since each byte holds two pixels, and in at most 16 colours
 */
export async function encodePng({ width, height, palette, pixels }: Canvas): Promise<Buffer> {
  const rows = Buffer.alloc((1 + width / 2) * height); // each begins with its filter: none
  for (let at = 0; at < pixels.length; at += 2) {
    rows[1 + Math.floor(at / width) + at / 2] = ((pixels[at] ?? 0) << BITS) | (pixels[at + 1] ?? 0);
  }
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', Buffer.concat([uint32(width), uint32(height), Buffer.from([BITS, INDEXED, 0, 0, 0])])),
    chunk('PLTE', Buffer.concat(palette.map(({ colour }) => uint32(colour).subarray(1)))),
    chunk('tRNS', Buffer.from(palette.map(({ alpha }) => alpha))),
    chunk('IDAT', await promisify(deflate)(rows, COMPRESSION)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  return Buffer.concat([uint32(data.length), Buffer.from(type), data, uint32(crc32(data, crc32(type)))]);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
