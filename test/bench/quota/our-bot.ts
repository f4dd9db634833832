import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import cardCommand from '../../../commands/card.ts';
import { openServices } from '../../../src/app.ts';
import { readConfig } from '../../../src/config/config.ts';
import type { Message, SlashInvocation } from '../../../src/discord/interactions/command.ts';
import { createLog } from '../../../src/log.ts';
import type { CardQuery, CardRecord } from '../../../src/model/card.ts';
import { CardServiceError, Stopping } from '../../../src/model/errors.ts';
import type { Requester } from '../../../src/model/quota.ts';
import { errorMessage } from '../../../src/render/messages.ts';
import { REPLY_DEADLINE_MS } from '../../../src/replies/deferred-reply.ts';
import type { Outcome, ServiceAddress, Strategy } from './strategy.ts';

interface DeferredLookup extends Requester {
  query: CardQuery;
  deadlineMs: number;
}

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
  /** As the next process does with the deferred replies of one that has stopped. */
  const lookUpAgain = async ({ query, deadlineMs, memberId, guildId }: DeferredLookup): Promise<CardRecord> => {
    const { services } = await running;
    return services.lookupQueue.enqueue({ ...query, lane: 'members', requester: { memberId, guildId }, deadlineMs });
  };
  const answer = async (invocation: SlashInvocation): Promise<Outcome> => {
    const { services } = await running;
    const response = await cardCommand.run(invocation, services);
    if (response.kind === 'reply') return outcomeOf(response.message, response.source === 'stale');
    const { kind: _, reservation, ...reply } = response;
    const deferred = {
      ...invocation,
      ...reply,
      command: cardCommand.data.name,
    };
    const outcome = await reservation
      .start()
      .catch((error: unknown) => {
        if (!(error instanceof Stopping)) throw error;
        return lookUpAgain(deferred);
      })
      .then(
        (found) => ({ answer: found, requested: true }),
        (error: CardServiceError) => ({ error, requested: false }),
      );
    return outcomeOf(cardCommand.complete(deferred, outcome, services), false);
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

function invocationOf(cardId: string, requester: Requester): SlashInvocation {
  const receivedAtMs = Date.now();
  return {
    ...requester,
    interactionId: 'none',
    applicationId: 'none',
    token: 'none',
    locale: 'en-US',
    receivedAtMs,
    deadlineMs: receivedAtMs + REPLY_DEADLINE_MS,
    manageGuild: false,
    options: { getString: () => cardId, getBoolean: (name: string) => name === 'prices' },
  };
}

/** What a member reads: a card is an embed, and the time to come back is `<t:seconds:t>` or `<t:seconds:f>`. */
function outcomeOf({ content = '', embeds = [] }: Message, stale: boolean): Outcome {
  const [, seconds] = /<t:(\d+):[tf]>/.exec(content) ?? [];
  if (embeds.length > 0 || seconds === undefined) return { card: embeds.length > 0, stale };
  return { card: false, stale, comeBackAtMs: Number(seconds) * 1000 };
}
