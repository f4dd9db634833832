import type { Events } from '../model/events.ts';

/** Whether the bot can be of use now. */
export interface Readiness {
  ready: boolean;
  /** Every shard of this process receives commands. */
  gateway: boolean;
  /** What replies and counts are kept in can be written. The card store does not count: without it the bot only asks more. */
  store: boolean;
  /** Where it is not ready. */
  reason?: string;
}

/** Follows the gateway and the stores by their events. */
export class Health {
  readonly #shards = new Map<number, boolean>();
  /** Stores, with what is wrong. */
  readonly #failing = new Map<string, string>();

  /** @param usesRedis it does not work until it is reached */
  constructor(events: Events, usesRedis: boolean) {
    if (usesRedis) this.#failing.set('redis', unusable('redis'));
    events.subscribe('gateway', ({ shard, state }) => void this.#shards.set(shard, state === 'ready'));
    events.subscribe('store', ({ store, works, reason = unusable(store) }) => {
      if (works) this.#failing.delete(store);
      else if (store !== 'cards') this.#failing.set(store, reason);
    });
  }

  readiness(): Readiness {
    const gateway = this.#shards.size > 0 && [...this.#shards.values()].every(Boolean);
    const [reason = gateway ? undefined : 'not connected to Discord'] = this.#failing.values();
    const store = this.#failing.size === 0;
    return { ready: gateway && store, gateway, store, ...(reason && { reason }) };
  }
}

function unusable(store: string): string {
  return `${store} cannot be used: see the log`;
}
