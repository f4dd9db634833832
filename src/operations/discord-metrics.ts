import { Counter, Gauge, Histogram, type Registry } from '@prometheus-io/client';
import type { Events } from '../model/events.ts';

const REQUEST_SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

/** Requests to Discord, and the gateway by shard. @returns what ends the subscriptions */
export function discordMetrics(registry: Registry, events: Events): (() => void)[] {
  const registers = [registry];
  const requests = new Counter({
    name: 'cardbot_discord_requests_total',
    help: 'Requests to Discord by their status; "none" without an answer.',
    labelNames: ['call', 'status'],
    registers,
  });
  const requestSeconds = new Histogram({
    name: 'cardbot_discord_request_seconds',
    help: 'How long one request to Discord took.',
    labelNames: ['call'],
    buckets: REQUEST_SECONDS,
    registers,
  });
  const ready = new Gauge({
    name: 'cardbot_gateway_ready',
    help: '1 while the shard receives commands.',
    labelNames: ['shard'],
    registers,
  });
  const lost = new Counter({
    name: 'cardbot_gateway_closed_total',
    help: 'Connections to the gateway that ended.',
    labelNames: ['shard'],
    registers,
  });
  const heartbeat = new Gauge({
    name: 'cardbot_gateway_heartbeat_seconds',
    help: 'How long Discord took to answer the last heartbeat of the shard.',
    labelNames: ['shard'],
    registers,
  });
  for (const call of ['callback', 'edit']) requests.inc({ call, status: '429' }, 0);

  return [
    events.subscribe('discordRequest', ({ call, status, tookMs }) => {
      requests.inc({ call, status: String(status ?? 'none') });
      requestSeconds.observe({ call }, tookMs / 1000);
    }),
    events.subscribe('gateway', ({ shard, state }) => {
      ready.set({ shard }, state === 'ready' ? 1 : 0);
      lost.inc({ shard }, state === 'closed' ? 1 : 0);
    }),
    events.subscribe('heartbeat', ({ shard, tookMs }) => heartbeat.set({ shard }, tookMs / 1000)),
  ];
}
