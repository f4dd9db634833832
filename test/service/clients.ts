import { type ListeningCardService, SANDBOX_API_KEY } from '../../sandbox/service/service.ts';
import type { Card } from '../../src/model/card.ts';
import type { QuotaReading } from '../../src/model/quota.ts';
import { CardService } from '../../src/service/card-service.ts';
import type { CardServiceOptions } from '../../src/service/request.ts';
import { startService } from '../support/backends.ts';
import { described, type Replaced } from '../support/described.ts';
import { logLines } from '../support/log-lines.ts';

type ClientOptions = Partial<CardServiceOptions> & Replaced;

/** A client, and every reading of the headers that it reported, and every line of its log. */
export function reporting(options: Omit<CardServiceOptions, 'limiter' | 'log'> & Partial<CardServiceOptions>) {
  const readings: QuotaReading[] = [];
  const { log, lines } = logLines();
  const limiter = { observe: (reading: QuotaReading) => void readings.push(reading) };
  return { client: new CardService({ limiter, log, ...options }), readings, lines };
}

/** The same with the embedded service to ask, which is closed when the test or, from `beforeAll`, the file ends. */
export interface Pair extends ReturnType<typeof reporting> {
  service: ListeningCardService;
}

export async function startPair(options: ClientOptions = {}): Promise<Pair> {
  const service = await startService();
  return { service, ...reporting(usual(service.url, options)) };
}

export function clientOf(baseUrl: string, options: ClientOptions = {}): CardService {
  return reporting(usual(baseUrl, options)).client;
}

function usual(baseUrl: string, { cardPath, bulkPath, bulkMax, ...options }: ClientOptions) {
  const description = described({ ...(cardPath && { cardPath }), bulkPath, bulkMax });
  return { baseUrl, description, apiKey: SANDBOX_API_KEY, timeoutMs: 5_000, ...options };
}

/** One card, or the error of its request, whether or not it concerns this id alone. */
export async function cardOf(client: CardService, id: string, signal?: AbortSignal): Promise<Card | 'noSuchCard'> {
  const found = (await client.fetch([id], signal)).cards.get(id);
  if (found === undefined || found instanceof Error) throw found;
  return found;
}
