import { expect, vi } from 'vitest';
import { SAMPLE_CARDS } from '../../sandbox/sample-cards.ts';
import type { World } from '../support/world.ts';
import { parseMetrics, type Sample } from './parse-metrics.ts';

/** Where the bot of a world that was started with `HTTP_PORT=0` serves its pages. */
export function addressOf({ lines }: Pick<World, 'lines'>): string {
  const { port } = lines.findLast(({ msg }) => msg === 'metrics are served') ?? {};
  return `http://127.0.0.1:${port}`;
}

export async function scrape(address: string): Promise<Sample[]> {
  const response = await fetch(`${address}/metrics`);
  expect(response.status).toBe(200);
  return parseMetrics(await response.text());
}

export const OTHER_CARD = SAMPLE_CARDS.find(({ id }) => id !== 'base1-4')?.id ?? '';

/** Everything that members and the service do to a bot: answers of each source, errors, a 429, a deferred reply. */
export async function typeTraffic({ card, usage, cardService, lines, discord }: World): Promise<void> {
  await usage().settled();
  await card('base1-4').settled();
  await card('base1-4').settled();
  cardService.set({ latencyMs: 300 });
  await Promise.all(
    discord.members.slice(0, 2).map(({ id: memberId }) => card(OTHER_CARD, {}, { memberId }).settled()),
  );
  cardService.set({ latencyMs: 0 });
  cardService.script({ status: 429, headers: { 'retry-after': '1' }, body: '' });
  await card('no-such-card').settled();
  await card('..').settled();
  await vi.waitUntil(() => lines.filter(({ msg }) => msg === 'command').length === 7, { timeout: 60_000 });
}
