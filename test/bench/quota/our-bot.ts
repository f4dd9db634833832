import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import cardCommand from '../../../commands/card.ts';
import type { CommandUse, Message } from '../../../commands/command.ts';
import { type OpenServices, openServices } from '../../../src/app.ts';
import { type Config, readConfig } from '../../../src/config/config.ts';
import { createLog, type Logger } from '../../../src/log.ts';
import type { Outcomes } from '../../../src/lookup/lookups.ts';
import { Lookups } from '../../../src/lookup/lookups.ts';
import { CardServiceError } from '../../../src/model/errors.ts';
import { Events } from '../../../src/model/events.ts';
import type { Requester } from '../../../src/model/quota.ts';
import { errorMessage } from '../../../src/render/messages.ts';
import { REPLY_DEADLINE_MS } from '../../../src/replies/ports.ts';
import type { Outcome, ServiceAddress, Strategy } from './strategy.ts';

/** The variables that its requests for several cards need. */
export const LISTS = { CARD_SERVICE_BULK_PATH: '/cards?ids={ids}' };
export const WAYS = { 'this bot': {}, 'this bot with lists': LISTS } as const;
export type Way = keyof typeof WAYS;

/** What a benchmark does beside the lookups. @returns ends it */
export type Beside = (bot: OpenServices & { config: Config; events: Events; log: Logger }) => Promise<() => void>;

/**
 * The bot itself, from its commands to its storage, without Discord.
 *
 * @param variables of the bot; they override those derived from `service`
 */
export async function ourBot(
  service: ServiceAddress,
  variables: Record<string, string> = {},
  beside: Beside = async () => () => {},
): Promise<Strategy> {
  const dataDir = mkdtempSync(join(tmpdir(), 'cardbot-bench-'));
  const log = createLog({ level: 'silent', secrets: [] });
  const config = configFor(service, dataDir, variables);
  const events = new Events();
  const { services, state } = await openServices(config, log, { fetch: service.fetch, events });
  const endBeside = await beside({ services, state, config, events, log });
  const { cards, lookupQueue, ledger } = services;
  const options = { cards, lookupQueue, ledger, longestWaitMs: config.longestWaitMs };

  const answer = async (use: CommandUse): Promise<Outcome> => {
    const response = await cardCommand.ask(use, services);
    if (response.kind === 'reply') return outcomeOf(response.message, false);
    const show = (outcomes: Outcomes) =>
      cardCommand.show(response, outcomes, {
        locale: use.locale,
        quota: services.limiter.view().quota,
        currency: undefined,
        canReplyPublicly: true,
        isPrivate: false,
      });
    const opened = await Lookups.open(response.queries, use, options);
    const soFar = opened.soFar();
    const outcomes = opened.lookUpAll();
    if (soFar.cards.some((card) => card?.answer && (card.isRenewing || card.error))) {
      const shown = outcomeOf(show(soFar), true);
      void outcomes.then(({ cards }) => {
        shown.isKept = cards.some((card) => card?.error);
      });
      return shown;
    }
    return outcomeOf(show(await outcomes), false);
  };
  return {
    lookUp: (cardId, requester) =>
      answer(invocationOf(cardId, requester)).catch((error: unknown) => {
        if (error instanceof CardServiceError) return outcomeOf({ content: errorMessage('en-US', error) }, false);
        throw error;
      }),
    async close() {
      endBeside();
      events.close();
      services.usage.close();
      services.memberData.close();
      await lookupQueue.close(0);
      await state.close();
      rmSync(dataDir, { recursive: true, maxRetries: 5 }); // a worker thread may still be writing
    },
  };
}

function configFor(
  { url, requestsPerMinute, burst }: ServiceAddress,
  dataDir: string,
  variables: Record<string, string>,
) {
  return readConfig({
    DISCORD_TOKEN: 'none',
    CARD_SERVICE_URL: url,
    CARD_SERVICE_REQUESTS_PER_MINUTE: String(requestsPerMinute),
    CARD_SERVICE_BURST: String(burst),
    DATA_DIR: dataDir,
    ...variables,
  });
}

function invocationOf(cardId: string, requester: Requester): CommandUse {
  const receivedAtMs = Date.now();
  return {
    requester: { ...requester, isInstalled: true },
    server: { isPrivate: false },
    interactionId: 'none',
    webhook: { applicationId: 'none', token: 'none' },
    canReplyPublicly: true,
    command: 'card',
    locale: 'en-US',
    receivedAtMs,
    deadlineMs: receivedAtMs + REPLY_DEADLINE_MS,
    manageGuild: false,
    text: '',
    options: {
      getString: () => cardId,
      getBoolean: (name: string) => name === 'prices',
      getNumber: () => 0,
      getInteger: () => 0,
    },
  };
}

/** What a member reads: a card is an embed, and the time to come back is `<t:seconds:T>`, or with `t` or `f`. */
function outcomeOf({ content = '', embeds = [] }: Message, stale: boolean): Outcome {
  const [, seconds] = /<t:(\d+):[Ttf]>/.exec(content) ?? [];
  if (embeds.length > 0 || seconds === undefined) return { card: embeds.length > 0, stale };
  return { card: false, stale, comeBackAtMs: Number(seconds) * 1000 };
}
