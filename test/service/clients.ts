import { type ListeningCardService, SANDBOX_API_KEY, startCardService } from '../../sandbox/service/service.ts';
import type { Card } from '../../src/model/card.ts';
import type { QuotaReading } from '../../src/model/quota.ts';
import { CardService, type CardServiceOptions } from '../../src/service/card-service.ts';
import { described, type Replaced } from '../support/described.ts';
import { logLines } from '../support/log-lines.ts';

type ClientOptions = Partial<CardServiceOptions> & Replaced;

/** The client with the embedded service to ask, and every reading of the headers that it reported. */
export interface Pair {
  service: ListeningCardService;
  client: CardService;
  readings: QuotaReading[];
}

export async function startPair(options: ClientOptions = {}): Promise<Pair> {
  const service = await startCardService();
  const readings: QuotaReading[] = [];
  return {
    service,
    readings,
    client: clientOf(service.url, { limiter: { observe: (it) => void readings.push(it) }, ...options }),
  };
}

export function clientOf(
  baseUrl: string,
  { cardPath, bulkPath, bulkMax, ...options }: ClientOptions = {},
): CardService {
  const usual = {
    apiKey: SANDBOX_API_KEY,
    timeoutMs: 5_000,
    limiter: { observe: () => {} },
    log: logLines().log,
  };
  const description = described({ ...(cardPath && { cardPath }), bulkPath, bulkMax });
  return new CardService({ baseUrl, description, ...usual, ...options });
}

/** One card, or the error of its request, whether or not it concerns this id alone. */
export async function cardOf(client: CardService, id: string, signal?: AbortSignal): Promise<Card | 'noSuchCard'> {
  const found = (await client.fetch([id], signal)).cards.get(id);
  if (found === undefined || found instanceof Error) throw found;
  return found;
}
