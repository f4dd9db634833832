import { GLYPHS, type Point } from './glyphs.ts';

/** 0xRRGGBB, and how much it covers of the ground, 0 to 1. */
export interface Ink {
  colour: number;
  opacity?: number;
}

/**
 * Where a text stands: `x` is its middle, unless it would leave the space between `left` and `right`; `y` is its top.
 */
interface Place {
  x: number;
  y: number;
  left: number;
  right: number;
  /** The height of a digit. */
  height: number;
}

/** How finely edges are smoothed: more steps look the same, and take more bytes. */
const LEVELS = 3;
/** Shares of the height of a digit. */
const STROKE = 0.13;
const SPACING = 0.24;

/** A picture on a transparent ground, in a few inks with smooth edges. Lengths are pixels, y grows downwards. */
export class Canvas {
  readonly width: number;
  readonly height: number;
  /** Row by row, an index of the palette for each pixel. */
  readonly pixels: Uint8Array;
  readonly #inks: Ink[] = [];

  constructor(width: number, height: number) {
    this.width = width;
    this.height = height;
    this.pixels = new Uint8Array(width * height);
  }

  /** The ground, then each ink by how much of it covers a pixel. */
  get palette(): { colour: number; alpha: number }[] {
    const levels = Array.from({ length: LEVELS }, (_, index) => (255 * (index + 1)) / LEVELS);
    const covering = ({ colour, opacity = 1 }: Ink) =>
      levels.map((alpha) => ({ colour, alpha: Math.round(alpha * opacity) }));
    return [{ colour: 0, alpha: 0 }, ...this.#inks.flatMap(covering)];
  }

  /** A rectangle of whole pixels inside the picture. */
  fill(ink: Ink, left: number, top: number, right: number, bottom: number): void {
    const index = this.#before(ink) + LEVELS;
    for (let y = Math.round(top); y < Math.round(bottom); y++) {
      for (let x = Math.round(left); x < Math.round(right); x++) this.pixels[y * this.width + x] = index;
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
    for (const character of text) {
      const glyph = GLYPHS.get(character);
      if (!glyph) continue;
      for (const stroke of glyph.strokes) {
        const points = stroke.map(([dx, dy]) => [atX + dx * height, topY + dy * height] as const);
        this.stroke(ink, points, STROKE * height);
      }
      atX += (glyph.width + SPACING) * height;
    }
  }

  /** The index of the palette before those of an ink. */
  #before(ink: Ink): number {
    if (!this.#inks.includes(ink)) this.#inks.push(ink);
    return this.#inks.indexOf(ink) * LEVELS;
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
        const [awayX, awayY] = [px - along * dx, py - along * dy];
        const squared = awayX * awayX + awayY * awayY;
        if (squared < reach * reach) this.#cover(y * this.width + x, before, Math.min(1, reach - Math.sqrt(squared)));
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
  return Array.from(text).every((character) => GLYPHS.has(character));
}

/** @param height of a digit */
export function textWidth(text: string, height: number): number {
  const widths = Array.from(text, (character) => (GLYPHS.get(character)?.width ?? -SPACING) + SPACING);
  return Math.max(0, widths.reduce((sum, width) => sum + width, 0) - SPACING) * height;
}
