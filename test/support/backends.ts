import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type CardServiceOptions,
  type ListeningCardService,
  startCardService,
} from '../../src/sandbox/card-service.ts';
import {
  type EmulatedDiscord,
  type EmulatedDiscordOptions,
  startEmulatedDiscord,
} from '../../src/sandbox/discord/emulated-discord.ts';
import { SANDBOX_API_KEY } from '../../src/sandbox/embedded-card-service.ts';
import { registerCommands } from '../../src/sandbox/sandbox.ts';
import { LONG_DAY } from './long-day.ts';
import { onFinished } from './on-finished.ts';
import { PATIENT } from './patient-discord.ts';

/** The servers that a bot process talks to, and the environment that points it at them; closed when the test ends. */
export interface Backends {
  discord: EmulatedDiscord;
  cardService: ListeningCardService;
  env: Record<string, string> & { DISCORD_TOKEN: string; DATA_DIR: string };
}

/** @param overrides variables of the bot; they override those derived from `service` */
export async function startBackends(
  service: CardServiceOptions = {},
  overrides: Record<string, string> = {},
  discordOptions: EmulatedDiscordOptions = {},
): Promise<Backends> {
  const discord = await startEmulatedDiscord({ lifetimes: PATIENT, ...discordOptions });
  const cardService = await startCardService({ ...LONG_DAY, ...service });
  const dataDir = await mkdtemp(join(tmpdir(), 'cardbot-test-'));
  onFinished(async () => {
    await Promise.all([discord.close(), cardService.close(), rm(dataDir, { recursive: true, force: true })]);
  });
  await registerCommands(discord);
  const pace = {
    ...(service.requestsPerMinute && { CARD_SERVICE_REQUESTS_PER_MINUTE: String(service.requestsPerMinute) }),
    ...(service.burst && { CARD_SERVICE_BURST: String(service.burst) }),
  };
  const env = {
    DISCORD_TOKEN: discord.botToken,
    DISCORD_API_URL: discord.apiUrl,
    CARD_SERVICE_URL: cardService.url,
    CARD_SERVICE_API_KEY: SANDBOX_API_KEY,
    MEMBER_DAILY_REQUESTS: '0',
    DATA_DIR: dataDir,
    ...pace,
    ...overrides,
  };
  return { discord, cardService, env };
}
