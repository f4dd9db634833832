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
import { PATIENT } from './patient-discord.ts';
import { whenOver } from './when-over.ts';

/** What a bot process lives between, and the environment that tells it so; all gone when the test is over. */
export interface Surroundings {
  discord: EmulatedDiscord;
  cardService: ListeningCardService;
  env: Record<string, string> & { DISCORD_TOKEN: string; DATA_DIR: string };
}

/** @param overrides variables of the bot over those that follow from `service` */
export async function startSurroundings(
  service: CardServiceOptions = {},
  overrides: Record<string, string> = {},
  discordOptions: EmulatedDiscordOptions = {},
): Promise<Surroundings> {
  const discord = await startEmulatedDiscord({ lifetimes: PATIENT, ...discordOptions });
  const cardService = await startCardService({ ...LONG_DAY, ...service });
  const dataDir = await mkdtemp(join(tmpdir(), 'cardbot-test-'));
  whenOver(async () => {
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
