/** One reading of the bot while it runs. */
export interface SoakSample {
  atMs: number;
  residentBytes: number;
  /** Open files and sockets, and everything else that keeps the event loop alive. */
  handles: number;
  /** Rows of all tables that can be read while the bot runs. */
  rows: number;
  /** Lines written since the last reading, per minute. */
  logLinesPerMinute: number;
}

export type SeriesName = Exclude<keyof SoakSample, 'atMs'>;

interface Series {
  title: string;
  /** How much more than at first is still flat: this share, or this much. */
  share: number;
  least: number;
  shown: (value: number) => string;
}

const whole = (value: number) => Math.round(value).toLocaleString('en-US');

export const SERIES: Readonly<Record<SeriesName, Series>> = {
  residentBytes: {
    title: 'Resident size',
    share: 0.1,
    least: 8 * 2 ** 20,
    shown: (bytes) => `${(bytes / 1e6).toFixed(0)} MB`,
  },
  handles: { title: 'Open files, sockets and timers', share: 0.2, least: 10, shown: whole },
  rows: { title: 'Rows', share: 0.05, least: 20, shown: whole },
  logLinesPerMinute: { title: 'Log lines a minute', share: 0.2, least: 60, shown: whole },
};

/** One series: its mean in the first and in the last third after the warm-up. */
export interface Verdict {
  name: SeriesName;
  first: number;
  last: number;
  isFlat: boolean;
}

/** @throws RangeError with fewer than six samples after the warm-up */
export function judge(samples: readonly SoakSample[], warmUpMs: number): Verdict[] {
  const startMs = samples[0]?.atMs ?? 0;
  const warm = samples.filter(({ atMs }) => atMs - startMs >= warmUpMs);
  if (warm.length < 6) throw new RangeError('Too few samples after the warm-up: run it for longer.');
  const third = Math.floor(warm.length / 3);
  return (Object.keys(SERIES) as SeriesName[]).map((name) => {
    const first = mean(warm.slice(0, third), name);
    const last = mean(warm.slice(-third), name);
    const { share, least } = SERIES[name];
    return { name, first, last, isFlat: last - first <= Math.max(first * share, least) };
  });
}

function mean(samples: readonly SoakSample[], name: SeriesName): number {
  return samples.reduce((sum, sample) => sum + sample[name], 0) / samples.length;
}
