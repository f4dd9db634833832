import { expect, it, onTestFinished, vi } from 'vitest';
import { LocalClaims } from '../../src/model/claims.ts';
import { Events } from '../../src/model/events.ts';
import { NO_NOTES } from '../../src/operations/alert-notes.ts';
import { type OperationsConfig, openOperations } from '../../src/operations/operations.ts';
import { logLines } from '../support/log-lines.ts';
import { sampleValue } from './parse-metrics.ts';
import { addressOf, scrape } from './scrape.ts';
import { startWebhookServer } from './webhook-server.ts';

/** What watches a bot that has just started. */
async function opened(config: Partial<OperationsConfig>) {
  const { log, lines } = logLines();
  const nothing = { discord: { botId: '7' }, http: undefined, alertWebhookUrl: undefined, redis: undefined };
  const operations = await openOperations({ ...nothing, ...config }, { commandNames: [], events: new Events(), log });
  onTestFinished(() => operations.close());
  await operations.start({ claims: new LocalClaims(), alertNotebook: { read: () => NO_NOTES, write() {} } });
  return { lines };
}

it.each([
  ['files, which work from the start', 'files', undefined, { store: true }, 1],
  ['Redis, which has to be reached first', 'redis', {}, { store: false, reason: expect.stringContaining('redis') }, 0],
])('a bot over %s', async (_, state, redis, readiness, works) => {
  const { lines } = await opened({ redis, http: { port: 0, host: '127.0.0.1' } });
  const address = addressOf({ lines });
  expect(await (await fetch(`${address}/readyz`)).json()).toMatchObject(readiness);
  const samples = await scrape(address);
  expect(sampleValue(samples, 'cardbot_build_info', { state })).toBe(1);
  expect(sampleValue(samples, 'cardbot_store_works', { store: redis ? 'redis' : 'state' })).toBe(works);
});

it('an operator is told of a Redis that was not reached within a minute of the start', async () => {
  vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const { url, messages } = await startWebhookServer();
  await opened({ redis: {}, alertWebhookUrl: url });
  vi.advanceTimersByTime(65_000);
  await expect.poll(() => messages).toEqual([expect.stringContaining('has not reached Redis')]);
});
