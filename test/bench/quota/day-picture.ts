import { PLAN_LIMITS } from '../../../src/model/plan.ts';
import type { ContestantDay } from './contestant-days.ts';
import { OURS } from './contestants.ts';
import { DAY_MS } from './day-of-lookups.ts';
import { count, percent } from './format.ts';

const WIDTH = 960;
const HEIGHT = 420;
/** The area of the curves; their names are to the right of it. */
const PLOT = { left: 80, right: 556, top: 48, bottom: 372 };
const LEAST = 10;
const MOST = 1_000_000;
const TICKS = [10, 100, 1_000, 10_000, 100_000, 1_000_000];
const HOURS = [0, 6, 12, 18, 24];
/** One point in five minutes matches the resolution of the picture. */
const STEPS = 288;
const LINE_HEIGHT = 18;

// Readable on white and on GitHub's dark page, so that the picture needs no background.
const INK = '#737b87';
const COLOURS = ['#2f81f7', '#e5534b', '#b08800', '#986ee2'];

/** Cumulative requests in the course of a day, one curve for each contestant; `days` begins with this bot. */
export function drawDay(days: readonly ContestantDay[]): string {
  const names = spread(days.map(({ sentAtMs }) => yOf(sentAtMs.length) - 6));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="system-ui, sans-serif" font-size="13" fill="${INK}">`,
    `<title>Requests sent to the card service over an even day of 20,000 lookups</title>`,
    `<text x="${PLOT.left}" y="20" font-size="15">Requests sent since 00:00, 20,000 lookups spread evenly over the day</text>`,
    ...TICKS.map(tick),
    ...HOURS.map(hour),
    limit(),
    // This bot last, so that its curve is on top where several coincide.
    ...days
      .map(({ name, sentAtMs }, index) => curve(sentAtMs, COLOURS[index] ?? INK, name === OURS.name ? 4 : 2))
      .reverse(),
    ...days.map((day, index) => label(day, COLOURS[index] ?? INK, names[index] ?? 0)),
    '</svg>',
    '',
  ].join('\n');
}

function tick(value: number): string {
  const y = yOf(value);
  return (
    `<path d="M${PLOT.left} ${y}H${PLOT.right}" stroke="${INK}" stroke-opacity="0.25"/>` +
    `<text x="${PLOT.left - 8}" y="${y + 4}" text-anchor="end" font-size="12">${count(value)}</text>`
  );
}

function hour(value: number): string {
  const anchor = value === 24 ? 'end' : 'middle';
  const text = `${String(value).padStart(2, '0')}:00`;
  return `<text x="${xOf((value / 24) * DAY_MS)}" y="${PLOT.bottom + 22}" text-anchor="${anchor}" font-size="12">${text}</text>`;
}

function limit(): string {
  const limit = PLAN_LIMITS.free.requestsPerDay;
  const y = yOf(limit);
  return (
    `<path d="M${PLOT.left} ${y}H${PLOT.right}" stroke="${INK}" stroke-width="1.5" stroke-dasharray="6 4"/>` +
    `<text x="${PLOT.left + 24}" y="${y - 8}">the day's ${count(limit)}: whatever is above is refused</text>`
  );
}

function curve(sentAtMs: Float64Array, colour: string, width: number): string {
  const points: string[] = [];
  for (let step = 1, sent = 0; step <= STEPS; step++) {
    const atMs = (step / STEPS) * DAY_MS;
    while (sent < sentAtMs.length && (sentAtMs[sent] ?? 0) <= atMs) sent++;
    points.push(`${xOf(atMs)} ${yOf(sent)}`);
  }
  return `<path d="M${points.join('L')}" fill="none" stroke="${colour}" stroke-width="${width}" stroke-linejoin="round"/>`;
}

function label({ name, sentAtMs, report }: ContestantDay, colour: string, y: number): string {
  const shown = percent(report.lookups - report.withoutCard, report.lookups);
  const weight = name === OURS.name ? ' font-weight="700"' : '';
  return (
    `<text x="${PLOT.right + 12}" y="${y + 4}" fill="${colour}"${weight}>` +
    `${name}: ${count(sentAtMs.length)} sent, ${shown} shown a card</text>`
  );
}

/** Moves lines of text from their wanted heights so that they do not overlap. */
function spread(wanted: readonly number[]): number[] {
  const heights = [...wanted];
  const fromBelow = [...wanted.keys()].sort((a, b) => (wanted[b] ?? 0) - (wanted[a] ?? 0));
  let free = Number.POSITIVE_INFINITY;
  for (const index of fromBelow) {
    const y = Math.min(wanted[index] ?? 0, free);
    heights[index] = y;
    free = y - LINE_HEIGHT;
  }
  return heights;
}

function xOf(atMs: number): number {
  return round(PLOT.left + (atMs / DAY_MS) * (PLOT.right - PLOT.left));
}

function yOf(requests: number): number {
  const share = Math.log(Math.max(LEAST, requests) / LEAST) / Math.log(MOST / LEAST);
  return round(PLOT.bottom - share * (PLOT.bottom - PLOT.top));
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
