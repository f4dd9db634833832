import { describe, expect, it, onTestFinished } from 'vitest';
import { type Claimed, type ClaimOptions, LocalClaims } from '../../src/model/claims.ts';
import { Events } from '../../src/model/events.ts';
import { type Breaker, CLOSED_BREAKER } from '../../src/model/quota.ts';
import { type AlertNotebook, type AlertNotes, NO_NOTES, type Noted } from '../../src/operations/alert-notes.ts';
import { Alerts } from '../../src/operations/alerts.ts';
import { Health } from '../../src/operations/health.ts';
import { Webhook } from '../../src/operations/webhook.ts';
import { logLines } from '../support/log-lines.ts';
import { startWebhookServer } from './webhook-server.ts';

const DAY_MS = 86_400_000;
const SHORT = { serviceDownMs: 20, redisAwayMs: 20, gatewayAwayMs: 20 };
const NEVER = { serviceDownMs: DAY_MS, redisAwayMs: DAY_MS, gatewayAwayMs: DAY_MS };
const OUTAGE: Breaker = { state: 'open', reason: 'outage', sinceMs: 1, untilMs: 2, failures: 3 };
const KEY: Breaker = { ...OUTAGE, reason: 'key' };

const NOTED: Noted = { isDue: true, isTold: true, untilMs: Number.MAX_SAFE_INTEGER };

/** Of the runs of one process. */
function memoryNotebook(): AlertNotebook & { notes: AlertNotes } {
  const notebook = {
    notes: NO_NOTES,
    read: () => notebook.notes,
    write(notes: AlertNotes) {
      notebook.notes = structuredClone(notes);
    },
  };
  return notebook;
}

/** Shared by processes, which can be cut off from each other. */
function memoryClaims() {
  const claims = new LocalClaims();
  const taken = new Map<string, ClaimOptions>();
  const shared = {
    isShared: true,
    isReached: true,
    taken,
    async claim(name: string, options: ClaimOptions): Promise<Claimed> {
      if (!shared.isReached) return 'unavailable';
      taken.set(name, options);
      return claims.claim(name, options);
    },
    release: (name: string) => claims.release(name),
  };
  return shared;
}

async function open({
  claims = memoryClaims(),
  notebook = memoryNotebook(),
  times = NEVER,
  webhook = undefined as Awaited<ReturnType<typeof startWebhookServer>> | undefined,
} = {}) {
  const server = webhook ?? (await startWebhookServer());
  const events = new Events();
  const { log, lines } = logLines();
  const sender = new Webhook(server.url, log, { firstMs: 10, longestMs: 10 });
  const health = new Health(events, true);
  const alerts = new Alerts({ events, health, usesRedis: true, webhook: sender, log, times, lookEveryMs: 10 });
  onTestFinished(() => alerts.close(0));
  alerts.start(notebook, claims);
  const { messages } = server;
  const quota = (remaining: number, resetInMs = DAY_MS) =>
    events.publish('limiter', {
      quota: { limit: 100, remaining, resetsAtMs: Date.now() + resetInMs, receivedAtMs: Date.now() },
      breaker: CLOSED_BREAKER,
    });
  const breaker = (state: Breaker) => events.publish('limiter', { quota: undefined, breaker: state });
  /** Of a lookup. */
  const answered = () => {
    events.publish('request', { endpoint: 'card', outcome: 'answered', tookMs: 1, cards: 1 });
    breaker(CLOSED_BREAKER);
  };
  return { alerts, events, server, messages, notebook, lines, quota, breaker, answered };
}

/** Two processes that share what was told. */
async function openTwo() {
  const shared = { claims: memoryClaims(), webhook: await startWebhookServer() };
  return { ...shared, first: await open(shared), second: await open(shared) };
}

