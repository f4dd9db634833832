import { beforeAll, describe, expect, it } from 'vitest';
import { startWorld, type World } from '../support/world.ts';
import { table } from '../table.ts';
import { type Sample, sampleValue } from './parse-metrics.ts';
import { addressOf, OTHER_CARD, scrape, typeTraffic } from './scrape.ts';

const page = async (world: World) => (await fetch(`${addressOf(world)}/metrics`)).text();

describe('/metrics after some traffic', () => {
  let world: World;
  let samples: Sample[];
  beforeAll(async () => {
    world = await startWorld({ env: { HTTP_PORT: '0' } });
    await typeTraffic(world);
    samples = await scrape(addressOf(world));
  });

  // A 429 counts for nothing of the quota.
  it.each(table`
    cardbot_commands_total | command=card outcome=answered | 5
    cardbot_commands_total | command=usage outcome=answered | 1
    cardbot_commands_total | command=card outcome=too_late | 0
    cardbot_command_seconds_count | source=cache | 1
    cardbot_service_requests_total | endpoint=card outcome=answered | 3
    cardbot_service_requests_total | endpoint=card outcome=RateLimited | 1
    cardbot_service_requests_total | endpoint=usage outcome=answered | 1
    cardbot_rate_limits_total | kind=pause | 1
    cardbot_quota_limit | | 1000
    cardbot_quota_remaining | | 996
    cardbot_breaker_open | reason=pause | 0
    cardbot_queue_length | | 0
    cardbot_deferred_replies_open | | 0
    cardbot_gateway_ready | shard=0 | 1
    cardbot_store_works | store=state | 1
    cardbot_store_errors_total | store=cards | 0
  `)('%s %s is %s', (name = '', labels = '', value) => {
    const pairs = [...labels.matchAll(/(\w+)=(\w+)/g)].map(([, label, of = '']) => [label, of.replace('_', ' ')]);
    expect(sampleValue(samples, name, Object.fromEntries(pairs))).toBe(Number(value));
  });

  it.each(['cardbot_quota_reset_seconds', 'process_resident_memory_bytes', 'nodejs_eventloop_lag_p99_seconds'])(
    '%s is above 0',
    (name) => {
      expect(sampleValue(samples, name)).toBeGreaterThan(0);
    },
  );

  it('has fourteen families of its own, named and described as Prometheus wants it', async () => {
    const text = await page(world);
    const families = [...text.matchAll(/^# TYPE (cardbot_[a-z_]+) (\w+)$/gm)];
    expect(families).toHaveLength(14);
    for (const [, name = '', type] of families) {
      expect([name, name.endsWith('_total')]).toEqual([name, type === 'counter']);
      expect(text).toContain(`# HELP ${name} `);
    }
  });

  it('has no label that a member can choose, and no secret', async () => {
    const text = await page(world);
    const { discord, cardService } = world.config;
    const chosen = ['base1-4', OTHER_CARD, 'no-such-card', ...world.discord.members.map(({ id }) => id)];
    const unwanted = [...chosen, ...world.discord.guilds.map(({ id }) => id), discord.token, cardService.apiKey ?? ''];
    expect(unwanted.filter((it) => text.includes(it))).toEqual([]);
  });
});

it('the metrics of a bot whose figures are not known yet are not a number, so that no alert is raised on them', async () => {
  const samples = await scrape(addressOf(await startWorld({ env: { HTTP_PORT: '0' } })));
  expect(sampleValue(samples, 'cardbot_quota_remaining')).toBeNaN();
  expect(sampleValue(samples, 'cardbot_quota_limit')).toBeNaN();
});
