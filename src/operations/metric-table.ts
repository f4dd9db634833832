import packageJson from '../../package.json' with { type: 'json' };
import { BREAKER_REASONS, type QuotaState, WINDOWS } from '../model/quota.ts';
import { currentQuota } from '../quota/day-quota.ts';
import { last, type Metric, on } from './metrics.ts';

/** An answer from the cache takes milliseconds; one that waited for a permit, minutes. */
const ANSWER_SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2, 3, 5, 10, 30, 60, 300, 900];
/** One attempt takes at most `CARD_SERVICE_TIMEOUT_MS`. */
const SERVICE_SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const DISCORD_SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];
/** For names that are no command of this version: no label takes a value that a member can choose. */
const OTHER = 'other';

/** Every metric of the bot itself. */
export function metricTable(commandNames: readonly string[], usesRedis: boolean): Metric[] {
  const stores = ['cards', usesRedis ? 'redis' : 'state'];
  const thinking = new Set<string>();
  return [
    {
      name: 'cardbot_commands_total',
      help: 'Commands by how they ended.',
      labels: { command: commandNames, outcome: ['answered', 'not answered', 'too late', 'broken'] },
      ...on('command', ({ command }) => ({ command: commandNames.includes(command) ? command : OTHER })),
    },
    {
      name: 'cardbot_command_seconds',
      help: 'From the receipt of a command to its final answer, by where the answer came from.',
      buckets: ANSWER_SECONDS,
      labels: { source: ['cache', 'stale', 'service', 'bot'] },
      ...on('command', ({ tookMs }) => ({ value: tookMs / 1000 })),
    },
    {
      name: 'cardbot_permit_wait_seconds',
      help: 'How long commands that caused a request waited for its permit.',
      buckets: ANSWER_SECONDS,
      ...on('command', ({ source, waitMs }) => (source === 'service' ? { value: waitMs / 1000 } : undefined)),
    },
    {
      name: 'cardbot_deferred_replies_total',
      help: 'Deferred replies by what became of them here.',
      labels: { step: ['deferred', 'taken over', 'completed', 'dropped'] },
      ...on('reply'),
    },
    {
      name: 'cardbot_deferred_replies_open',
      help: 'Replies that show "thinking…" and that this process will complete.',
      ...on('reply', ({ step, interactionId }) => {
        if (step === 'deferred' || step === 'taken over') thinking.add(interactionId);
        else thinking.delete(interactionId);
        return { value: thinking.size };
      }),
    },
    {
      name: 'cardbot_service_requests_total',
      help: 'Requests to the card service by how they ended.',
      labels: {
        endpoint: ['card', 'cards', 'usage'],
        outcome: ['answered', 'RateLimited', 'KeyRefused', 'PlanRefused', 'ServiceDown', 'UnexpectedAnswer'],
      },
      ...on('request'),
    },
    {
      name: 'cardbot_service_request_seconds',
      help: 'How long one request to the card service took.',
      buckets: SERVICE_SECONDS,
      labels: { endpoint: [] },
      ...on('request', ({ tookMs }) => ({ value: tookMs / 1000 })),
    },
    {
      name: 'cardbot_cards_fetched_total',
      help: 'Cards that requests brought.',
      ...on('request', ({ cards }) => ({ value: cards })),
    },
    {
      name: 'cardbot_rate_limits_total',
      help: '429 answers by what they meant: a pause, or that nothing remains of an hour, a day or a month.',
      labels: { kind: ['pause', ...WINDOWS] },
      ...on('rateLimit'),
    },
    {
      name: 'cardbot_permits_total',
      help: 'Answers of the limiter to whoever asked for a permit.',
      labels: { lane: [], result: [] },
      ...on('permit'),
    },
    {
      name: 'cardbot_queue_length',
      help: 'Cards that wait for a permit.',
      ...on('queue', ({ length }) => ({ value: length })),
    },
    {
      name: 'cardbot_quota_limit',
      help: 'The requests of the day, or of the month where that leaves less; NaN while unknown.',
      ...ofQuota(({ limit }) => limit),
    },
    {
      name: 'cardbot_quota_remaining',
      help: 'What remains of them; NaN while unknown.',
      ...ofQuota(({ remaining }) => remaining),
    },
    {
      name: 'cardbot_quota_reset_seconds',
      help: 'Seconds until they reset; NaN while unknown.',
      ...ofQuota(({ resetsAtMs }, nowMs) => (resetsAtMs === undefined ? undefined : (resetsAtMs - nowMs) / 1000)),
    },
    {
      name: 'cardbot_breaker_open',
      help: '1 while the circuit breaker holds requests back for that reason.',
      labels: { reason: [] },
      ...last('limiter', (known) =>
        BREAKER_REASONS.map((reason) => ({ reason, value: known?.breaker.reason === reason ? 1 : 0 })),
      ),
    },
    {
      name: 'cardbot_cache_answers_total',
      help: 'What was known of a card when a command asked for it.',
      labels: { kind: ['fresh', 'stale', 'missing'] },
      ...on('known'),
    },
    {
      name: 'cardbot_requests_saved_total',
      help: 'Answers without a request of their own: from the cache, or by joining a lookup that was under way.',
      ...on('saved'),
    },
    {
      name: 'cardbot_store_errors_total',
      help: 'Failures of a store; of Redis, its outages.',
      labels: { store: stores },
      ...on('store', ({ works }) => (works ? undefined : {})),
    },
    {
      name: 'cardbot_store_works',
      help: '1 while a store works, 0 after a failure.',
      labels: { store: stores },
      startOf: ({ store }) => (store === 'redis' ? 0 : 1), // Redis is reached later
      ...on('store', ({ works }) => ({ value: works ? 1 : 0 })),
    },
    {
      name: 'cardbot_discord_requests_total',
      help: 'Requests to Discord by their status; "none" without an answer.',
      labels: { call: ['callback', 'edit'], status: ['429'] },
      ...on('discordRequest', ({ status = 'none' }) => ({ status })),
    },
    {
      name: 'cardbot_discord_request_seconds',
      help: 'How long one request to Discord took.',
      buckets: DISCORD_SECONDS,
      labels: { call: [] },
      ...on('discordRequest', ({ tookMs }) => ({ value: tookMs / 1000 })),
    },
    {
      name: 'cardbot_gateway_ready',
      help: '1 while the shard receives commands.',
      labels: { shard: [] },
      ...on('gateway', ({ state }) => ({ value: state === 'ready' ? 1 : 0 })),
    },
    {
      name: 'cardbot_gateway_closed_total',
      help: 'Connections to the gateway that ended.',
      labels: { shard: [] },
      ...on('gateway', ({ state }) => ({ value: state === 'closed' ? 1 : 0 })),
    },
    {
      name: 'cardbot_gateway_heartbeat_seconds',
      help: 'How long Discord took to answer the last heartbeat of the shard.',
      labels: { shard: [] },
      ...on('heartbeat', ({ tookMs }) => ({ value: tookMs / 1000 })),
    },
    {
      name: 'cardbot_build_info',
      help: 'The version that runs, its Node, and where its state is.',
      labels: { version: [packageJson.version], node: [process.version], state: [usesRedis ? 'redis' : 'files'] },
      startOf: () => 1,
    },
  ];
}

/** What is known of the window that operators are told of; not a number once it is over. */
function ofQuota(read: (known: QuotaState, nowMs: number) => number | undefined): Pick<Metric, 'follow' | 'read'> {
  return last('limiter', (limiter) => {
    const nowMs = Date.now();
    const known = currentQuota(limiter?.quota, nowMs);
    return [{ value: (known && read(known, nowMs)) ?? Number.NaN }];
  });
}
