export type Point = readonly [x: number, y: number];

/** How a character is drawn: lines in units of a digit's height, from its upper left corner. */
interface Glyph {
  width: number;
  strokes: readonly (readonly Point[])[];
}

const STEP_DEGREES = 24;

/** Part of an ellipse: 0° is to the right, 90° is down. */
function arc(x: number, y: number, radiusX: number, radiusY: number, from: number, to: number): Point[] {
  const steps = Math.ceil(Math.abs(to - from) / STEP_DEGREES);
  return Array.from({ length: steps + 1 }, (_, step) => {
    const angle = ((from + ((to - from) * step) / steps) * Math.PI) / 180;
    return [x + radiusX * Math.cos(angle), y + radiusY * Math.sin(angle)];
  });
}

/** @param corners such as `0,0 .3,.45` */
function line(corners: string): Point[] {
  return corners.split(' ').map((corner) => {
    const [x = 0, y = 0] = corner.split(',').map(Number);
    return [x, y];
  });
}

function glyph(width: number, ...strokes: (readonly Point[])[]): Glyph {
  return { width, strokes };
}

const SIX = [arc(0.29, 0.69, 0.27, 0.31, 0, 360), line('.48,0 .3,.14 .12,.38 .02,.66')];
const NINE = SIX.map((stroke) => stroke.map(([x, y]): Point => [0.58 - x, 1 - y]));
const HYPHEN = glyph(0.36, line('.02,.55 .34,.55'));
const APOSTROPHE = glyph(0.1, line('.05,0 .05,.2'));
const SPACE = glyph(0.12);
const YEN = glyph(0.6, line('0,0 .3,.45 .6,0'), line('.3,.45 .3,1'), line('.04,.52 .56,.52'), line('.04,.74 .56,.74'));

/** What figures, dates and prices are written with, in any language: a picture has no fonts but its own. */
export const GLYPHS: Readonly<Record<string, Glyph | undefined>> = {
  0: glyph(0.58, arc(0.29, 0.5, 0.29, 0.5, 0, 360)),
  1: glyph(0.3, line('0,.2 .24,0 .24,1')),
  2: glyph(0.58, [...arc(0.28, 0.28, 0.27, 0.28, 190, 390), ...line('0,1 .58,1')]),
  3: glyph(0.56, [...arc(0.26, 0.25, 0.25, 0.25, 205, 430), ...arc(0.26, 0.74, 0.29, 0.26, 290, 515)]),
  4: glyph(0.62, line('.46,1 .46,0 0,.72 .62,.72')),
  5: glyph(0.56, [...line('.52,0 .1,0 .05,.46'), ...arc(0.26, 0.68, 0.3, 0.32, 230, 510)]),
  6: glyph(0.58, ...SIX),
  7: glyph(0.56, line('0,0 .56,0 .18,1')),
  8: glyph(0.58, arc(0.29, 0.24, 0.24, 0.24, 0, 360), arc(0.29, 0.74, 0.29, 0.26, 0, 360)),
  9: glyph(0.58, ...NINE),
  '.': glyph(0.08, line('.04,1')),
  ',': glyph(0.1, line('.08,.98 .02,1.18')),
  '·': glyph(0.3, line('.15,.55')),
  '-': HYPHEN,
  '−': HYPHEN,
  '’': APOSTROPHE,
  "'": APOSTROPHE,
  ' ': SPACE,
  '\u00a0': SPACE,
  '\u202f': SPACE,
  E: glyph(0.5, line('.5,0 .04,0 .04,1 .5,1'), line('.04,.5 .44,.5')),
  $: glyph(
    0.58,
    [...arc(0.29, 0.28, 0.26, 0.22, 330, 110), ...arc(0.29, 0.73, 0.28, 0.23, 285, 515)],
    line('.29,-.12 .29,1.12'),
  ),
  '€': glyph(0.68, arc(0.42, 0.5, 0.34, 0.5, 312, 48), line('0,.4 .46,.4'), line('0,.6 .42,.6')),
  '£': glyph(
    0.58,
    [...arc(0.36, 0.24, 0.2, 0.24, 345, 180), ...line('.2,.6 .16,.84 .02,1 .58,1')],
    line('.02,.55 .4,.55'),
  ),
  '¥': YEN,
  '￥': YEN,
  // Of US$ and R$.
  R: glyph(
    0.56,
    [...line('0,1 0,0 .28,0'), ...arc(0.28, 0.27, 0.26, 0.27, 270, 450), ...line('0,.54')],
    line('.28,.54 .56,1'),
  ),
  S: glyph(0.58, [...arc(0.29, 0.26, 0.26, 0.26, 330, 110), ...arc(0.29, 0.74, 0.28, 0.26, 285, 515)]),
  U: glyph(0.58, [...line('.02,0'), ...arc(0.29, 0.71, 0.27, 0.29, 180, 0), ...line('.56,0')]),
};
