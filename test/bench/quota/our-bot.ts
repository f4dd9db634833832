import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import cardCommand from '../../../commands/card.ts';
import type { CommandUse, Message, Services } from '../../../commands/command.ts';
import { openServices } from '../../../src/app.ts';
import { readConfig } from '../../../src/config/config.ts';
import { createLog } from '../../../src/log.ts';
import { Lookups } from '../../../src/lookup/lookups.ts';
import type { Outcomes } from '../../../src/lookup/shown-so-far.ts';
import { CardServiceError, Stopping } from '../../../src/model/errors.ts';
import type { Requester } from '../../../src/model/quota.ts';
import { errorMessage } from '../../../src/render/messages.ts';
import { REPLY_DEADLINE_MS } from '../../../src/replies/reply-journal.ts';
import type { Outcome, ServiceAddress, Strategy } from './strategy.ts';

/** As the bot gives requests under way when it is stopped. */
const GRACE_MS = 4_000;

/** The bot, which can be stopped and started again while members wait. */
export interface OurBot extends Strategy {
  restart(): Promise<void>;
}

/**
 * The bot itself, from its commands to its storage, without Discord.
 *
 * @param variables of the bot; they override those derived from `service`
 */
export async function ourBot(service: ServiceAddress, variables: Record<string, string> = {}): Promise<OurBot> {
  const dataDir = mkdtempSync(join(tmpdir(), 'cardbot-bench-'));
  const log = createLog({ level: 'silent', secrets: [] });
  const start = () => openServices(configFor(service, dataDir, variables), log, { fetch: service.fetch });
  let running = start();

  const stop = async (graceMs: number) => {
    const { services, state } = await running;
    services.usage.close();
    services.memberData.close();
    await services.lookupQueue.close(graceMs);
    await state.close();
  };
  const lookups = ({ cards, lookupQueue, ledger }: Services) => ({
    cards,
    lookupQueue,
    ledger,
    longestWaitMs: 300_000,
  });
  const answer = async (use: CommandUse): Promise<Outcome> => {
    const { services } = await running;
    const response = await cardCommand.ask(use, services);
    if ('message' in response) return outcomeOf(response.message, false);
    const show = (outcomes: Outcomes) =>
      cardCommand.show(response, outcomes, {
        locale: use.locale,
        quota: services.limiter.quota(),
        currency: undefined,
        hasPrintings: false,
      });
    const opened = await Lookups.open(response.queries, use, lookups(services), response.alreadyRead);
    const soFar = opened.soFar();
    const outcomes = opened.lookUpAll();
    if (soFar.cards.some((card) => card?.answer && (card.isRenewing || card.error)))
      return outcomeOf(show(soFar), true);
    const ended = await outcomes;
    if (!ended.cards.some((card) => card?.error instanceof Stopping)) return outcomeOf(show(ended), false);
    // As the next process does with the deferred replies of one that has stopped.
    const next = await running;
    const resumed = await Lookups.resume(response.queries, use, lookups(next.services));
    return outcomeOf(show(await resumed.lookUpAll()), false);
  };
  return {
    lookUp: (cardId, requester) =>
      answer(invocationOf(cardId, requester)).catch((error: unknown) => {
        if (error instanceof CardServiceError) return outcomeOf({ content: errorMessage('en-US', error) }, false);
        throw error;
      }),
    async restart() {
      running = stop(GRACE_MS).then(start);
      await running;
    },
    async close() {
      await stop(0);
      rmSync(dataDir, { recursive: true });
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
    ...requester,
    interactionId: 'none',
    applicationId: 'none',
    token: 'none',
    command: 'card',
    locale: 'en-US',
    receivedAtMs,
    deadlineMs: receivedAtMs + REPLY_DEADLINE_MS,
    manageGuild: false,
    text: '',
    options: { getString: () => cardId, getBoolean: (name: string) => name === 'prices' },
  };
}

/** What a member reads: a card is an embed, and the time to come back is `<t:seconds:t>` or `<t:seconds:f>`. */
function outcomeOf({ content = '', embeds = [] }: Message, stale: boolean): Outcome {
  const [, seconds] = /<t:(\d+):[tf]>/.exec(content) ?? [];
  if (embeds.length > 0 || seconds === undefined) return { card: embeds.length > 0, stale };
  return { card: false, stale, comeBackAtMs: Number(seconds) * 1000 };
}
