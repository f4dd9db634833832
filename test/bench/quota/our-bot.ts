import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import cardCommand from '../../../commands/card.ts';
import type { Asker } from '../../../src/asker.ts';
import { readConfig } from '../../../src/config.ts';
import type { Asked, Message } from '../../../src/discord/command.ts';
import { CardServiceError } from '../../../src/errors.ts';
import { createLog } from '../../../src/log.ts';
import { openParts } from '../../../src/parts.ts';
import { REPLY_LIFE_MS } from '../../../src/replies/debt.ts';
import type { ServiceAddress, Strategy, Told } from './strategy.ts';

/**
 * The bot itself, from its command down to what it keeps; only Discord and the edits of its replies are left out.
 *
 * @param variables of the bot, over those that follow from `service`
 */
export async function ourBot(service: ServiceAddress, variables: Record<string, string> = {}): Promise<Strategy> {
  const dataDir = mkdtempSync(join(tmpdir(), 'cardbot-bench-'));
  const log = createLog({ level: 'silent', secrets: [] });
  const { parts, state } = await openParts(configFor(service, dataDir, variables), log, { fetch: service.fetch });

  const answer = async (asked: Asked): Promise<Told> => {
    const response = await cardCommand.run(asked, parts);
    if (response.kind === 'reply') return told(response.message, response.source === 'old copy');
    const { kind: _, place, ...owed } = response;
    const debt = { ...asked, ...owed, command: cardCommand.data.name, deadlineMs: asked.receivedAtMs + REPLY_LIFE_MS };
    const outcome = await place.take().then(
      (found) => ({ answer: found, asked: true }),
      (error: CardServiceError) => ({ error, asked: false }),
    );
    return told(cardCommand.pay(debt, outcome, parts), false);
  };
  return {
    ask: (cardId, asker) =>
      answer(asCommand(cardId, asker)).catch((error: unknown) => {
        if (error instanceof CardServiceError) return told({ content: error.userMessage }, false);
        throw error;
      }),
    async close() {
      parts.usage.close();
      await parts.line.close(0);
      await state.close();
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

function asCommand(cardId: string, asker: Asker): Asked {
  return {
    ...asker,
    interactionId: 'none',
    applicationId: 'none',
    token: 'none',
    locale: 'en-US',
    receivedAtMs: Date.now(),
    manageGuild: false,
    options: { getString: () => cardId, getBoolean: (name: string) => name === 'prices' },
  };
}

/** As a member reads it: a card is an embed, and a time to come back is written `<t:seconds:t>`, or `f`. */
function told({ content = '', embeds = [] }: Message, old: boolean): Told {
  const [, seconds] = /<t:(\d+):[tf]>/.exec(content) ?? [];
  if (embeds.length > 0 || seconds === undefined) return { card: embeds.length > 0, old };
  return { card: false, old, comeBackAtMs: Number(seconds) * 1000 };
}
