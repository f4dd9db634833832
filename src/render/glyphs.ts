export type Point = readonly [x: number, y: number];

/** How a character is drawn: lines in units of a digit's height, from its upper left corner. */
interface Glyph {
  width: number;
  strokes: readonly (readonly Point[])[];
}

const STEP_DEGREES = 24;

/**
 * What figures, dates and prices are written with, in any language: a picture has no fonts but its own. Each has its
 * width, then its strokes, with `/` between them. A stroke goes through points, `x,y`, and along arcs of ellipses,
 * `x,y,radiusX,radiusY,from,to`: 0° is to the right, 90° is down.
 */
const SHAPES = {
  '0': '.58 .29,.5,.29,.5,0,360',
  '1': '.3 0,.2 .24,0 .24,1',
  '2': '.58 .28,.28,.27,.28,190,390 0,1 .58,1',
  '3': '.56 .26,.25,.25,.25,205,430 .26,.74,.29,.26,290,515',
  '4': '.62 .46,1 .46,0 0,.72 .62,.72',
  '5': '.56 .52,0 .1,0 .05,.46 .26,.68,.3,.32,230,510',
  '6': '.58 .29,.69,.27,.31,0,360 / .48,0 .3,.14 .12,.38 .02,.66',
  '7': '.56 0,0 .56,0 .18,1',
  '8': '.58 .29,.24,.24,.24,0,360 / .29,.74,.29,.26,0,360',
  '9': '.58 .29,.31,.27,.31,0,360 / .1,1 .28,.86 .46,.62 .56,.34',
  '.': '.12 .06,.96,.03,.03,0,360',
  ',': '.1 .08,.98 .02,1.18',
  '·': '.3 .15,.55,.03,.03,0,360',
  '-−': '.36 .02,.55 .34,.55',
  "'’": '.1 .05,0 .05,.2',
  ' \u00a0\u202f': '.12',
  $: '.58 .29,.28,.26,.22,330,110 .29,.73,.28,.23,285,515 / .29,-.12 .29,1.12',
  '€': '.68 .42,.5,.34,.5,312,48 / 0,.4 .46,.4 / 0,.6 .42,.6',
  '£': '.58 .36,.24,.2,.24,345,180 .2,.6 .16,.84 .02,1 .58,1 / .02,.55 .4,.55',
  '¥￥': '.6 0,0 .3,.45 .6,0 / .3,.45 .3,1 / .04,.52 .56,.52 / .04,.74 .56,.74',
  // Of 3E12, US$ and R$.
  E: '.5 .5,0 .04,0 .04,1 .5,1 / .04,.5 .44,.5',
  R: '.56 0,1 0,0 .28,0 .28,.27,.26,.27,270,450 0,.54 / .28,.54 .56,1',
  S: '.58 .29,.26,.26,.26,330,110 .29,.74,.28,.26,285,515',
  U: '.58 .02,0 .29,.71,.27,.29,180,0 .56,0',
};

export const GLYPHS: ReadonlyMap<string, Glyph> = new Map(
  Object.entries(SHAPES).flatMap(([characters, shape]) =>
    Array.from(characters, (one) => [one, glyph(shape)] as const),
  ),
);

function glyph(shape: string): Glyph {
  const [width, ...rest] = shape.split(' ');
  const strokes = rest.length === 0 ? [] : rest.join(' ').split(' / ');
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
