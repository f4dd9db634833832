import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { startCardService } from '../../src/sandbox/card-service.ts';
import { type EmulatedDiscord, startEmulatedDiscord } from '../../src/sandbox/discord/emulated-discord.ts';
import { SANDBOX_API_KEY } from '../../src/sandbox/embedded-card-service.ts';
import { SAMPLE_CARDS } from '../../src/sandbox/sample-cards.ts';
import { registerCommands } from '../../src/sandbox/sandbox.ts';
import { applyFault, type ChaosWorld, FAULT_NAMES } from '../chaos/faults.ts';
import { type ChaosEvent, chaosSchedule } from '../chaos/schedule.ts';
import { parseMetrics, sampleValue } from '../operations/parse-metrics.ts';
import type { SoakSample } from './series.ts';
import { SoakBot } from './soak-bot.ts';

/** Lookups wait for a permit after a fault only. */
const LIMITS = { requestsPerMinute: 3_000, burst: 40, requestsPerDay: 40_000 };
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
  const discord = await startEmulatedDiscord();
  let cardService = await startCardService(LIMITS);
  const dataDir = await mkdtemp(join(tmpdir(), 'cardbot-soak-'));
  await registerCommands(discord);
  const bot = new SoakBot(environment(discord, cardService.url, dataDir));
  const world: ChaosWorld = { discord, cardService, dataDir, restartBot: async () => {} };
  const metrics = await bot.ready();

  const samples: SoakSample[] = [];
  let readAtMs = Date.now();
  const read = async () => {
    const nowMs = Date.now();
    const logLinesPerMinute = (bot.takeLines() * 60_000) / Math.max(1, nowMs - readAtMs);
    readAtMs = nowMs;
    const sample = { atMs: nowMs, ...(await readProcess(metrics)), rows: await countRows(dataDir), logLinesPerMinute };
    samples.push(sample);
    sampled(sample);
  };
  const { port } = new URL(cardService.url);
  let restarts = 0;
  const restart = async () => {
    restarts++;
    await cardService.close();
    await sleep(1_000);
    cardService = await startCardService({ ...LIMITS, port: Number(port) });
    world.cardService = cardService;
  };

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
  const code = await bot.stop();
  await Promise.all([discord.close(), cardService.close(), rm(dataDir, { recursive: true, force: true })]);
  const faults = events.filter(({ kind }) => kind === 'fault').length;
  const alarms = [...bot.alarms, ...failures, ...(code === 0 ? [] : [`the bot exited with ${code}`])];
  return { samples, commands: events.length - faults, faults, restarts, alarms };
}

function environment(discord: EmulatedDiscord, serviceUrl: string, dataDir: string): Record<string, string> {
  return {
    // As docs/configuration.md advises for small machines.
    NODE_OPTIONS: '--max-old-space-size=160 --max-semi-space-size=8',
    DISCORD_TOKEN: discord.botToken,
    DISCORD_API_URL: discord.apiUrl,
    CARD_SERVICE_URL: serviceUrl,
    CARD_SERVICE_API_KEY: SANDBOX_API_KEY,
    CARD_SERVICE_REQUESTS_PER_MINUTE: String(LIMITS.requestsPerMinute),
    CARD_SERVICE_BURST: String(LIMITS.burst),
    CARD_SERVICE_TIMEOUT_MS: '1000',
    PRICES_FRESH_SECONDS: '10',
    NOT_FOUND_FRESH_SECONDS: '5',
    MEMBER_DAILY_REQUESTS: '0',
    DATA_DIR: dataDir,
    HTTP_PORT: '0',
  };
}

async function play(events: readonly ChaosEvent[], world: ChaosWorld): Promise<void> {
  const startMs = Date.now();
  for (const event of events) {
    await sleep(Math.max(0, startMs + event.atMs - Date.now()));
    if (event.kind === 'fault') void applyFault(event.name, world, event.strength);
    else type(event, world.discord);
  }
}

function type(event: Exclude<ChaosEvent, { kind: 'fault' }>, discord: EmulatedDiscord): void {
  const guildId = discord.guilds[event.guild]?.id ?? null;
  try {
    if (event.kind === 'usage') discord.type({ command: 'usage', guildId, manageGuild: true });
    else {
      const memberId = discord.members[event.member]?.id ?? '';
      const options = { id: event.cardId, private: event.isPrivate };
      discord.type({ command: 'card', options, guildId, memberId });
    }
  } catch {
    // No bot is connected after a fault of the gateway: Discord would not have sent it.
  }
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
