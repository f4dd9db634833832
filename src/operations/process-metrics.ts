import { readdirSync, readFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Counter, Gauge, type Registry } from '@prometheus-io/client';

const EVENT_LOOP_RESOLUTION_MS = 10;
/** The last is the longest. */
const PERCENTILES = [50, 99, 100];

/**
 * The process itself, under the names that Prometheus gives them everywhere. Not the library's own set, which measures
 * until the process ends.
 *
 * @returns ends the measurement
 */
export function processMetrics(registry: Registry, usesRedis: boolean): () => void {
  const registers = [registry];
  const gauge = (name: string, help: string, read: () => number) =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(read());
      },
    });
  const startedAtSeconds = Date.now() / 1000 - process.uptime();
  gauge('process_start_time_seconds', 'When the process started, as a Unix time.', () => startedAtSeconds);
  gauge('process_resident_memory_bytes', 'Resident memory.', () => process.memoryUsage.rss());
  gauge('process_open_fds', 'Open files and sockets; NaN where there is no /proc.', openFiles);
  new Counter({
    name: 'process_cpu_seconds_total',
    help: 'CPU time used.',
    registers,
    collect() {
      const { user, system } = process.cpuUsage();
      this.reset();
      this.inc((user + system) / 1e6);
    },
  });
  new Gauge({
    name: 'nodejs_active_resources',
    help: 'What keeps the event loop alive, by kind.',
    labelNames: ['type'],
    registers,
    collect() {
      this.reset();
      for (const type of process.getActiveResourcesInfo()) this.inc({ type });
    },
  });
  new Gauge({
    name: 'cardbot_build_info',
    help: 'The version that runs, its Node, and where its state is.',
    labelNames: ['version', 'node', 'state'],
    registers,
  }).set({ version: version(), node: process.version, state: usesRedis ? 'redis' : 'files' }, 1);

  const delay = monitorEventLoopDelay({ resolution: EVENT_LOOP_RESOLUTION_MS });
  delay.enable();
  new Gauge({
    name: 'cardbot_event_loop_delay_seconds',
    help: 'How late timers ran since the last time this was read.',
    labelNames: ['percentile'], // "quantile" is reserved for summaries
    registers,
    collect() {
      for (const percentile of PERCENTILES)
        this.set({ percentile: String(percentile) }, delay.count === 0 ? 0 : delay.percentile(percentile) / 1e9);
      delay.reset();
    },
  });
  return () => void delay.disable();
}

function openFiles(): number {
  try {
    return readdirSync('/proc/self/fd').length;
  } catch {
    return Number.NaN;
  }
}

function version(): string {
  const manifest: { version: string } = JSON.parse(
    readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
  );
  return manifest.version;
}
