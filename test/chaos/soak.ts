import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { machine } from '../bench/machine.ts';
import { count } from '../bench/quota/format.ts';
import { toMarkdown } from '../bench/table.ts';
import { parseMetrics } from '../operations/scrape.ts';
import { FAULTS } from './faults.ts';
import type { ChaosOptions, ChaosReport, Running } from './run.ts';

const MINUTE_MS = 60_000;
const SAMPLE_MS = 5_000;
/** A quarter of a short run. */
const WARM_UP_MINUTES = 5;

/** What is read of the bot, how it is shown, and how much more than at first is still flat: this share, or this much. */
const SERIES = {
  residentBytes: { title: 'Resident size', share: 0.1, least: 8 * 2 ** 20, shown: megabytes },
  handles: { title: 'Open files, sockets and timers', share: 0.2, least: 10, shown: whole },
  rows: { title: 'Rows', share: 0.05, least: 20, shown: whole },
  logLinesPerMinute: { title: 'Log lines a minute', share: 0.2, least: 60, shown: whole },
} as const;
const NAMES = Object.keys(SERIES) as (keyof typeof SERIES)[];
type Sample = { atMs: number } & Record<keyof typeof SERIES, number>;

/** Reads what the bot holds while it is not restarted. */
export class Soak {
  readonly options: Pick<ChaosOptions, 'faults' | 'meanBetweenFaultsMs' | 'env' | 'meanwhile'> = {
    faults: Object.keys(FAULTS).filter((name) => !name.startsWith('bot ')),
    meanBetweenFaultsMs: 3_000,
    env: { HTTP_PORT: '0' },
    meanwhile: (running) => this.#sampleEvery(running),
  };
  readonly #samples: Sample[] = [];
  /** Whether nothing grew. */
  isFlat = true;

  /** For the page of benchmarks. */
  section(seconds: number, { commands, faults, failures }: ChaosReport): string {
    const minutes = seconds / 60;
    const warmUpMinutes = Math.min(WARM_UP_MINUTES, minutes / 4);
    const beganMs = this.#samples[0]?.atMs ?? 0;
    const warm = this.#samples.filter(({ atMs }) => atMs - beganMs >= warmUpMinutes * MINUTE_MS);
    const third = Math.max(1, Math.floor(warm.length / 3));
    const rows = NAMES.map((name) => {
      const [first, last] = [mean(warm.slice(0, third), name), mean(warm.slice(-third), name)];
      const { title, share, least, shown } = SERIES[name];
      const isFlat = last - first <= Math.max(first * share, least);
      this.isFlat &&= isFlat;
      return [title, shown(first), shown(last), isFlat ? 'flat' : '**grows**'];
    });
    return toMarkdown({
      title: `One process for ${minutes} minutes on ${machine()}`,
      columns: ['', 'first', 'last', ''],
      rows,
      notes: [
        `${count(commands)} commands, ${count(faults)} faults; commands lost or answered twice, and log lines that no fault explains: ${failures.length}. Means of the first and of the last third after ${warmUpMinutes} minutes.`,
      ],
    });
  }

  /** @returns what ends it */
  #sampleEvery({ output, dataDir }: Running): () => void {
    const [, port] = /"port":(\d+)[^\n]*metrics are served/.exec(output()) ?? [];
    let [readAtMs, readTo] = [Date.now(), 0];
    const read = async () => {
      const [nowMs, text] = [Date.now(), output()];
      const logLinesPerMinute = ((text.slice(readTo).split('\n').length - 1) * MINUTE_MS) / (nowMs - readAtMs);
      [readAtMs, readTo] = [nowMs, text.length];
      const figures = parseMetrics(await (await fetch(`http://127.0.0.1:${port}/metrics`)).text());
      const sum = (...names: string[]) =>
        figures.filter(({ name }) => names.includes(name)).reduce((all, { value }) => all + value, 0);
      const sample: Sample = {
        atMs: nowMs,
        residentBytes: sum('process_resident_memory_bytes'),
        handles: sum('nodejs_active_resources', 'process_open_fds'),
        rows: rowsIn(join(dataDir, 'cards.sqlite')) + rowsIn(join(dataDir, 'catalog.sqlite')),
        logLinesPerMinute,
      };
      this.#samples.push(sample);
      const shown = NAMES.map((name) => `${SERIES[name].title.toLowerCase()} ${SERIES[name].shown(sample[name])}`);
      process.stdout.write(`${[new Date(nowMs).toISOString().slice(11, 19), ...shown].join('   ')}\n`);
    };
    const timer = setInterval(read, SAMPLE_MS);
    return () => clearInterval(timer);
  }
}

/** Of all its tables; `state.sqlite` belongs to the bot alone. */
function rowsIn(file: string): number {
  using database = new DatabaseSync(file, { readOnly: true, timeout: 1_000 });
  const tables = "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'";
  const rows = (name: unknown) => Number(database.prepare(`SELECT count(*) AS rows FROM "${name}"`).get()?.rows);
  return database
    .prepare(tables)
    .all()
    .reduce((sum, { name }) => sum + rows(name), 0);
}

function mean(of: readonly Sample[], name: keyof typeof SERIES): number {
  return of.reduce((sum, sample) => sum + sample[name], 0) / of.length;
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(0)} MB`;
}

function whole(value: number): string {
  return count(Math.round(value));
}
