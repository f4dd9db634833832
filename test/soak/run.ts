import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { startCardService } from '../../src/sandbox/card-service.ts';
import { DISCORD_LIFETIMES } from '../../src/sandbox/discord/interaction.ts';
import { SAMPLE_CARDS } from '../../src/sandbox/sample-cards.ts';
import { alarmsIn } from '../chaos/alarms.ts';
import { type ChaosWorld, FAULT_NAMES } from '../chaos/faults.ts';
import { chaosSchedule, play } from '../chaos/schedule.ts';
import { parseMetrics, sampleValue } from '../operations/parse-metrics.ts';
import { startBackends } from '../support/backends.ts';
import { startBotProcess } from '../support/bot-process.ts';
import { onFinished } from '../support/on-finished.ts';
import type { SoakSample } from './series.ts';

/** Lookups wait for a permit after a fault only. */
const LIMITS = { requestsPerMinute: 3_000, burst: 40, requestsPerDay: 40_000 };
const VARIABLES = {
  // As docs/configuration.md advises for small machines.
  NODE_OPTIONS: '--max-old-space-size=160 --max-semi-space-size=8',
  CARD_SERVICE_TIMEOUT_MS: '1000',
  PRICES_FRESH_SECONDS: '10',
  NOT_FOUND_FRESH_SECONDS: '5',
  HTTP_PORT: '0',
};
const SAMPLE_MS = 5_000;
const RESTART_MS = 60_000;
const MEAN_BETWEEN_FAULTS_MS = 3_000;

export interface SoakReport {
  samples: SoakSample[];
  commands: number;
  faults: number;
  restarts: number;
  /** Lines of the log that no fault explains, and an exit code other than 0. */
  alarms: string[];
}

/**
 * One bot process for `minutes` under mixed commands, faults, and restarts of the card service, read every 5 s. The bot
 * itself is not restarted, because then nothing could grow.
 */
export async function runSoak(
  minutes: number,
  seed: string,
  sampled: (sample: SoakSample) => void,
): Promise<SoakReport> {
  const { discord, cardService, env } = await startBackends(LIMITS, VARIABLES, { lifetimes: DISCORD_LIFETIMES });
  const { DATA_DIR: dataDir } = env;
  const world: ChaosWorld = { discord, cardService, dataDir, restartBot: async () => {} };
  const bot = startBotProcess(env);
  await Promise.all([bot.wrote('gateway ready'), bot.wrote('metrics are served')]);
  const [, metricsPort] = /"port":(\d+)[^\n]*metrics are served/.exec(bot.output()) ?? [];

  const samples: SoakSample[] = [];
  let [readAtMs, readTo] = [Date.now(), 0];
  const read = async () => {
    const nowMs = Date.now();
    const output = bot.output();
    const logLinesPerMinute = (linesIn(output.slice(readTo)) * 60_000) / Math.max(1, nowMs - readAtMs);
    [readAtMs, readTo] = [nowMs, output.length];
    const held = await readProcess(`http://127.0.0.1:${metricsPort}/metrics`);
    const sample = { atMs: nowMs, ...held, rows: await countRows(dataDir), logLinesPerMinute };
    samples.push(sample);
    sampled(sample);
  };
  const { port } = new URL(cardService.url);
  let restarts = 0;
  const restart = async () => {
    restarts++;
    await world.cardService.close();
    await sleep(1_000);
    world.cardService = await startCardService({ ...LIMITS, port: Number(port) });
  };
  onFinished(() => world.cardService.close());

  const events = chaosSchedule(seed, minutes * 60, {
    cardIds: SAMPLE_CARDS.map(({ id }) => id),
    guilds: discord.guilds.length,
    faults: FAULT_NAMES.filter((name) => !name.startsWith('bot ')),
    meanBetweenFaultsMs: MEAN_BETWEEN_FAULTS_MS,
  });
  const failures: string[] = [];
  const every = (ms: number, work: () => Promise<void>) =>
    setInterval(() => void work().catch((error: unknown) => failures.push(String(error))), ms);
  const timers = [every(SAMPLE_MS, read), every(RESTART_MS, restart)];
  await play(events, world);
  for (const timer of timers) clearInterval(timer);
  await sleep(2_000); // a restart may be under way
  bot.child.kill('SIGTERM');
  const code = await bot.ended;
  const faults = events.filter(({ kind }) => kind === 'fault').length;
  const alarms = [...alarmsIn(bot.output()), ...failures, ...(code === 0 ? [] : [`the bot exited with ${code}`])];
  return { samples, commands: events.length - faults, faults, restarts, alarms };
}

function linesIn(text: string): number {
  return text.split('\n').length - 1;
}

async function readProcess(metrics: string): Promise<Pick<SoakSample, 'residentBytes' | 'handles'>> {
  const samples = parseMetrics(await (await fetch(metrics)).text());
  const resources = samples.filter(({ name }) => name === 'nodejs_active_resources');
  return {
    residentBytes: sampleValue(samples, 'process_resident_memory_bytes') ?? Number.NaN,
    handles: resources.reduce((sum, { value }) => sum + value, sampleValue(samples, 'process_open_fds') ?? Number.NaN),
  };
}

/** Of every file that other processes may read; `state.sqlite` belongs to the bot alone. */
async function countRows(dataDir: string): Promise<number> {
  const files = (await readdir(dataDir)).filter((name) => name.endsWith('.sqlite') && name !== 'state.sqlite');
  return files.reduce((sum, file) => sum + rowsIn(join(dataDir, file)), 0);
}

function rowsIn(file: string): number {
  if (!existsSync(file)) return 0;
  const database = new DatabaseSync(file, { readOnly: true, timeout: 1_000 });
  try {
    const tables = database
      .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'")
      .all();
    return tables.reduce(
      (sum, { name }) => sum + Number(database.prepare(`SELECT count(*) AS rows FROM "${name}"`).get()?.rows),
      0,
    );
  } finally {
    database.close();
  }
}