describe('alerts', () => {
  it('tell of a jump to the end of the day once, and mention nobody', async () => {
    const claims = memoryClaims();
    const { quota, messages, server } = await open({ claims });
    quota(0);
    await expect.poll(() => messages).toHaveLength(1);
    expect(messages[0]).toMatch(/^🛑 Today's requests are used up\..+<t:\d+:f>\.$/);
    expect(server.bodies[0]).toMatchObject({ allowed_mentions: { parse: [] } });
    expect([...claims.taken.keys()]).toEqual(['alert:day80', 'alert:day95', 'alert:day100']);
  });

  it('of the day are not told again when the process that told them has ended, others are', async () => {
    const claims = memoryClaims();
    const { quota, breaker, messages } = await open({ claims });
    quota(15);
    await expect.poll(() => messages).toHaveLength(1);
    breaker(KEY);
    await expect.poll(() => messages).toHaveLength(2);
    const endsWithOwner = [...claims.taken].map(([name, options]) => [name, options.endsWithOwner]);
    expect(endsWithOwner).toEqual([
      ['alert:day80', false],
      ['alert:keyRefused', true],
    ]);
  });

  it('that are over are told again by whichever process first knows of the next time', async () => {
    const { webhook, first, second } = await openTwo();
    first.breaker(KEY);
    await expect.poll(() => webhook.messages).toHaveLength(1);
    first.answered();
    await expect.poll(() => webhook.messages).toHaveLength(2);
    second.breaker(KEY);
    await expect.poll(() => webhook.messages[2]).toBe(webhook.messages[0]);
  });

  it('say that the day is over when its window ends, without a request', async () => {
    const { quota, messages } = await open();
    quota(0, 300);
    await expect.poll(() => messages).toHaveLength(2);
    expect(messages[1]).toBe('✅ Over: requests are available again.');
  });

  it('tell of an outage that lasts, and not of one that is over before', async () => {
    const { breaker, answered, messages } = await open({ times: { ...NEVER, serviceDownMs: 100 } });
    breaker(OUTAGE);
    answered();
    breaker(OUTAGE);
    await expect.poll(() => messages).toHaveLength(1);
    expect(messages[0]).toMatch(/^🛑 The card service has not answered since <t:\d+:f>\./);
    answered();
    await expect.poll(() => messages[1]).toBe('✅ Over: the card service answers again.');
  });

  it('tell of Redis although what was told is kept there, and when it is back', async () => {
    const claims = memoryClaims();
    const { events, messages } = await open({ claims, times: { ...NEVER, redisAwayMs: 20 } });
    events.publish('store', { store: 'redis', works: true });
    claims.isReached = false;
    events.publish('store', { store: 'redis', works: false });
    await expect.poll(() => messages).toHaveLength(1);
    claims.isReached = true;
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
    const { claims, webhook, first, second } = await openTwo();
    first.breaker(KEY);
    second.breaker(KEY);
    await expect.poll(() => webhook.messages).toHaveLength(1);
    await first.alerts.close(0);
    const restarted = await open({ claims, webhook, notebook: first.notebook });
    restarted.breaker(KEY);
    restarted.answered();
    second.answered();
    await expect.poll(() => webhook.messages).toHaveLength(2);
    restarted.quota(20);
    await expect.poll(() => webhook.messages).toHaveLength(3);
    const about = ['refuses the API key', 'accepts the API key', "80 % of today's"];
    expect(webhook.messages).toEqual(about.map((words) => expect.stringContaining(words)));
  });

  it('are told once by each process that can ask no other, whatever restarts in between', async () => {
    const claims = memoryClaims();
    claims.isReached = false;
    const webhook = await startWebhookServer();
    const notebook = memoryNotebook();
    const first = await open({ claims, webhook, notebook });
    first.breaker(KEY);
    await expect.poll(() => webhook.messages).toHaveLength(1);
    await first.alerts.close(0);

    const restarted = await open({ claims, webhook, notebook });
    restarted.breaker(KEY);
    claims.isReached = true;
    restarted.breaker(KEY);
    restarted.answered();
    await expect.poll(() => webhook.messages).toHaveLength(2);
    expect(webhook.messages[1]).toContain('accepts the API key');
  });

  it('of one process say nothing of another', async () => {
    const claims = memoryClaims();
    const webhook = await startWebhookServer();
    const away = await open({ claims, webhook, times: SHORT });
    away.events.publish('store', { store: 'redis', works: true });
    await expect.poll(() => webhook.messages.join()).toContain('not been fully connected to Discord');
    const other = await open({ claims, webhook });
    other.events.publish('gateway', { shard: 1, state: 'ready' });
    other.events.publish('refused', { message: 'This is told last.' });
    await expect.poll(() => webhook.messages).toContain('🛑 This is told last.');
    expect(webhook.messages.filter((text) => text.includes('is connected to Discord again'))).toEqual([]);
  });

  it.each<[string, Noted | undefined, isDue: boolean, isTold: boolean]>([
    ['what begins is told', undefined, true, true],
    ['what was noted before a restart is not', NOTED, true, false],
    ['nor what another process has told', { ...NOTED, isTold: false }, true, false],
    ['in the next window it is', { ...NOTED, untilMs: 1 }, true, true],
    ['that it is over is told', NOTED, false, true],
    ['once', { ...NOTED, isDue: false }, false, false],
    ['and not by a process that has not told it', { ...NOTED, isTold: false }, false, false],
    ['what begins again is told', { ...NOTED, isDue: false }, true, true],
  ])('of a key that is refused: %s', async (_, noted, isDue, isTold) => {
    const notebook = memoryNotebook();
    if (noted) notebook.notes = { alerts: { keyRefused: noted }, waiting: [] };
    const { events, messages, breaker, answered } = await open({ notebook });
    if (isDue) breaker(KEY);
    else answered();
    events.publish('refused', { message: 'This is told last.' });
    await expect.poll(() => messages.at(-1)).toBe('🛑 This is told last.');
    expect(messages).toHaveLength(isTold ? 2 : 1);
  });

  it('of the day are kept until its window is certainly over, any other for weeks', async () => {
    const { quota, breaker, notebook, messages } = await open();
    quota(20);
    breaker(KEY);
    await expect.poll(() => messages).toHaveLength(2);
    const { day80, keyRefused } = notebook.notes.alerts;
    const afterMs = (noted: Noted | undefined) => (noted?.untilMs ?? 0) - Date.now();
    expect(Math.abs(afterMs(day80) - DAY_MS - 3_600_000)).toBeLessThan(60_000);
    expect(Math.abs(afterMs(keyRefused) - 35 * DAY_MS)).toBeLessThan(60_000);
  });
});

describe('a webhook that fails', () => {
  it.each([[500], [429]])(
    'with %i leaves one line in the log, and gets everything in order when it works again',
    async (status) => {
      const { breaker, answered, server, messages, lines } = await open();
      server.answer = { status };
      breaker(KEY);
      await expect.poll(() => server.bodies.length).toBeGreaterThan(3);
      answered();
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

  it('because it was deleted is tried again by the next start, and not before', async () => {
    const notebook = memoryNotebook();
    const { breaker, answered, server, alerts, lines } = await open({ notebook });
    server.answer = { status: 404 };
    breaker(KEY);
    await expect.poll(() => lines.map(({ msg }) => msg)).toContain('alerts cannot be sent: check ALERT_WEBHOOK_URL');
    answered();
    await expect.poll(() => notebook.notes.waiting).toHaveLength(2);
    await alerts.close(5_000);
    expect(server.bodies).toHaveLength(1);

    server.answer = { status: 204 };
    await open({ notebook, webhook: server });
    await expect.poll(() => server.messages).toHaveLength(2);
    await expect.poll(() => notebook.notes.waiting).toEqual([]);
  });

  it('by hanging holds up a stop no longer than it is given, and the next start tells', async () => {
    const notebook = memoryNotebook();
    const { breaker, server, alerts } = await open({ notebook });
    server.answer = 'silence';
    breaker(KEY);
    await expect.poll(() => server.bodies).toHaveLength(1);
    await alerts.close(1);
    server.answer = { status: 204 };
    await open({ notebook, webhook: server });
    await expect.poll(() => server.messages).toEqual([expect.stringContaining('refuses the API key')]);
  });

  it('for the message alone costs that message, and no other', async () => {
    const { breaker, answered, server, messages } = await open();
    server.answer = { status: 400 };
    breaker(KEY);
    await expect.poll(() => server.bodies).toHaveLength(1);
    server.answer = { status: 204 };
    answered();
    await expect.poll(() => messages).toEqual(['✅ Over: the card service accepts the API key.']);
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
