import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { openServices } from '../../src/app.ts';
import { readConfig } from '../../src/config/config.ts';
import type { SlashInvocation } from '../../src/discord/interactions/command.ts';
import { createCardService } from '../../src/sandbox/card-service.ts';
import { SANDBOX_API_KEY } from '../../src/sandbox/embedded-card-service.ts';
import { logLines } from '../support/log-lines.ts';

/** What a command is given by app.ts, over the embedded card service; `key` is sent unless it is undefined. */
export async function startServices(env: Record<string, string> = {}, key: string | undefined = SANDBOX_API_KEY) {
  const dataDir = mkdtempSync(join(tmpdir(), 'commands-'));
  const cardService = createCardService();
  const config = readConfig({
    DISCORD_TOKEN: 'none',
    CARD_SERVICE_URL: 'http://cards.test',
    ...(key && { CARD_SERVICE_API_KEY: key }),
    DATA_DIR: dataDir,
    ...env,
  });
  const { services, state } = await openServices(config, logLines().log, { fetch: cardService.fetch });
  onTestFinished(async () => {
    services.usage.close();
    services.memberData.close();
    await services.lookupQueue.close(0);
    await state.close();
    rmSync(dataDir, { recursive: true });
  });
  return { services, cardService };
}

/** A typed command; the options are those given. */
export function invocation(
  options: Record<string, string | boolean>,
  more: Partial<SlashInvocation> = {},
): SlashInvocation {
  const receivedAtMs = Date.now();
  const read = (name: string) => options[name] ?? null;
  return {
    interactionId: '1',
    applicationId: '2',
    token: 'token',
    memberId: 'alice',
    guildId: 'guild',
    locale: 'en-US',
    receivedAtMs,
    deadlineMs: receivedAtMs + 60_000,
    manageGuild: false,
    options: { getString: read, getBoolean: read } as SlashInvocation['options'],
    ...more,
  };
}
