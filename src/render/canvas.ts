import { GLYPHS, type Point } from './glyphs.ts';
import type { IndexedPicture } from './png.ts';

/** 0xRRGGBB, and how much covers the ground, 0 to 1. */
export type Ink = { colour: number; opacity?: number };

/** How finely edges are smoothed: more steps look the same, and take more bytes. */
const FULL = 4;
/** Of the height of a digit. */
const STROKE = 0.13;
const SPACING = 0.24;

/** A picture on a transparent ground, in a few inks with smooth edges. Lengths are pixels, y grows downwards. */
export class Canvas<Name extends string> {
  readonly #width: number;
  readonly #height: number;
  readonly #inks: Readonly<Record<Name, Ink>>;
  readonly #first: Readonly<Record<Name, number>>;
  readonly #pixels: Uint8Array;

  constructor(width: number, height: number, inks: Readonly<Record<Name, Ink>>) {
    this.#width = width;
    this.#height = height;
    this.#inks = inks;
    const names = Object.keys(inks) as Name[];
    this.#first = Object.fromEntries(names.map((name, at) => [name, at * FULL])) as Record<Name, number>;
    this.#pixels = new Uint8Array(width * height);
  }

  /** A rectangle of whole pixels; what is outside is left out. */
  fill(ink: Name, left: number, top: number, right: number, bottom: number): void {
    const clamp = (value: number, most: number) => Math.max(0, Math.min(most, Math.round(value)));
    const [fromX, toX] = [clamp(left, this.#width), clamp(right, this.#width)];
    const index = this.#first[ink] + FULL;
    const toY = clamp(bottom, this.#height);
    for (let y = clamp(top, this.#height); y < toY; y++) {
      for (let x = fromX; x < toX; x++) this.#pixels[y * this.#width + x] = index;
    }
  }

  /** A line along these points with round ends; a single point is a dot. */
  stroke(ink: Name, points: readonly Point[], width: number): void {
    for (const [at, from] of points.entries()) {
      const to = points[at + 1] ?? (points.length === 1 ? from : undefined);
      if (to) this.#segment(ink, from, to, width / 2);
    }
  }

  /**
   * A line of digits, separators and currency signs; what has no glyph is left out.
   *
   * @param height of a digit
   * @param align which part of the text is at `x`; `y` is its top
   */
  text(ink: Name, text: string, [x, y]: Point, height: number, align: 'left' | 'centre' | 'right' = 'left'): void {
    let left = x - textWidth(text, height) * { left: 0, centre: 0.5, right: 1 }[align];
    for (const character of text) {
      const glyph = GLYPHS[character];
      if (!glyph) continue;
      for (const stroke of glyph.strokes) {
        const points = stroke.map(([dx, dy]) => [left + dx * height, y + dy * height] as const);
        this.stroke(ink, points, STROKE * height);
      }
      left += (glyph.width + SPACING) * height;
    }
  }

  picture(): IndexedPicture {
    const palette = Object.values<Ink>(this.#inks).flatMap(({ colour, opacity = 1 }) =>
      Array.from({ length: FULL }, (_, level) => ({ colour, alpha: Math.round(255 * opacity * ((level + 1) / FULL)) })),
    );
    const ground = { colour: 0, alpha: 0 };
    return { width: this.#width, height: this.#height, palette: [ground, ...palette], pixels: this.#pixels };
  }

  /** Every pixel is covered by how far its centre is inside the line. */
  #segment(ink: Name, [ax, ay]: Point, [bx, by]: Point, radius: number): void {
    const [dx, dy] = [bx - ax, by - ay];
    const perSquare = 1 / (dx * dx + dy * dy || 1);
    const [reach, first, width] = [radius + 0.5, this.#first[ink], this.#width];
    const fromX = Math.max(0, Math.floor(Math.min(ax, bx) - reach));
    const toX = Math.min(width - 1, Math.ceil(Math.max(ax, bx) + reach));
    const toY = Math.min(this.#height - 1, Math.ceil(Math.max(ay, by) + reach));
    for (let y = Math.max(0, Math.floor(Math.min(ay, by) - reach)); y <= toY; y++) {
      const py = y + 0.5 - ay;
      for (let x = fromX; x <= toX; x++) {
        const px = x + 0.5 - ax;
        const along = Math.max(0, Math.min(1, (px * dx + py * dy) * perSquare));
        const [awayX, awayY] = [px - along * dx, py - along * dy];
        const squared = awayX * awayX + awayY * awayY;
        if (squared >= reach * reach) continue;
        const level = Math.round(FULL * Math.min(1, reach - Math.sqrt(squared)));
        if (level > 0) this.#cover(y * width + x, first, level);
      }
    }
  }

  /** Two inks do not mix: of a pixel that has one already, the new one takes what it covers for the most part. */
  #cover(at: number, first: number, level: number): void {
    const present = this.#pixels[at] ?? 0;
    const isSame = present > first && present <= first + FULL;
    if (isSame ? first + level > present : present === 0 || level > FULL / 2) this.#pixels[at] = first + level;
  }
}

/** Whether `Canvas.text` draws every sign of it. */
export function isDrawable(text: string): boolean {
  return Array.from(text).every((character) => GLYPHS[character]);
}

/** @param height of a digit */
export function textWidth(text: string, height: number): number {
  const widths = Array.from(text, (character) => GLYPHS[character]?.width).filter((width) => width !== undefined);
  return (
    Math.max(
      0,
      widths.reduce((sum, width) => sum + width + SPACING, -SPACING),
    ) * height
  );
}
