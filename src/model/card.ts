/** What a card is worth; an absent figure was not given. The currency is not part of the service's answer. */
export interface Prices {
  market?: number | undefined;
  low?: number | undefined;
  high?: number | undefined;
}

export interface Card {
  id: string;
  name: string;
  /** The trading card game that it belongs to. */
  game: string;
  set: { id: string; name: string };
  /** As the service writes it: `<number>/<set size>`. */
  number?: string | undefined;
  rarity?: string | undefined;
  imageUrl?: string | undefined;
  prices?: Prices | undefined;
}

/** What a member wants to see of which card. */
export interface CardQuery {
  cardId: string;
  showPrices: boolean;
}

/** What the service said about one id, as it is remembered and shown. */
export interface CardRecord {
  /** `undefined`: there is no such card. */
  card: Card | undefined;
  /** When the service said so; the prices are as old as this. */
  fetchedAtMs: number;
  /** When the service last denied a card of which we hold a copy. */
  delistedAtMs?: number | undefined;
}

/** The plan's usage report. The interface names no required field, so each may be absent. */
export interface Usage {
  plan?: string | undefined;
  period?: { startMs?: number | undefined; endMs?: number | undefined } | undefined;
  requests?: { used?: number | undefined; limit?: number | undefined; remaining?: number | undefined } | undefined;
}
