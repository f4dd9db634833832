import { SERIES, type SeriesName, type SoakSample } from './series.ts';

const WIDTH = 960;
const PLOT = { left: 90, right: 940, height: 90, gap: 46, top: 30 };
// Readable on white and on GitHub's dark page, so that the picture needs no background.
const INK = '#737b87';
const COLOURS: Readonly<Record<SeriesName, string>> = {
  residentBytes: '#2f81f7',
  handles: '#e5534b',
  rows: '#b08800',
  logLinesPerMinute: '#986ee2',
};

/** One chart below the other, each from zero; the warm-up ends at the dashed line. */
export function drawSoak(samples: readonly SoakSample[], warmUpMs: number): string {
  const names = Object.keys(SERIES) as SeriesName[];
  const height = PLOT.top + names.length * (PLOT.height + PLOT.gap);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="system-ui, sans-serif" font-size="13" fill="${INK}">`,
    '<title>What a bot holds in the course of a soak</title>',
    ...names.map((name, index) => chart(name, samples, warmUpMs, PLOT.top + index * (PLOT.height + PLOT.gap))),
    '</svg>',
    '',
  ].join('\n');
}

function chart(name: SeriesName, samples: readonly SoakSample[], warmUpMs: number, top: number): string {
  const { title, shown } = SERIES[name];
  const [startMs, endMs] = [samples[0]?.atMs ?? 0, samples.at(-1)?.atMs ?? 1];
  const most = 1.1 * Math.max(1, ...samples.map((sample) => sample[name]));
  const bottom = top + PLOT.height;
  const x = (atMs: number) =>
    (PLOT.left + ((atMs - startMs) / Math.max(1, endMs - startMs)) * (PLOT.right - PLOT.left)).toFixed(1);
  const y = (value: number) => (bottom - (value / most) * PLOT.height).toFixed(1);
  const points = samples.map((sample) => `${x(sample.atMs)} ${y(sample[name])}`).join('L');
  const minutes = Math.round((endMs - startMs) / 60_000);
  return [
    `<text x="${PLOT.left}" y="${top - 8}">${title}</text>`,
    `<text x="${PLOT.left - 8}" y="${top + 10}" text-anchor="end" font-size="12">${shown(most)}</text>`,
    `<text x="${PLOT.left - 8}" y="${bottom}" text-anchor="end" font-size="12">0</text>`,
    `<path d="M${PLOT.left} ${bottom}H${PLOT.right}" stroke="${INK}" stroke-opacity="0.5"/>`,
    `<path d="M${x(startMs + warmUpMs)} ${top}V${bottom}" stroke="${INK}" stroke-dasharray="4 4" stroke-opacity="0.7"/>`,
    `<path d="M${points}" fill="none" stroke="${COLOURS[name]}" stroke-width="2"/>`,
    `<text x="${PLOT.right}" y="${bottom + 16}" text-anchor="end" font-size="12">${minutes} min</text>`,
  ].join('\n');
}
