import { Counter, Gauge, type Registry } from '@prometheus-io/client';
import type { Events, StoreEvent } from '../model/events.ts';

/** What the cache answered, what it saved, and the stores below it. @returns what ends the subscriptions */
export function storeMetrics(registry: Registry, events: Events, usesRedis: boolean): (() => void)[] {
  const registers = [registry];
  const known = new Counter({
    name: 'cardbot_cache_answers_total',
    help: 'What was known of a card when a command asked for it.',
    labelNames: ['kind'],
    registers,
  });
  const saved = new Counter({
    name: 'cardbot_requests_saved_total',
    help: 'Answers without a request of their own: from the cache, or by joining a lookup that was under way.',
    registers,
  });
  const errors = new Counter({
    name: 'cardbot_store_errors_total',
    help: 'Failures of a store; of Redis, its outages.',
    labelNames: ['store'],
    registers,
  });
  const works = new Gauge({
    name: 'cardbot_store_works',
    help: '1 while a store works, 0 after a failure.',
    labelNames: ['store'],
    registers,
  });
  for (const kind of ['fresh', 'stale', 'missing']) known.inc({ kind }, 0);
  const stores: StoreEvent['store'][] = usesRedis ? ['cards', 'redis'] : ['cards', 'state'];
  for (const store of stores) {
    errors.inc({ store }, 0);
    works.set({ store }, store === 'redis' ? 0 : 1); // Redis is reached later
  }

  return [
    events.subscribe('known', ({ kind }) => known.inc({ kind })),
    events.subscribe('saved', () => saved.inc()),
    events.subscribe('store', ({ store, works: isWorking }) => {
      works.set({ store }, isWorking ? 1 : 0);
      if (!isWorking) errors.inc({ store });
    }),
  ];
}
