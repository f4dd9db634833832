import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { count, machine, toMarkdown } from '../bench/table.ts';
import { parseMetrics } from '../operations/scrape.ts';

const MINUTE_MS = 60_000;
export const SAMPLE_MS = 5_000;
/** A quarter of a short run. */
const WARM_UP_MINUTES = 5;

const whole = (value: number) => count(Math.round(value));
/** What is read of the bot, how it is shown, and how much more than at first is still flat: this share, or this much. */
const SERIES = {
  residentBytes: {
    title: 'Resident size',
    share: 0.1,
    least: 8 * 2 ** 20,
    shown: (bytes: number) => `${whole(bytes / 1e6)} MB`,
  },
  handles: { title: 'Open files, sockets and timers', share: 0.2, least: 10, shown: whole },
  rows: { title: 'Rows', share: 0.05, least: 20, shown: whole },
  logLinesPerMinute: { title: 'Log lines a minute', share: 0.2, least: 60, shown: whole },
};
type Sample = Record<keyof typeof SERIES, number>;

/** What a bot holds that is not restarted. */
export class Soak {
  readonly #samples: Sample[] = [];
  #readTo = 0;
  /** Whether nothing grew. */
  isFlat = true;

  /** To be called every five seconds. @param output all that the bot has written */
  async sample(output: string, dataDir: string): Promise<void> {
    const [, port] = /"port":(\d+)[^\n]*metrics are served/.exec(output) ?? [];
    const lines = output.slice(this.#readTo).split('\n').length - 1;
    this.#readTo = output.length;
    const figures = parseMetrics(await (await fetch(`http://127.0.0.1:${port}/metrics`)).text());
    const sum = (...names: string[]) =>
      figures.filter(({ name }) => names.includes(name)).reduce((all, { value }) => all + value, 0);
    const sample = {
      residentBytes: sum('process_resident_memory_bytes'),
      handles: sum('nodejs_active_resources', 'process_open_fds'),
      rows: rowsIn(join(dataDir, 'cards.sqlite')) + rowsIn(join(dataDir, 'catalog.sqlite')),
      logLinesPerMinute: (lines * MINUTE_MS) / SAMPLE_MS,
    };
    this.#samples.push(sample);
    process.stdout.write(`${JSON.stringify(sample)}\n`);
  }

  /** For the page of benchmarks. */
  section(seconds: number, done: string, failures: number): string {
    const minutes = seconds / 60;
    const warmUpMinutes = Math.min(WARM_UP_MINUTES, minutes / 4);
    const warm = this.#samples.slice((warmUpMinutes * MINUTE_MS) / SAMPLE_MS);
    const third = Math.max(1, Math.floor(warm.length / 3));
    const rows = Object.entries(SERIES).map(([name, { title, share, least, shown }]) => {
      const mean = (of: readonly Sample[]) =>
        of.reduce((sum, sample) => sum + sample[name as keyof Sample], 0) / of.length;
      const [first, last] = [mean(warm.slice(0, third)), mean(warm.slice(-third))];
      const isFlat = last - first <= Math.max(first * share, least);
      this.isFlat &&= isFlat;
      return { '': title, first: shown(first), last: shown(last), ' ': isFlat ? 'flat' : '**grows**' };
    });
    return toMarkdown({
      title: `One process for ${minutes} minutes on ${machine()}`,
      rows,
      notes: [
        `${done}; commands lost or answered twice, and log lines that no fault explains: ${failures}. Means of the first and of the last third after ${warmUpMinutes} minutes.`,
      ],
    });
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
