import { readdirSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import packageJson from '../../package.json' with { type: 'json' };
import type { Metric } from './metrics.ts';

const EVENT_LOOP_RESOLUTION_MS = 10;
/** The last is the longest. */
const PERCENTILES = [50, 99, 100];

/**
 * The process itself, under the names that Prometheus gives them everywhere. Not the library's own set, which measures
 * until the process ends.
 */
export function processMetrics(usesRedis: boolean): Metric[] {
  const startedAtSeconds = Date.now() / 1000 - process.uptime();
  const delay = monitorEventLoopDelay({ resolution: EVENT_LOOP_RESOLUTION_MS });
  delay.enable();
  return [
    {
      name: 'process_start_time_seconds',
      help: 'When the process started, as a Unix time.',
      read: () => [{ value: startedAtSeconds }],
    },
    {
      name: 'process_resident_memory_bytes',
      help: 'Resident memory.',
      read: () => [{ value: process.memoryUsage.rss() }],
    },
    {
      name: 'process_open_fds',
      help: 'Open files and sockets; NaN where there is no /proc.',
      read: () => [{ value: openFiles() }],
    },
    {
      name: 'process_cpu_seconds_total',
      help: 'CPU time used.',
      read() {
        const { user, system } = process.cpuUsage();
        return [{ value: (user + system) / 1e6 }];
      },
    },
    {
      name: 'nodejs_active_resources',
      help: 'What keeps the event loop alive, by kind.',
      labels: { type: [] },
      read: () =>
        Array.from(
          Map.groupBy(process.getActiveResourcesInfo(), (type) => type),
          ([type, all]) => ({ type, value: all.length }),
        ),
    },
    {
      name: 'cardbot_build_info',
      help: 'The version that runs, its Node, and where its state is.',
      labels: { version: [packageJson.version], node: [process.version], state: [usesRedis ? 'redis' : 'files'] },
      startOf: () => 1,
    },
    {
      name: 'cardbot_event_loop_delay_seconds',
      help: 'How late timers ran since the last time this was read.',
      labels: { percentile: [] }, // "quantile" is reserved for summaries
      follow: () => () => void delay.disable(),
      read() {
        const isMeasured = delay.count > 0;
        const samples = PERCENTILES.map((percentile) => ({
          percentile,
          value: isMeasured ? delay.percentile(percentile) / 1e9 : 0,
        }));
        delay.reset();
        return samples;
      },
    },
  ];
}

function openFiles(): number {
  try {
    return readdirSync('/proc/self/fd').length;
  } catch {
    return Number.NaN;
  }
}
