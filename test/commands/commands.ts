import type { CommandUse, ComponentUse, Message, View } from '../../commands/command.ts';
import { SANDBOX_API_KEY } from '../../sandbox/service/service.ts';
import type { Requester } from '../../src/model/quota.ts';
import { openedServices } from '../support/opened-services.ts';

/** What a command is given by app.ts; `key` is sent unless it is undefined. */
export function startServices(env: Record<string, string> = {}, key: string | undefined = SANDBOX_API_KEY) {
  return openedServices({ ...(key && { CARD_SERVICE_API_KEY: key }), ...env });
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
