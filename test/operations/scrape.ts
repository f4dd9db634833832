import { expect, vi } from 'vitest';
import { SAMPLE_CARDS } from '../../sandbox/sample-cards.ts';
import type { World } from '../support/world.ts';

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

/** One line of Prometheus's text format. */
export type Sample = ReturnType<typeof parseMetrics>[number];

/** @throws for a line that is no sample */
export function parseMetrics(text: string) {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return lines.map((line) => {
    const [, name, given = '', value] = /^([a-z0-9_]+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
    if (name === undefined) throw new Error(`no sample: ${line}`);
    const pairs = [...given.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, label, text]) => [label, text]);
    const labels: Record<string, string> = Object.fromEntries(pairs);
    return { name, labels, value: Number(value) };
  });
}

/** The value of the one sample with this name and these labels, if there is one. */
export function sampleValue(samples: readonly Sample[], name: string, labels: Record<string, string> = {}) {
  const found = samples.filter(
    (sample) => sample.name === name && Object.entries(labels).every(([label, text]) => sample.labels[label] === text),
  );
  return found.length === 1 ? found[0]?.value : undefined;
}
