import { createLog } from '../../../src/log.ts';
import type { Card } from '../../../src/model/card.ts';
import { CardService } from '../../../src/service/card-service.ts';
import type { Outcome, ServiceAddress } from './strategy.ts';

/** The bot's own client, so that strategies differ only in when they send requests. @throws as `CardService.fetch` */
export function plainClient({ url, fetch }: ServiceAddress): (cardId: string) => Promise<Card | undefined> {
  const client = new CardService({
    baseUrl: url,
    cardPath: '/cards/{id}',
    timeoutMs: 10_000,
    fetch,
    limiter: { observe: () => {} },
    log: createLog({ level: 'silent', secrets: [] }),
  });
  return async (cardId) => {
    const found = (await client.fetch([cardId])).cards.get(cardId);
    if (found instanceof Error) throw found;
    return found === 'noSuchCard' ? undefined : found;
  };
}

/** Any failure is the same to a member: "try again later". */
export function shown(card: Promise<Card | undefined>): Promise<Outcome> {
  return card.then(
    (found) => ({ card: found !== undefined, stale: false }),
    () => ({ card: false, stale: false }),
  );
}
