import { expect, it } from 'vitest';
import { SAMPLE_CARDS } from '../../sandbox/sample-cards.ts';
import { startAppBot, startBackends } from '../support/backends.ts';
import { startBotProcess } from '../support/bot-process.ts';
import { hasCard, IDS, QUICK, storedRows, untoldIn } from '../support/world.ts';

// The service allows a little more at once than the bot's configured burst, because a busy machine delivers requests late
// and bunched; a whole new burst would still exceed it.
const FAST = { requestsPerMinute: 600, burst: 16, requestsPerDay: 10_000 };
const PATIENCE_MS = 60_000;

it('deferred replies are completed once each by the next process after a SIGKILL and after a SIGTERM, and leave no rows', {
  timeout: 180_000,
}, async () => {
  const variables = { CARD_SERVICE_BURST: '10', CARD_SERVICE_TIMEOUT_MS: '90000' };
  const { discord, cardService, env, card } = await startBackends(FAST, variables);
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
  const answered = cardService.requests.filter(({ status }) => status === 200).map(({ path }) => path);
  expect(answered.length - new Set(answered).size).toBeLessThanOrEqual(lost);
  expect(cardService.counts.byStatus[429]).toBe(1);
  await third.stop();
  expect(['replies', 'replies:texts'].map((part) => storedRows(env.DATA_DIR, part))).toEqual([{}, {}]);
});

it('the next process after a SIGKILL notes what the last one had sent, and shows it no second time', async () => {
  const { discord, cardService, env, card, type, bob } = await startBackends(QUICK, { PRICES_FRESH_SECONDS: '0' });
  /** The service has a new price, and a lookup of another member brings it. */
  const priced = (market: number) => {
    cardService.script({
      path: 'base1-4',
      body: { ...SAMPLE_CARDS.find(({ id }) => id === 'base1-4'), prices: { market } },
    });
    const shown = `**${market.toFixed(2).replace('.', ',')}**`;
    return card('base1-4', {}, { memberId: bob }).until(({ embeds }) => JSON.stringify(embeds).includes(shown));
  };
  const killed = startBotProcess(env);
  await discord.gateway.whenReady();
  await priced(36);
  const watch = await type('watch', { card: 'base1-4', below: 30 }).settled();
  expect(watch.content).toContain('is at 30.00 or below');
  const stopWatching = discord.onMessage(({ trigger }) => trigger === 'message' && killed.child.kill('SIGKILL'));
  await priced(29.5).catch(() => {}); // it may be killed before it has shown the price
  await killed.ended;
  stopWatching();
  expect(untoldIn(env.DATA_DIR)).toHaveLength(1);

  const next = await startAppBot(env);
  const sent = () => discord.requests.filter(({ path }) => path.endsWith('/messages')).length;
  await expect.poll(sent).toBe(2);
  await next.stop();
  const told = discord.messages().filter(({ trigger }) => trigger === 'message');
  expect([told.length, untoldIn(env.DATA_DIR)]).toEqual([1, []]);
});
