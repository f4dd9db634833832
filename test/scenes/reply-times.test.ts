import { expect, it } from 'vitest';
import type { TypedInteraction } from '../../sandbox/discord/conversation.ts';
import { SAMPLE_CARDS } from '../../sandbox/sample-cards.ts';
import { cardRequests, IDS, inWorld, isFinal, startWorld } from '../support/world.ts';

const HOUR_MS = 3_600_000;

function about(atMs: number): string {
  const leftMs = atMs - Date.now();
  return leftMs < 8_000 ? 'soon' : `in ${10 * Math.round(leftMs / 10_000)} s`;
}

/** What a reply shows after "thinking…": since when, in seconds, how many cards, and the first sentence. */
async function course(typed: TypedInteraction): Promise<string> {
  const [fromMs, moments] = [Date.now(), [] as string[]];
  await typed.until((message) => {
    const since = ((Date.now() - fromMs) / 1_000).toFixed(1);
    const [line = ''] = message.content.split('\n');
    const sentence = line.replace(/<t:(\d+):\w>/, (_, at) => about(1_000 * at));
    if (message.state === 'answered') moments.push(`${since} ${message.embeds.length} ${sentence}`.trim());
    return isFinal(message) && !line.includes('more card');
  }, 600_000);
  return moments.join(' | ');
}

inWorld('cards that come one after the other are shown every 1.5 s, and not once for each', async (world) => {
  for (const [at, body] of SAMPLE_CARDS.slice(0, 10).entries()) {
    world.cardService.script({ path: `/${body.id}?`, delayMs: 400 * (at + 1), body });
  }
  const typed = world.cards(IDS.slice(0, 10).join());
  const shown = ['0.4 1 9', '1.9 3 7', '3.4 6 4', '4.9 8 2'].map((moment) => `${moment} more cards are on their way.`);
  expect(await course(typed)).toBe([...shown, '6.0 10'].join(' | '));
});

const IN_LINE = "You're in line. Your card should be here around";
const BOTH = '0.0 0 2 more cards should be here around in 20 s.';

it.each<[rule: string, requestsPerMinute: number, delayMs: number, newcomers: number, ids: string, shown: string]>([
  ['of 2 s for a permit is not told', 20, 0, 0, 'base1-2', '2.0 1'],
  ['of 4 s for a permit is told', 12, 0, 0, 'base1-2', `0.0 0 ${IN_LINE} soon. | 4.0 1`],
  ['for an answer is told after 5 s', 600, 9_000, 0, 'base1-1', '5.0 0 Still asking the card service… | 8.0 1'],
  [
    'for several permits is told as that for the last, which other members make longer',
    ...([6, 0, 1, 'base1-2,base1-3'] as const),
    `${BOTH} | 9.0 1 One more card should be here around in 20 s. | 29.0 2`,
  ],
  [
    'is told anew where it becomes longer by more than 15 s',
    ...([6, 0, 2, 'base1-2,base1-3'] as const),
    `${BOTH} | 1.5 0 2 more cards should be here around in 40 s. | 9.0 1 One more card should be here around in 30 s. | 39.0 2`,
  ],
])('a wait %s', async (_, requestsPerMinute, delayMs, newcomers, ids, shown) => {
  const world = await startWorld({ service: { requestsPerMinute, burst: 2, requestsPerDay: 1_000 } });
  world.cardService.script({ path: '/base1-1?', body: SAMPLE_CARDS[0], delayMs });
  world.card('base1-1');
  await world.pass(1_000);
  const typed = ids.includes(',') ? world.type('cards', { ids }) : world.card(ids);
  const told = course(typed);
  await world.pass(100);
  const others = world.discord.members.slice(1, 1 + newcomers);
  for (const [at, { id }] of others.entries()) world.card(IDS[10 + at] ?? '', {}, { memberId: id });
  expect(await told).toBe(shown);
});

const RARELY = { service: { requestsPerMinute: 1, burst: 2, requestsPerDay: 1_000 } };

it('stale copies are renewed behind all cards that members wait for, and for five minutes at most', async () => {
  const stale = IDS.slice(0, 8).map((id) => ({ id, ageMs: 7 * HOUR_MS }));
  const world = await startWorld({ ...RARELY, known: stale });
  const typed = stale.map(({ id }) => world.card(id));
  await world.pass(100);
  for (const id of IDS.slice(10, 12)) world.card(id, {}, { memberId: world.bob });
  await world.pass(HOUR_MS / 6);
  const asked = cardRequests(world).map((path) => path.split(/[/?]/)[2]);
  const notes = typed.map(({ message }) => /Showing.*/.exec(message.embeds[0]?.description ?? '')?.[0] ?? 'renewed');
  const busy = "Showing a saved copy: it's busy right now.";
  expect(asked).toEqual([IDS[0], IDS[10], IDS[11], IDS[1], IDS[2], IDS[3]]);
  expect(notes).toEqual([...Array(4).fill('renewed'), ...Array(4).fill(busy)]);
});

inWorld('a card that a member was let wait for is waited for longer where others come first', RARELY, async (world) => {
  const typed = world.cards(IDS.slice(0, 5).join());
  await world.pass(100);
  const others = world.discord.members.slice(1, 3);
  for (const [at, { id: memberId }] of others.entries()) world.card(IDS[10 + at] ?? '', {}, { memberId });
  await world.pass(HOUR_MS / 8);
  expect([cardRequests(world).length, typed.message.embeds.length]).toEqual([7, 5]);
});

inWorld(
  'a list in which the process stops says of no card that it will not come, and another process brings it',
  { service: { requestsPerMinute: 6, burst: 4, requestsPerDay: 1_000 } },
  async (world) => {
    for (const [at, body] of SAMPLE_CARDS.slice(0, 3).entries()) {
      world.cardService.script({ path: `/${body.id}?`, delayMs: [0, 4_000, 6_000][at] ?? 0, body });
    }
    const told = course(world.cards(IDS.slice(0, 4).join()));
    await world.pass(3_200);
    await world.restartBot();
    expect(await told).toBe(
      [
        '0.0 1 3 more cards are on their way.',
        '1.5 1 3 more cards should be here around in 10 s.',
        '4.0 2 2 more cards are on their way.',
        '6.0 3 One more card is on its way.',
        '10.0 4',
      ].join(' | '),
    );
  },
);
