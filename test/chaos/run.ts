import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startCardService } from '../../src/sandbox/card-service.ts';
import { startEmulatedDiscord } from '../../src/sandbox/discord/emulated-discord.ts';
import type { TypedInteraction } from '../../src/sandbox/discord/typed-interaction.ts';
import { SANDBOX_API_KEY } from '../../src/sandbox/embedded-card-service.ts';
import { SAMPLE_CARDS } from '../../src/sandbox/sample-cards.ts';
import { registerCommands } from '../../src/sandbox/sandbox.ts';
import { spawnBot } from '../support/spawn-bot.ts';
import { applyFault, type ChaosWorld } from './faults.ts';
import { type Ending, endingOf, isFinal } from './outcome.ts';
import { type ChaosEvent, chaosSchedule } from './schedule.ts';

export interface ChaosReport {
  asked: number;
  faults: number;
  endings: Record<Ending, number>;
  /** What the lost ones looked like in the end. */
  lost: string[];
  /** Requests that the card service saw, by status; 0 = got no answer. */
  requests: Record<number, number>;
  /** What the bot logged of the ends of commands, by outcome. */
  outcomes: Record<string, number>;
  /** The bot's own words on what should never happen. */
  alarms: string[];
}

/** A day that ends every four seconds, so that a spent one is seen from its beginning to its end. */
const DAY_MS = 4_000;
const LIMITS = { requestsPerMinute: 3_000, burst: 40, requestsPerDay: 400 };
const PATIENCE_MS = 45_000;

/** Asks and breaks things as the seed says, waits until everybody has an answer, and counts. */
export async function runChaos(seed: string, seconds: number): Promise<ChaosReport> {
  const discord = await startEmulatedDiscord();
  const cardService = await startCardService({
    ...LIMITS,
    nextResetMs: (nowMs) => (Math.floor(nowMs / DAY_MS) + 1) * DAY_MS,
  });
  const dataDir = await mkdtemp(join(tmpdir(), 'cardbot-chaos-'));
  await registerCommands(discord);
  const env = {
    DISCORD_TOKEN: discord.botToken,
    DISCORD_API_URL: discord.apiUrl,
    CARD_SERVICE_URL: cardService.url,
    CARD_SERVICE_API_KEY: SANDBOX_API_KEY,
    CARD_SERVICE_REQUESTS_PER_MINUTE: String(LIMITS.requestsPerMinute),
    CARD_SERVICE_BURST: String(LIMITS.burst),
    CARD_SERVICE_TIMEOUT_MS: '400',
    PRICES_FRESH_SECONDS: '2',
    NOT_FOUND_FRESH_SECONDS: '1',
    MEMBER_DAILY_REQUESTS: '0',
    DATA_DIR: dataDir,
  };

  const asked: TypedInteraction[] = [];
  const bots = [spawnBot(env)];
  const away: { fromMs: number; toMs: number }[] = [];
  let restarting: Promise<void> | undefined;
  await discord.gateway.whenReady();

  const restart = async (signal: 'SIGKILL' | 'SIGTERM') => {
    const fromMs = Date.now();
    const last = bots.at(-1);
    last?.child.kill(signal);
    await last?.ended;
    const identified = discord.gateway.identifies;
    bots.push(spawnBot(env));
    while (discord.gateway.identifies === identified) await sleep(20);
    away.push({ fromMs, toMs: Date.now() });
  };
  const world: ChaosWorld = {
    discord,
    cardService,
    dataDir,
    restartBot(signal) {
      restarting ??= restart(signal).finally(() => {
        restarting = undefined;
      });
      return restarting;
    },
  };

  let faults = 0;
  const startMs = Date.now();
  for (const event of chaosSchedule(
    seed,
    seconds,
    SAMPLE_CARDS.map(({ id }) => id),
  )) {
    await sleep(Math.max(0, startMs + event.atMs - Date.now()));
    if (event.kind === 'fault') {
      faults++;
      void applyFault(event.name, world, event.strength);
    } else {
      asked.push(...typed(world, event));
    }
  }
  await restarting;
  cardService.set({ down: false, latencyMs: 0 });
  discord.faults.clear();
  const giveUpAtMs = Date.now() + PATIENCE_MS;
  while (Date.now() < giveUpAtMs && !asked.every(({ message }) => isFinal(message))) await sleep(50);

  const botWasAway = (fromMs: number, toMs: number) => away.some((gap) => gap.fromMs < toMs && gap.toMs > fromMs);
  const endings: Record<Ending, number> = { card: 0, sentence: 0, 'not reached': 0, lost: 0 };
  const lost: string[] = [];
  for (const { message } of asked) {
    const ending = endingOf(message, botWasAway);
    endings[ending]++;
    if (ending === 'lost')
      lost.push(`${message.commandLine}: ${message.state} ${message.content || message.failure || ''}`);
  }
  bots.at(-1)?.child.kill('SIGTERM');
  await bots.at(-1)?.ended;
  const output = bots.map((bot) => bot.output()).join('\n');
  const alarms = alarmsIn(output);
  const outcomes: Record<string, number> = {};
  for (const [, outcome = ''] of output.matchAll(/"outcome":"([^"]+)"/g))
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
  await Promise.all([discord.close(), cardService.close(), rm(dataDir, { recursive: true, force: true })]);
  return { asked: asked.length, faults, endings, lost, requests: { ...cardService.counts.byStatus }, outcomes, alarms };
}

function typed({ discord }: ChaosWorld, event: Exclude<ChaosEvent, { kind: 'fault' }>): TypedInteraction[] {
  const guildId = discord.guilds[event.guild]?.id ?? null;
  try {
    if (event.kind === 'usage') return [discord.type({ command: 'usage', guildId, manageGuild: true })];
    const memberId = discord.members[event.member]?.id ?? '';
    const options = { id: event.cardId, private: event.isPrivate };
    return [discord.type({ command: 'card', options, guildId, memberId })];
  } catch {
    return []; // no bot is connected: Discord would not have sent it
  }
}

const BUGS = new Set(['TypeError', 'RangeError', 'ReferenceError', 'SyntaxError']);

/** Lines that no fault excuses: a crash, a rejection that nobody handled, a bug in the program. */
function alarmsIn(output: string): string[] {
  return output.split('\n').filter((line) => {
    if (!line.startsWith('{')) return line !== '';
    const { level, err } = JSON.parse(line);
    return level >= 60 || BUGS.has(err?.type);
  });
}
