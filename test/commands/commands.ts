import { onTestFinished } from 'vitest';
import type { CommandUse } from '../../commands/command.ts';
import { EmbeddedCardService, SANDBOX_API_KEY } from '../../sandbox/card-service.ts';
import { openServices } from '../../src/app.ts';
import { readConfig } from '../../src/config/config.ts';
import { Events } from '../../src/model/events.ts';
import type { Requester } from '../../src/model/quota.ts';
import { logLines } from '../support/log-lines.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** What a command is given by app.ts, over the embedded card service; `key` is sent unless it is undefined. */
export async function startServices(env: Record<string, string> = {}, key: string | undefined = SANDBOX_API_KEY) {
  const cardService = new EmbeddedCardService();
  const config = readConfig({
    DISCORD_TOKEN: 'none',
    CARD_SERVICE_URL: 'http://cards.test',
    ...(key && { CARD_SERVICE_API_KEY: key }),
    DATA_DIR: temporaryFolder(),
    ...env,
  });
  const events = new Events();
  const { services, state } = await openServices(config, logLines().log, { fetch: cardService.fetch, events });
  onTestFinished(async () => {
    services.usage.close();
    services.memberData.close();
    await services.lookupQueue.close(0);
    await state.close();
  });
  return { services, cardService, events };
}

/** A typed `/card`, or another command; the options are those given. */
export function typed(
  options: Record<string, string | boolean | number>,
  { memberId = 'alice', guildId = 'guild', ...more }: Partial<CommandUse & Requester> = {},
): CommandUse {
  const receivedAtMs = Date.now();
  const read = (name: string) => options[name] ?? null;
  return {
    ...{ interactionId: '1', webhook: { applicationId: '2', token: 'token' }, command: 'card' },
    ...{
      requester: { memberId, guildId, isInstalled: true },
      canReplyPublicly: true,
      locale: 'en-US',
      receivedAtMs,
      deadlineMs: receivedAtMs + 60_000,
      manageGuild: false,
      server: { isPrivate: false },
    },
    options: { getString: read, getBoolean: read, getNumber: read, getInteger: read } as CommandUse['options'],
    text: '',
    ...more,
  };
}
