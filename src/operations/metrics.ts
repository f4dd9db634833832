import { Registry } from '@prometheus-io/client';
import type { Events } from '../model/events.ts';
import { commandMetrics } from './command-metrics.ts';
import { discordMetrics } from './discord-metrics.ts';
import { processMetrics } from './process-metrics.ts';
import { serviceMetrics } from './service-metrics.ts';
import { storeMetrics } from './store-metrics.ts';

export interface MetricsOptions {
  events: Events;
  /** Other names are counted as `other`. */
  commandNames: readonly string[];
  usesRedis: boolean;
}

/** What Prometheus reads, counted from the events of one bot. */
export class Metrics {
  readonly #registry = new Registry();
  readonly #ends: (() => void)[];
  #reading: Promise<string> | undefined;

  constructor({ events, commandNames, usesRedis }: MetricsOptions) {
    this.#ends = [
      ...commandMetrics(this.#registry, events, commandNames),
      ...serviceMetrics(this.#registry, events),
      ...storeMetrics(this.#registry, events, usesRedis),
      ...discordMetrics(this.#registry, events),
      processMetrics(this.#registry, usesRedis),
    ];
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  /** Of several readers at once, all get the same text. */
  text(): Promise<string> {
    this.#reading ??= this.#registry.metrics().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  close(): void {
    for (const end of this.#ends) end();
  }
}
