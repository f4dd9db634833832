import { onTestFinished } from 'vitest';
import type { CommandUse, Deletion, Form, Message, Reply, Services } from '../../commands/command.ts';
import { commands } from '../../commands/index.ts';
import { EmbeddedCardService, SANDBOX_API_KEY } from '../../sandbox/card-service.ts';
import { openServices } from '../../src/app.ts';
import { readConfig } from '../../src/config/config.ts';
import { replyRenderer } from '../../src/discord/interactions/dispatch.ts';
import { type CommandEvent, Events, type Source } from '../../src/model/events.ts';
import type { Asked } from '../../src/model/invocation.ts';
import type { Requester } from '../../src/model/quota.ts';
import { CommandReplies } from '../../src/replies/command-replies.ts';
import { NO_JOURNAL } from '../replies/replies-over.ts';
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

/** What a member sees of a reply. */
export interface Shown {
  /** "thinking…" was shown first. */
  isDeferred: boolean;
  isPrivate: boolean;
  source: Source;
  /** The first message, and the last. */
  first: Message;
  last: Message;
}

/** What becomes of a use of a command: every reply is shown by Discord. */
export async function shown(
  use: CommandUse,
  asked: Promise<Asked | Reply | Deletion | Form>,
  { cards, lookupQueue, ledger, catalog, ...services }: Services,
): Promise<Shown> {
  const response = await asked;
  if ('kind' in response) throw new Error('deletes its message');
  const messages: Message[] = [];
  let isDeferred = false;
  let isPrivate = false;
  const events = new Events();
  const ends: CommandEvent[] = [];
  onTestFinished(events.subscribe('command', (end) => void ends.push(end)));
  onTestFinished(events.subscribe('shown', catalog.shown));
  const edit = async (_: unknown, message: unknown) => {
    messages.push(message as Message);
    return 'shown' as const;
  };
  const replies = new CommandReplies({
    lookups: { cards, lookupQueue, ledger, longestWaitMs: 300_000 },
    journal: NO_JOURNAL,
    sender: {
      async reply(_, message, toOne) {
        messages.push(message as Message);
        isPrivate = toOne;
        return { shown: true };
      },
      async defer(reply) {
        isDeferred = true;
        isPrivate = reply.asked.isPrivate;
        return { shown: true };
      },
      edit,
      complete: edit,
      deleteSource: async () => ({}),
      delete: async () => true,
      read: async () => ({ content: '', embeds: [] }),
    },
    render: replyRenderer(commands, services),
    events,
    log: logLines().log,
  });
  if ('message' in response) await replies.reply(use, response, { outcome: 'answered' });
  else await replies.answer(use, response);
  await replies.settled();
  const { source = 'bot' } = ends[0] ?? {};
  return { isDeferred, isPrivate, source, first: messages[0] ?? {}, last: messages.at(-1) ?? {} };
}
