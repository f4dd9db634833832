import type { Card } from '../../../src/model/card.ts';
import { CardService } from '../../../src/service/card-service.ts';
import type { Outcome, ServiceAddress } from './strategy.ts';

/** The bot's own client, so that strategies differ only in when they send requests. @throws as `CardService.card` */
export function plainClient({ url, fetch }: ServiceAddress): (cardId: string) => Promise<Card | undefined> {
  const client = new CardService({
    baseUrl: url,
    cardPath: '/cards/{id}',
    timeoutMs: 10_000,
    fetch,
    limiter: { observe: () => {} },
    onNoSuchCard: () => {},
  });
  return (cardId) => client.card(cardId, { includePrices: true });
}

/** Any failure is the same to a member: "try again later". */
export function shown(card: Promise<Card | undefined>): Promise<Outcome> {
  return card.then(
    (found) => ({ card: found !== undefined, stale: false }),
    () => ({ card: false, stale: false }),
  );
}
