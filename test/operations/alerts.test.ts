import { describe, expect, it, onTestFinished } from 'vitest';
import { Events } from '../../src/model/events.ts';
import { type Breaker, CLOSED_BREAKER } from '../../src/model/quota.ts';
import { type AlertBoard, Alerts } from '../../src/operations/alerts.ts';
import { Webhook } from '../../src/operations/webhook.ts';
import { logLines } from '../support/log-lines.ts';
import { startWebhookServer } from './webhook-server.ts';

const DAY_MS = 86_400_000;
const SHORT = { serviceDownMs: 20, redisAwayMs: 20, gatewayAwayMs: 20 };
const NEVER = { serviceDownMs: DAY_MS, redisAwayMs: DAY_MS, gatewayAwayMs: DAY_MS };
const OUTAGE: Breaker = { state: 'open', reason: 'outage', sinceMs: 1, untilMs: 2, failures: 3 };
const KEY: Breaker = { ...OUTAGE, reason: 'key' };

/** Shared by processes, or by the runs of one. */
function memoryBoard(): AlertBoard & { told: Set<string>; cleared: string[]; isReached: boolean } {
  const told = new Set<string>();
  const board = {
    told,
    cleared: [] as string[],
    isReached: true,
    async raise(alert: string) {
      if (!board.isReached) return undefined;
      const isFirst = !told.has(alert);
      told.add(alert);
      return isFirst;
    },
    async clear(alert: string) {
      if (!board.isReached) return undefined;
      board.cleared.push(alert);
      return told.delete(alert);
    },
  };
  return board;
}

async function open({
  board = memoryBoard(),
  times = NEVER,
  processName = 'auto',
  webhook = undefined as Awaited<ReturnType<typeof startWebhookServer>> | undefined,
} = {}) {
  const server = webhook ?? (await startWebhookServer());
  const events = new Events();
  const { log, lines } = logLines();
  const sender = new Webhook(server.url, log, { firstMs: 10, longestMs: 10 });
  const alerts = new Alerts({ events, usesRedis: true, processName, webhook: sender, log, times });
  onTestFinished(() => alerts.close(0));
  alerts.start(board);
  const { messages } = server;
  const quota = (remaining: number, resetInMs = DAY_MS) =>
    events.publish('limiter', {
      quota: { limit: 100, remaining, resetsAtMs: Date.now() + resetInMs, receivedAtMs: Date.now() },
      breaker: CLOSED_BREAKER,
    });
  const breaker = (state: Breaker) => events.publish('limiter', { quota: undefined, breaker: state });
  return { alerts, events, server, messages, board, lines, quota, breaker };
}

