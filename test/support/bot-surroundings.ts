import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { startCardService } from '../../src/sandbox/card-service.ts';
import { startEmulatedDiscord } from '../../src/sandbox/discord/emulated-discord.ts';
import { SANDBOX_API_KEY } from '../../src/sandbox/embedded-card-service.ts';
import { registerCommands } from '../../src/sandbox/sandbox.ts';

/** What a bot needs around it, and the environment that takes a process there. All gone when the test ends. */
export async function botSurroundings() {
  const discord = await startEmulatedDiscord();
  const cardService = await startCardService();
  const dataDir = await mkdtemp(join(tmpdir(), 'cardbot-test-'));
  onTestFinished(async () => {
    await Promise.all([discord.close(), cardService.close(), rm(dataDir, { recursive: true })]);
  });
  await registerCommands(discord);
  const env = {
    DISCORD_TOKEN: discord.botToken,
    DISCORD_API_URL: discord.apiUrl,
    CARD_SERVICE_URL: cardService.url,
    CARD_SERVICE_API_KEY: SANDBOX_API_KEY,
    DATA_DIR: dataDir,
  };
  return { discord, cardService, env };
}
