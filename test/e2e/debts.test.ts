import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import type { ChatMessage } from '../../src/sandbox/discord/chat.ts';
import { SAMPLE_CARDS } from '../../src/sandbox/sample-cards.ts';
import { type BotProcess, startBotProcess } from '../support/bot-process.ts';
import { type Surroundings, startSurroundings } from '../support/surroundings.ts';

const IDS = SAMPLE_CARDS.map(({ id }) => id);
// The service allows a little more at once than the bot is told, because a busy machine delivers late and bunched; a
// whole new burst would still be too much.
const FAST = { requestsPerMinute: 600, burst: 16, requestsPerDay: 10_000 };
const BOTS_BURST = 10;
const PATIENCE_MS = 20_000;

function hasCard({ embeds }: ChatMessage): boolean {
  return embeds.length > 0;
}

function owedRows({ env }: Surroundings): number {
  const database = new DatabaseSync(join(env.DATA_DIR, 'state.sqlite'), { readOnly: true });
  const row = database.prepare('SELECT count(*) AS owed FROM debts').get();
  database.close();
  return Number(row?.owed);
}

/** Cards that were answered with 200 more than once. */
function answeredAgain({ cardService }: Surroundings): number {
  const paths = cardService.requests.filter(({ status }) => status === 200).map(({ path }) => path);
  return new Set(paths.filter((path, index) => paths.indexOf(path) !== index)).size;
}

async function end(bot: BotProcess, signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
  bot.child.kill(signal);
  await bot.ended;
}

describe('replies owed', () => {
  it('are paid once each by whoever comes next, after a SIGKILL and a SIGTERM; then nothing is left behind', {
    timeout: 90_000,
  }, async () => {
    const around = await startSurroundings(FAST, {
      CARD_SERVICE_BURST: String(BOTS_BURST),
      CARD_SERVICE_TIMEOUT_MS: '90000',
    });
    const { discord, cardService, env } = around;
    const first = startBotProcess(env);
    await discord.gateway.whenReady();
    cardService.set({ latencyMs: 100 }); // so that some are in flight
    // Else it would pay all of them while a busy machine has not told it of the last
    const holdTheRest = discord.onMessage((message) => {
      if (hasCard(message)) cardService.set({ latencyMs: 60_000 });
    });
    const asked = IDS.slice(0, 50).map((id, index) =>
      discord.type({ command: 'card', options: { id }, memberId: discord.members[index % 4]?.id ?? '' }),
    );
    const unpaid = () => asked.filter(({ message }) => !hasCard(message));
    const onePaid = (some: typeof asked) => Promise.any(some.map((typed) => typed.until(hasCard, PATIENCE_MS)));
    await Promise.all(asked.map((typed) => typed.until(({ state }) => state !== 'sent', PATIENCE_MS)));
    cardService.script({ status: 429, headers: { 'retry-after': '1' }, body: '' });
    await onePaid(asked);

    await end(first, 'SIGKILL');
    holdTheRest();
    cardService.set({ latencyMs: 100 });
    const left = unpaid();
    const lost = cardService.counts.total - (asked.length - left.length);
    const second = startBotProcess(env);
    await onePaid(left);
    await end(second, 'SIGTERM');
    const leftAgain = unpaid().length;
    const requestsBefore = cardService.counts.total;
    const third = startBotProcess(env);
    await Promise.all(asked.map((typed) => typed.until(hasCard, PATIENCE_MS)));

    expect(leftAgain).toBeGreaterThan(0);
    expect(left.length).toBeGreaterThan(leftAgain);
    // The same edit twice, before and after the kill, is no second answer.
    const answers = asked.map(({ history }) => new Set(history.filter(hasCard).map(({ embeds }) => embeds[0]?.title)));
    expect(answers.every(({ size }) => size === 1)).toBe(true);
    expect(asked.every(({ message }) => (message.followUps ?? []).length === 0)).toBe(true);
    // Asked twice at most what was in flight when a process died; never more 429s than the one that was scripted.
    expect(answeredAgain(around)).toBeLessThanOrEqual(lost);
    expect(cardService.counts.byStatus[429]).toBe(1);
    expect(cardService.counts.total).toBeGreaterThan(requestsBefore);
    await end(third, 'SIGTERM');
    expect(owedRows(around)).toBe(0);
  });

  it('are paid from the cache when the process died between answer and edit', { timeout: 60_000 }, async () => {
    const around = await startSurroundings(FAST, { CARD_SERVICE_BURST: String(BOTS_BURST) });
    const { discord, cardService, env } = around;
    const first = startBotProcess(env);
    await discord.gateway.whenReady();
    const known = discord.type({ command: 'card', options: { id: 'base1-4' } });
    await known.until(hasCard, PATIENCE_MS);
    cardService.set({ latencyMs: 60_000 });
    const owed = discord.type({ command: 'card', options: { id: 'base1-1' } });
    await owed.until(({ state }) => state === 'thinking', PATIENCE_MS);
    await expect.poll(() => cardService.requests.length).toBe(2);
    await end(first, 'SIGKILL');
    // What the dead process would have left behind, had it died one step later.
    const database = new DatabaseSync(join(env.DATA_DIR, 'cards.sqlite'));
    database.exec(`INSERT INTO cards SELECT replace(key, 'base1-4', 'base1-1'), value, expires_at FROM cards`);
    database.close();

    startBotProcess(env);
    const { embeds } = await owed.until(hasCard, PATIENCE_MS);

    expect(embeds[0]?.title).toBe('Emberwing Drake');
    expect(cardService.requests).toHaveLength(2);
  });
});
