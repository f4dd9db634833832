import type { readCardServiceConfig } from '../../config/config.ts';
import { CardServiceError } from '../../model/errors.ts';
import { cardUrl } from '../../service/card-service.ts';
import { request, type ServiceResponse } from '../../service/request.ts';

/** An answer, or why there is none. */
export type Observed = Pick<ServiceResponse, 'status' | 'headers' | 'body' | 'receivedAtMs'> | { failure: string };

/** What a real service answered to three requests. */
export interface Observations {
  /** A card that should exist, with the key. */
  card: Observed;
  /** One that cannot exist, without the key. */
  noSuchCard: Observed;
  /** The usage report; `undefined` without a key. */
  usage: Observed | undefined;
}

/** For all requests together: somebody waits at a terminal. */
const RUN_TIMEOUT_MS = 30_000;
/** No service has a card of this id. */
const NO_CARD_ID = 'cardbot-contract-check-no-such-card';

/** Costs three requests of the quota, or two without a key, one after the other. */
export async function observe(
  service: ReturnType<typeof readCardServiceConfig>,
  cardId: string,
): Promise<Observations> {
  const { baseUrl, cardPath, apiKey } = service;
  const deadlineMs = performance.now() + RUN_TIMEOUT_MS;
  const ask = async (url: URL, key: string | undefined): Promise<Observed> => {
    const timeoutMs = Math.ceil(Math.max(0, Math.min(service.timeoutMs, deadlineMs - performance.now())));
    try {
      return await request(url, { apiKey: key, timeoutMs, limiter: { observe() {} } });
    } catch (error) {
      if (error instanceof CardServiceError) return { failure: error.message };
      throw error;
    }
  };
  const lookup = (id: string) => {
    const url = cardUrl(baseUrl, cardPath, id);
    url.searchParams.set('includePrices', 'true');
    return url;
  };
  const card = await ask(lookup(cardId), apiKey);
  const noSuchCard = await ask(lookup(NO_CARD_ID), undefined);
  const usage = apiKey === undefined ? undefined : await ask(new URL(`${baseUrl}/v1/usage`), apiKey);
  return { card, noSuchCard, usage };
}
