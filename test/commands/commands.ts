import { onTestFinished } from 'vitest';
import type { CommandUse, ComponentUse, Message, View } from '../../commands/command.ts';
import { EmbeddedCardService, SANDBOX_API_KEY } from '../../sandbox/service/service.ts';
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

/** A button or a menu that was used. */
export function pressed(
  argument: string,
  values: readonly string[] = [],
  more: Partial<ComponentUse & Requester> = {},
): ComponentUse {
  return { ...typed({}, more), argument, values, content: '', manageMessages: false, ...more };
}

/** How a reply is shown that everybody sees. */
export const PUBLIC: View = {
  ...{ locale: 'en-US', quota: undefined, currency: undefined },
  ...{ canReplyPublicly: true, isPrivate: false },
};

/** The custom ids of each row of a message. */
export function idsOf({ components = [] }: Message) {
  return components.map((row) => row.components.map((part) => 'custom_id' in part && part.custom_id));
}
