import { Counter, Gauge, Histogram, type Registry } from '@prometheus-io/client';
import type { Events } from '../model/events.ts';
import { BREAKER_REASONS, type Breaker, type QuotaState } from '../model/quota.ts';
import { currentQuota } from '../quota/quota.ts';

/** One attempt takes at most `CARD_SERVICE_TIMEOUT_MS`. */
const REQUEST_SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const ENDPOINTS = ['card', 'cards', 'usage'];
const USUAL_OUTCOMES = ['answered', 'RateLimited', 'KeyRefused', 'ServiceDown', 'UnexpectedAnswer'];

/** Requests to the card service, the quota and what holds requests back. @returns what ends the subscriptions */
export function serviceMetrics(registry: Registry, events: Events): (() => void)[] {
  const registers = [registry];
  const requests = new Counter({
    name: 'cardbot_service_requests_total',
    help: 'Requests to the card service by how they ended.',
    labelNames: ['endpoint', 'outcome'],
    registers,
  });
  const requestSeconds = new Histogram({
    name: 'cardbot_service_request_seconds',
    help: 'How long one request to the card service took.',
    labelNames: ['endpoint'],
    buckets: REQUEST_SECONDS,
    registers,
  });
  const cards = new Counter({
    name: 'cardbot_cards_fetched_total',
    help: 'Cards that requests brought.',
    registers,
  });
  const rateLimits = new Counter({
    name: 'cardbot_rate_limits_total',
    help: '429 answers by what they meant: a pause, or that nothing remains of the day.',
    labelNames: ['kind'],
    registers,
  });
  const permits = new Counter({
    name: 'cardbot_permits_total',
    help: 'Answers of the limiter to whoever asked for a permit.',
    labelNames: ['lane', 'result'],
    registers,
  });
  const queue = new Gauge({ name: 'cardbot_queue_length', help: 'Cards that wait for a permit.', registers });
  for (const endpoint of ENDPOINTS) for (const outcome of USUAL_OUTCOMES) requests.inc({ endpoint, outcome }, 0);
  for (const kind of ['pause', 'day']) rateLimits.inc({ kind }, 0);

  return [
    events.subscribe('request', ({ endpoint, outcome, tookMs, cards: brought }) => {
      requests.inc({ endpoint, outcome });
      requestSeconds.observe({ endpoint }, tookMs / 1000);
      cards.inc(brought);
    }),
    events.subscribe('rateLimit', ({ kind }) => rateLimits.inc({ kind })),
    events.subscribe('permit', ({ lane, result }) => permits.inc({ lane, result })),
    events.subscribe('queue', ({ length }) => queue.set(length)),
    limiterMetrics(registry, events),
  ];
}

/** What the limiter last said, as of the moment it is read: figures of a window that is over are not a number. */
function limiterMetrics(registry: Registry, events: Events): () => void {
  let quota: QuotaState | undefined;
  let breaker: Breaker | undefined;
  const gauge = (name: string, help: string, read: (known: QuotaState) => number | undefined) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        const known = currentQuota(quota, Date.now());
        this.set((known && read(known)) ?? Number.NaN);
      },
    });
  gauge('cardbot_quota_limit', "The day's requests; NaN while unknown.", ({ limit }) => limit);
  gauge(
    'cardbot_quota_remaining',
    "What remains of the day's requests; NaN while unknown.",
    ({ remaining }) => remaining,
  );
  gauge(
    'cardbot_quota_reset_seconds',
    "Seconds until the day's requests reset; NaN while unknown.",
    ({ resetsAtMs }) => (resetsAtMs === undefined ? undefined : (resetsAtMs - Date.now()) / 1000),
  );
  new Gauge({
    name: 'cardbot_breaker_open',
    help: '1 while the circuit breaker holds requests back for that reason.',
    labelNames: ['reason'],
    registers: [registry],
    collect() {
      for (const reason of BREAKER_REASONS) this.set({ reason }, breaker?.reason === reason ? 1 : 0);
    },
  });
  return events.subscribe('limiter', (known) => {
    quota = known.quota;
    breaker = known.breaker;
  });
}
