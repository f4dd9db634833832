import { expect, it, onTestFinished, vi } from 'vitest';
import { createLog, type Logger } from '../../src/log.ts';
import { Alerts } from '../../src/operations/alerts.ts';
import { fakeTimers } from '../support/fake-timers.ts';
import { logLines } from '../support/log-lines.ts';
import { table } from '../table.ts';
import { startWebhookServer } from './webhook-server.ts';

const SECRET = 'kQ7-key-of-the-card-service';

/** @param given what differs from a log of its own and a webhook that works */
async function startAlerts(given: { log?: Logger; url?: string } = {}) {
  const server = await startWebhookServer();
  const { log, lines, url } = { ...logLines(), ...server, ...given };
  const alerts = new Alerts(url, log, { firstMs: 10, longestMs: 10 });
  onTestFinished(() => alerts.close(0));
  /** The webhook refuses the first until it was sent that often, and meanwhile the others are said. */
  const refuse = async (status: number, times: number, [first = '', ...others]: string[]) => {
    server.answer = { status };
    log.warn(first);
    await expect.poll(() => server.bodies.length).toBeGreaterThanOrEqual(times);
    for (const text of others) log.warn(text);
    server.answer = { status: 204 };
  };
  return { log, lines, server, messages: server.messages, alerts, refuse };
}

it('of warnings and errors of the log the message is sent, without fields and secrets, and mentions nobody', async () => {
  const options = { level: 'trace', secrets: [SECRET], destination: { write() {} } };
  const log = createLog(options);
  const { messages, server } = await startAlerts({ log });
  createLog(options).warn('of another bot');
  log.info('all is well');
  log.warn({ member: '1180000000000000009', cardId: 'base1-4' }, 'a warning');
  log.error(`an error with ${SECRET}`);
  log.fatal('the end');
  await expect.poll(() => messages).toEqual(['a warning', 'an error with [secret]', 'the end']);
  expect(server.bodies[0]).toEqual({ content: 'a warning', allowed_mentions: { parse: [] } });
});

// Minutes, and what the log says after them: a warning `w`, an outage `x` or `y`, the end `.` of both.
it.each(table`
  a warning once an hour | 0w 59w 1w | ww
  another kind at once | 0w 1x | wx
  that it is over | 0x 1x 5. | x.
  once that both are over | 0x 0y 5. | xy.
  no end of what was not told | 0. |
  no end of what began again within the hour | 0x 1. 1x 1. 60- | x.
  that it began again within the hour, if it still lasts then | 0x 1. 1x 1x 58- | x.x
  what lasts once an hour as often as the log says it | 0x 59x 1x 1. | xx.
`)('is told: %s', async (_, steps, told) => {
  fakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] });
  const { log, messages } = await startAlerts();
  for (const [, minutes, what] of steps.matchAll(/(\d+)(.)/g)) {
    vi.advanceTimersByTime(Number(minutes) * 60_000);
    if (what === '.' || what === '-') log.info(what === '.' ? { over: 'z' } : {}, what);
    else log.warn(what === 'w' ? {} : { outage: 'z' }, what);
  }
  log.warn('last');
  await expect.poll(() => messages.join('')).toBe(`${told}last`);
});

const CANNOT = 'alerts cannot be sent: check ALERT_WEBHOOK_URL';

it.each([500, 429, 404])('a webhook that answers %i gets everything in order when it works again', async (status) => {
  const { lines, messages, refuse } = await startAlerts();
  await refuse(status, 4, ['first', 'second']);
  await expect.poll(() => messages).toEqual(['first', CANNOT, 'second', 'alerts are sent again']);
  expect(lines.map(({ msg }) => msg)).toEqual(messages);
});

it('a webhook that refuses one message gets the others', async () => {
  const { log, messages, refuse } = await startAlerts();
  await refuse(400, 2, ['refused']);
  log.warn('taken');
  await expect.poll(() => messages).toContain('taken');
  expect(messages).not.toContain('refused');
});

it('of what waits while a webhook fails the last twenty messages are kept', async () => {
  const { messages, refuse } = await startAlerts();
  await refuse(500, 2, ['first', ...Array.from({ length: 30 }, (_, at) => `warning ${at + 1}`)]);
  await expect.poll(() => messages).toContain('alerts are sent again');
  expect(messages).toEqual(expect.arrayContaining(['warning 12', 'warning 30']));
  expect(messages).not.toContain('warning 10');
});

it('a webhook where nobody listens leaves one line, without its address', async () => {
  const url = 'http://127.0.0.1:1/api/webhooks/1180000000000000009/webhook-token';
  const { log, lines } = await startAlerts({ url });
  log.warn('unheard');
  await expect.poll(() => lines.map(({ msg }) => msg)).toEqual(['unheard', CANNOT]);
  expect(JSON.stringify(lines)).not.toContain('webhook-token');
});

it('a stop waits until what was said is sent, and no longer than it is given', async () => {
  const { log, messages, server, alerts } = await startAlerts();
  log.error('why it ends');
  await alerts.close(60_000);
  expect(messages).toEqual(['why it ends']);

  const hanging = await startAlerts({ log, url: server.url });
  server.answer = { status: 0, fault: 'hang' };
  log.error('unheard');
  await expect.poll(() => server.bodies).toHaveLength(2);
  await hanging.alerts.close(1);
});
