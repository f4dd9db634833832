import { CardService, type CardServiceOptions } from './embedded-card-service.ts';
import { serve } from './service-server.ts';

export type { CardServiceOptions } from './embedded-card-service.ts';

/** The card data service without a socket. */
export type EmbeddedCardService = CardService;

export interface ListeningCardService extends EmbeddedCardService {
  /** Base address without trailing slash. */
  readonly url: string;
  close(): Promise<void>;
}

/** @throws RangeError for an invalid option. */
export function createCardService(options: CardServiceOptions = {}): EmbeddedCardService {
  return new CardService(options);
}

/**
 * Serves the card service on 127.0.0.1; `port` 0 (the default) takes any free one.
 *
 * @throws RangeError for an invalid option, or the system's error when the port is taken.
 */
export async function startCardService(
  options: CardServiceOptions & { port?: number } = {},
): Promise<ListeningCardService> {
  const service = createCardService(options);
  return Object.assign(service, await serve(service.answer, options.port ?? 0));
}
