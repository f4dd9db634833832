import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import type { ChatMessage } from '../../src/sandbox/discord/chat.ts';
import { SAMPLE_CARDS } from '../../src/sandbox/sample-cards.ts';
import { startBotProcess } from '../support/bot-process.ts';
import { type Surroundings, startSurroundings } from '../support/surroundings.ts';

const IDS = SAMPLE_CARDS.map(({ id }) => id);
// The service allows a little more at once than the bot is told, because a busy machine delivers late and bunched; a
// whole new burst would still be too much.
const FAST = { requestsPerMinute: 600, burst: 16, requestsPerDay: 10_000 };
const BOTS_BURST = 10;

function hasCard({ embeds }: ChatMessage): boolean {
  return embeds.length > 0;
}

function owedRows({ env }: Surroundings): number {
  const database = new DatabaseSync(join(env.DATA_DIR, 'state.sqlite'), { readOnly: true });
  const row = database.prepare('SELECT count(*) AS owed FROM debts').get();
  database.close();
  return Number(row?.owed);
}

/** How often each card was asked for and answered with 200. */
function answeredPerCard({ cardService }: Surroundings): number[] {
  const paths = cardService.requests.filter(({ status }) => status === 200).map(({ path }) => path);
  return [...new Set(paths)].map((path) => paths.filter((other) => other === path).length);
}

describe('replies owed', () => {
  it.each(['SIGKILL', 'SIGTERM'] as const)('after %s: the next process pays each of 50, once', async (signal) => {
    const around = await startSurroundings(FAST, { CARD_SERVICE_BURST: String(BOTS_BURST) });
    const { discord, cardService } = around;
    const first = startBotProcess(around.env);
    await discord.gateway.whenReady();
    cardService.set({ latencyMs: 100 }); // so that some are in flight
    const asked = IDS.slice(0, 50).map((id, index) =>
      discord.type({ command: 'card', options: { id }, memberId: discord.members[index % 4]?.id ?? '' }),
    );
    await Promise.all(asked.map((typed) => typed.until(({ state }) => state !== 'sent')));
    cardService.script({ status: 429, headers: { 'retry-after': '1' }, body: '' });
    await asked[0]?.until(hasCard);

    first.child.kill(signal);
    await first.ended;
    const paidBefore = asked.filter(({ message }) => hasCard(message)).length;
    const requestsBefore = cardService.counts.total;
    startBotProcess(around.env);
    const replies = await Promise.all(asked.map((typed) => typed.until(hasCard, 15_000)));

    expect(paidBefore).toBeLessThan(50);
    expect(replies).toHaveLength(50);
    // The same edit twice, before and after the kill, is no second answer.
    const answers = asked.map(({ history }) => new Set(history.filter(hasCard).map(({ embeds }) => embeds[0]?.title)));
    expect(answers.every(({ size }) => size === 1)).toBe(true);
    expect(asked.every(({ message }) => (message.followUps ?? []).length === 0)).toBe(true);
    // Asked twice at most what was in flight when the process died; never more 429s than the one that was scripted.
    expect(answeredPerCard(around).filter((times) => times > 1).length).toBeLessThanOrEqual(BOTS_BURST);
    expect(cardService.counts.byStatus[429]).toBe(1);
    expect(cardService.counts.total).toBeGreaterThan(requestsBefore);
  });

  it('are paid from the cache when the process died between answer and edit', async () => {
    const around = await startSurroundings(FAST, { CARD_SERVICE_BURST: String(BOTS_BURST) });
    const { discord, cardService, env } = around;
    const first = startBotProcess(env);
    await discord.gateway.whenReady();
    const known = discord.type({ command: 'card', options: { id: 'base1-4' } });
    await known.until(hasCard);
    cardService.set({ latencyMs: 60_000 });
    const owed = discord.type({ command: 'card', options: { id: 'base1-1' } });
    await owed.until(({ state }) => state === 'thinking');
    await expect.poll(() => cardService.requests.length).toBe(2);
    first.child.kill('SIGKILL');
    await first.ended;
    // What the dead process would have left behind, had it died one step later.
    const database = new DatabaseSync(join(env.DATA_DIR, 'cards.sqlite'));
    database.exec(`INSERT INTO cards SELECT replace(key, 'base1-4', 'base1-1'), value, expires_at FROM cards`);
    database.close();

    startBotProcess(env);
    const { embeds } = await owed.until(hasCard, 10_000);

    expect(embeds[0]?.title).toBe('Emberwing Drake');
    expect(cardService.requests).toHaveLength(2);
  });

  it('leave nothing behind once they are paid', async () => {
    const around = await startSurroundings(FAST, { CARD_SERVICE_BURST: String(BOTS_BURST) });
    const bot = startBotProcess(around.env);
    await around.discord.gateway.whenReady();
    const asked = IDS.slice(0, 5).map((id) => around.discord.type({ command: 'card', options: { id } }));
    await Promise.all(asked.map((typed) => typed.until(hasCard)));
    bot.child.kill('SIGTERM');
    await bot.ended;

    expect(owedRows(around)).toBe(0);
  });
});
