import { expect, vi } from 'vitest';
import { SAMPLE_CARDS } from '../../src/sandbox/sample-cards.ts';
import type { World } from '../support/world.ts';

/** One line of Prometheus's text format. */
export interface Sample {
  name: string;
  labels: Record<string, string>;
  value: number;
}

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

/** @throws for a line that is no sample */
export function parseMetrics(text: string): Sample[] {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return lines.map((line) => {
    const [, name, labels = '', value] = /^([a-z_]+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
    if (name === undefined || value === undefined) throw new Error(`no sample: ${line}`);
    const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, label = '', text = '']) => [label, text]);
    return { name, labels: Object.fromEntries(pairs), value: Number(value) };
  });
}

/** The value of the one sample with this name and these labels, if there is one. */
export function sampleValue(samples: readonly Sample[], name: string, labels: Record<string, string> = {}) {
  const found = samples.filter(
    (sample) => sample.name === name && Object.entries(labels).every(([label, text]) => sample.labels[label] === text),
  );
  return found.length === 1 ? found[0]?.value : undefined;
}

export const OTHER_CARD = SAMPLE_CARDS.find(({ id }) => id !== 'base1-4')?.id ?? '';

/** Everything that members and the service do to a bot: answers of each source, errors, a 429, a deferred reply. */
export async function typeTraffic({ card, usage, cardService, lines, discord }: World): Promise<void> {
  await usage().settled();
  await card('base1-4').settled();
  await card('base1-4').settled();
  const [alice, bob] = discord.members.map(({ id }) => id);
  if (alice === undefined || bob === undefined) throw new Error('two members are needed');
  cardService.set({ latencyMs: 300 });
  await Promise.all([alice, bob].map((memberId) => card(OTHER_CARD, {}, { memberId }).settled()));
  cardService.set({ latencyMs: 0, stormUntilMs: Date.now() + 200 });
  await card('no-such-card').settled();
  await card('..', {}, { memberId: alice }).settled();
  await vi.waitUntil(() => lines.filter(({ msg }) => msg === 'command').length === 7, { timeout: 30_000 });
}
