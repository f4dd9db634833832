import { expect, it } from 'vitest';
import { SAMPLE_CARDS } from '../../sandbox/sample-cards.ts';
import { type Backends, startAppBot, startBackends } from '../support/backends.ts';
import { startBotProcess } from '../support/bot-process.ts';
import { hasCard, storedRows } from '../support/world.ts';

const IDS = SAMPLE_CARDS.map(({ id }) => id);
// The service allows a little more at once than the bot's configured burst, because a busy machine delivers requests late
// and bunched; a whole new burst would still exceed it.
const FAST = { requestsPerMinute: 600, burst: 16, requestsPerDay: 10_000 };
const PATIENCE_MS = 60_000;

/** Cards that were answered with 200 more than once. */
function answeredAgain({ cardService }: Backends): number {
  const paths = cardService.requests.filter(({ status }) => status === 200).map(({ path }) => path);
  return new Set(paths.filter((path, index) => paths.indexOf(path) !== index)).size;
}

it('deferred replies are completed once each by the next process after a SIGKILL and after a SIGTERM, and leave no rows', {
  timeout: 180_000,
}, async () => {
  const backends = await startBackends(FAST, {
    CARD_SERVICE_BURST: '10',
    CARD_SERVICE_TIMEOUT_MS: '90000',
  });
  const { discord, cardService, env, card } = backends;
  const first = startBotProcess(env);
  await discord.gateway.whenReady();
  cardService.set({ latencyMs: 100 }); // so that some requests are under way
  // Answers hang after the first card, so that some replies are still deferred when the kill arrives
  const stopHolding = discord.onMessage((message) => {
    if (hasCard(message)) cardService.set({ latencyMs: 60_000 });
  });
  const typedCommands = IDS.slice(0, 50).map((id, index) =>
    card(id, {}, { memberId: discord.members[index % 4]?.id ?? '' }),
  );
  const incomplete = () => typedCommands.filter(({ message }) => !hasCard(message));
  const oneCompleted = (some: typeof typedCommands) =>
    Promise.any(some.map((typed) => typed.until(hasCard, PATIENCE_MS)));
  await Promise.all(typedCommands.map((typed) => typed.until(({ state }) => state !== 'sent', PATIENCE_MS)));
  cardService.script({ status: 429, headers: { 'retry-after': '1' }, body: '' });
  await oneCompleted(typedCommands);

  first.child.kill('SIGKILL');
  await first.ended;
  stopHolding();
  cardService.set({ latencyMs: 100 });
  const left = incomplete();
  const lost = cardService.counts.total - (typedCommands.length - left.length);
  const second = await startAppBot(env);
  await oneCompleted(left);
  await second.stop();
  const leftAgain = incomplete().length;
  const third = await startAppBot(env);
  await Promise.all(typedCommands.map((typed) => typed.until(hasCard, PATIENCE_MS)));

  expect(leftAgain).toBeGreaterThan(0);
  expect(left.length).toBeGreaterThan(leftAgain);
  // The same edit before and after the kill counts as one answer.
  const answers = typedCommands.map(
    ({ history }) => new Set(history.filter(hasCard).map(({ embeds }) => embeds[0]?.title)),
  );
  expect(answers.every(({ size }) => size === 1)).toBe(true);
  expect(typedCommands.every(({ message }) => (message.followUps ?? []).length === 0)).toBe(true);
  // At most the requests under way when a process died are repeated, and the only 429 is the scripted one.
  expect(answeredAgain(backends)).toBeLessThanOrEqual(lost);
  expect(cardService.counts.byStatus[429]).toBe(1);
  await third.stop();
  expect(['replies', 'replies:texts'].map((part) => storedRows(env.DATA_DIR, part))).toEqual([{}, {}]);
});
