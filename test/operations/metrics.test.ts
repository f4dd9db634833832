import { beforeAll, describe, expect, it } from 'vitest';
import { startWorld, type World } from '../support/world.ts';
import { type Sample, sampleValue } from './parse-metrics.ts';
import { promtoolProblems } from './promtool-problems.ts';
import { addressOf, OTHER_CARD, scrape, typeTraffic } from './scrape.ts';

describe('/metrics after some traffic', () => {
  let world: World;
  let samples: Sample[];
  beforeAll(async () => {
    world = await startWorld({ env: { HTTP_PORT: '0' } });
    await typeTraffic(world);
    samples = await scrape(addressOf(world));
  });
  const value = (name: string, labels?: Record<string, string>) => sampleValue(samples, name, labels);

  it('counts commands by outcome, and times them by the source of their answers', () => {
    expect(value('cardbot_commands_total', { command: 'card', outcome: 'answered' })).toBe(5);
    expect(value('cardbot_commands_total', { command: 'usage', outcome: 'answered' })).toBe(1);
    expect(value('cardbot_commands_total', { command: 'card', outcome: 'too late' })).toBe(0);
    expect(value('cardbot_command_seconds_count', { source: 'cache' })).toBe(1);
    expect(value('cardbot_command_seconds_count', { source: 'service' })).toBeGreaterThanOrEqual(3);
  });

  it('counts requests as the service does, the cards that they brought, and its 429s', () => {
    const { byStatus } = world.cardService.counts;
    expect(value('cardbot_service_requests_total', { endpoint: 'card', outcome: 'answered' })).toBe(3);
    expect(value('cardbot_service_requests_total', { endpoint: 'usage', outcome: 'answered' })).toBe(1);
    expect(value('cardbot_service_requests_total', { endpoint: 'card', outcome: 'RateLimited' })).toBe(byStatus[429]);
    expect(value('cardbot_rate_limits_total', { kind: 'pause' })).toBe(byStatus[429]);
    expect(value('cardbot_cards_fetched_total')).toBe(2); // the third answer was that there is no such card
  });

  it('counts what the cache answered and what it saved', () => {
    expect(value('cardbot_cache_answers_total', { kind: 'fresh' })).toBe(1);
    expect(value('cardbot_cache_answers_total', { kind: 'missing' })).toBe(4);
    expect(value('cardbot_requests_saved_total')).toBe(2); // one from the cache, one that joined
  });

  it('tells the quota, the breaker and the queue as they are', () => {
    expect(value('cardbot_quota_limit')).toBe(1_000);
    expect(value('cardbot_quota_remaining')).toBe(1_000 - 4); // a 429 is not counted
    expect(value('cardbot_quota_reset_seconds')).toBeGreaterThan(0);
    expect(value('cardbot_breaker_open', { reason: 'pause' })).toBe(0);
    expect(value('cardbot_queue_length')).toBe(0);
    expect(value('cardbot_deferred_replies_total', { step: 'deferred' })).toBe(4);
    expect(value('cardbot_deferred_replies_open')).toBe(0);
  });

  it('tells the state of each shard, the calls to Discord, the stores and the process', () => {
    expect(value('cardbot_gateway_ready', { shard: '0' })).toBe(1);
    expect(value('cardbot_discord_requests_total', { call: 'edit', status: '200' })).toBeGreaterThanOrEqual(3);
    expect(value('cardbot_store_works', { store: 'state' })).toBe(1);
    expect(value('cardbot_store_errors_total', { store: 'cards' })).toBe(0);
    expect(value('process_resident_memory_bytes')).toBeGreaterThan(1e7);
    expect(value('nodejs_eventloop_lag_p99_seconds')).toBeGreaterThan(0);
    expect(value('cardbot_build_info', { state: 'files' })).toBe(1);
  });

  it('has nothing that promtool check metrics objects to', async () => {
    const text = await (await fetch(`${addressOf(world)}/metrics`)).text();
    expect(text).toContain('# TYPE cardbot_commands_total counter');
    expect(promtoolProblems(text).filter((problem) => problem.startsWith('cardbot_'))).toEqual([]);
    const odd = '# HELP a_total A.\n# TYPE a_total gauge\na_total{quantile="1",le="1",aB="x"} 1\n# TYPE b counter\nb 1';
    expect(promtoolProblems(odd)).toEqual([
      'a_total: only a counter ends with _total',
      'a_total: label quantile',
      'a_total: label le',
      'a_total: label aB',
      'b: a counter ends with _total',
      'b: no help',
    ]);
  });

  it('has no label that a member can choose, and no secret', async () => {
    const text = await (await fetch(`${addressOf(world)}/metrics`)).text();
    const { discord, cardService } = world.config;
    const chosen = ['base1-4', OTHER_CARD, 'no-such-card', ...world.discord.members.map(({ id }) => id)];
    const unwanted = [...chosen, ...world.discord.guilds.map(({ id }) => id), discord.token, cardService.apiKey ?? ''];
    expect(unwanted.filter((it) => text.includes(it))).toEqual([]);
  });
});

it('the metrics of a bot whose figures are not known yet are not a number, so that no alert is raised on them', async () => {
  const world = await startWorld({ env: { HTTP_PORT: '0' } });
  const samples = await scrape(addressOf(world));
  expect(sampleValue(samples, 'cardbot_quota_remaining')).toBeNaN();
  expect(sampleValue(samples, 'cardbot_quota_limit')).toBeNaN();
});