describe('alerts', () => {
  it('tell of a jump to the end of the day once', async () => {
    const { quota, board, messages } = await open();
    quota(0);
    await expect.poll(() => messages).toHaveLength(1);
    expect(messages[0]).toMatch(/^🛑 The day's requests are spent\..+<t:\d+:f>\.$/);
    expect([...board.told]).toEqual(['day80', 'day95', 'day100']);
  });

  it('say that the day is over when its window ends, without a request', async () => {
    const { quota, messages } = await open();
    quota(0, 300);
    await expect.poll(() => messages).toHaveLength(2);
    expect(messages[1]).toBe('✅ Over: there are requests to spend again.');
  });

  it('tell each step of the day once', async () => {
    const { quota, messages } = await open();
    for (const [remaining, count] of [
      [20, 1],
      [15, 1],
      [5, 2],
      [3, 2],
      [0, 3],
    ] as const) {
      quota(remaining);
      await expect.poll(() => messages).toHaveLength(count);
    }
    expect(messages.map((text) => text.split('.')[0])).toEqual([
      "⚠️ 80 % of the day's requests are spent",
      "⚠️ 95 % of the day's requests are spent",
      "🛑 The day's requests are spent",
    ]);
  });

  it('tell of a refused key once, however often it is tried, and when it is accepted', async () => {
    const { breaker, messages } = await open();
    for (const state of [KEY, { ...KEY, state: 'halfOpen' as const }, KEY]) breaker(state);
    await expect.poll(() => messages).toHaveLength(1);
    breaker(CLOSED_BREAKER);
    await expect.poll(() => messages).toHaveLength(2);
    expect(messages).toEqual([
      '🛑 The card service refuses the API key. Check CARD_SERVICE_API_KEY.',
      '✅ Over: the card service accepts the API key.',
    ]);
  });

  it('tell of an outage that lasts, and not of one that is over before', async () => {
    const { breaker, messages } = await open({ times: { ...NEVER, serviceDownMs: 100 } });
    breaker(OUTAGE);
    breaker(CLOSED_BREAKER);
    breaker(OUTAGE);
    await expect.poll(() => messages).toHaveLength(1);
    expect(messages[0]).toMatch(/^🛑 The card service has not answered since <t:\d+:f>\./);
    breaker(CLOSED_BREAKER);
    await expect.poll(() => messages[1]).toBe('✅ Over: the card service answers again.');
  });

  it('tell of Redis although what was told is kept there, and when it is back', async () => {
    const board = memoryBoard();
    const { events, messages } = await open({ board, times: { ...NEVER, redisAwayMs: 20 } });
    events.publish('store', { store: 'redis', works: true });
    board.isReached = false;
    events.publish('store', { store: 'redis', works: false });
    await expect.poll(() => messages).toHaveLength(1);
    board.isReached = true;
    events.publish('store', { store: 'redis', works: true });
    await expect.poll(() => messages).toHaveLength(2);
    expect(messages[1]).toBe('✅ Over: Redis can be reached again.');
  });

  it('tell of a gateway that does not come, of one that goes, and of a refusal at once', async () => {
    const { events, messages } = await open({ times: { ...NEVER, gatewayAwayMs: 20 } });
    await expect.poll(() => messages).toHaveLength(1);
    events.publish('gateway', { shard: 0, state: 'connecting' });
    events.publish('gateway', { shard: 0, state: 'ready' });
    await expect.poll(() => messages).toHaveLength(2);
    events.publish('gateway', { shard: 0, state: 'closed' });
    events.publish('refused', { message: 'Discord refuses the bot token. Make a new one.' });
    await expect.poll(() => messages).toHaveLength(4);
    expect(messages[1]).toBe('✅ Over: the bot is connected to Discord again.');
    expect(messages).toContain('🛑 Discord refuses the bot token. Make a new one.');
  });

  it('come from one of several processes, and not again after a restart', async () => {
    const board = memoryBoard();
    const webhook = await startWebhookServer();
    const first = await open({ board, webhook, processName: '0' });
    const second = await open({ board, webhook, processName: '1' });
    first.breaker(KEY);
    second.breaker(KEY);
    await expect.poll(() => webhook.messages).toHaveLength(1);
    await first.alerts.close(0);
    const restarted = await open({ board, webhook, processName: '0' });
    restarted.breaker(KEY);
    restarted.breaker(CLOSED_BREAKER);
    second.breaker(CLOSED_BREAKER);
    await expect.poll(() => webhook.messages).toHaveLength(2);
    restarted.quota(20);
    await expect.poll(() => webhook.messages).toHaveLength(3);
    const about = ['refuses the API key', 'accepts the API key', '80 % of the day'];
    expect(webhook.messages).toEqual(about.map((words) => expect.stringContaining(words)));
  });

  it('of one process say nothing of another', async () => {
    const board = memoryBoard();
    const webhook = await startWebhookServer();
    const away = await open({ board, webhook, processName: '0', times: SHORT });
    away.events.publish('store', { store: 'redis', works: true });
    await expect.poll(() => board.told).toContain('gatewayAway 0');
    const { events } = await open({ board, webhook, processName: '1' });
    events.publish('gateway', { shard: 1, state: 'ready' });
    await expect.poll(() => board.cleared).toContain('gatewayAway 1');
    expect(webhook.messages.filter((text) => text.startsWith('✅'))).toEqual([]);
  });

  it('mention nobody', async () => {
    const { breaker, server } = await open();
    breaker(KEY);
    await expect.poll(() => server.bodies).toHaveLength(1);
    expect(server.bodies[0]).toMatchObject({ allowed_mentions: { parse: [] } });
  });
});

describe('a webhook that fails', () => {
  it.each([[500], [429]])(
    'with %i leaves one line in the log, and gets everything in order when it works again',
    async (status) => {
      const { breaker, server, messages, lines } = await open();
      server.answer = { status };
      breaker(KEY);
      await expect.poll(() => server.bodies.length).toBeGreaterThan(3);
      breaker(CLOSED_BREAKER);
      server.answer = { status: 204 };
      await expect.poll(() => messages).toHaveLength(2);

      expect(messages[0]).toContain('refuses the API key');
      const about = lines.filter(({ msg }) => msg.startsWith('alerts '));
      expect(about.map(({ msg }) => msg)).toEqual([
        'alerts cannot be sent: check ALERT_WEBHOOK_URL',
        'alerts are sent again',
      ]);
      expect(JSON.stringify(lines)).not.toContain('webhook-token');
    },
  );

  it('because it was deleted is not tried again', async () => {
    const { breaker, server, lines } = await open();
    server.answer = { status: 404 };
    breaker(KEY);
    breaker(CLOSED_BREAKER);
    await expect.poll(() => lines.map(({ msg }) => msg)).toContain('alerts cannot be sent: check ALERT_WEBHOOK_URL');
    expect(server.bodies.length).toBeLessThanOrEqual(2);
  });

  it('because nobody listens leaves one line, without its address', async () => {
    const webhook = {
      ...(await startWebhookServer()),
      url: 'http://127.0.0.1:1/api/webhooks/1180000000000000009/webhook-token',
    };
    const { breaker, lines } = await open({ webhook });
    breaker(KEY);
    await expect.poll(() => lines.map(({ msg }) => msg)).toContain('alerts cannot be sent: check ALERT_WEBHOOK_URL');
    expect(JSON.stringify(lines)).not.toContain('webhook-token');
  });
});
