import { expect, it } from 'vitest';
import type { ChatMessage } from '../../sandbox/discord/chat.ts';
import type { TypedInteraction } from '../../sandbox/discord/conversation.ts';
import {
  cardRequests,
  edits,
  hasCard,
  IDS,
  inWorld,
  labels,
  press,
  said,
  startWorld,
  type World,
} from '../support/world.ts';

// Some of what is here is kept in files or in Redis: over-redis.test.ts runs these again.

/** One card a second after the first, so that a list waits in line. */
const SLOW = { requestsPerMinute: 60, burst: 2, requestsPerDay: 1_000 };
const LIST = IDS.slice(10, 18);

const isDeleted = ({ deleted }: ChatMessage) => deleted === true;

/** A list of eight cards that shows its first: the others wait in line. */
async function waitingList({ cards }: World): Promise<TypedInteraction> {
  const typed = cards(LIST.join());
  await typed.until(hasCard);
  return typed;
}

/** Bob, who may manage messages, deletes one. */
function moderates({ discord, bob: memberId }: World, { messageId = '' }: ChatMessage): TypedInteraction {
  return discord.click({ messageId, customId: 'card:delete', memberId, manageMessages: true });
}

inWorld(
  'a list that waits in line is taken back by who asked for it: its place is free, nothing more is requested or shown',
  { service: SLOW },
  async (world) => {
    const { alice, bob } = world;
    const list = await waitingList(world);
    expect(labels(list.message)).toEqual(['Delete']);

    const refused = await press(world, list.message, 'Delete', bob).settled();
    expect([refused.ephemeral, isDeleted(list.message)]).toEqual([true, false]);
    press(world, list.message, 'Delete', alice);
    await list.until(isDeleted);
    const [shownAtMost, requested] = [edits(world), cardRequests(world).length];

    for (const id of IDS.slice(0, 3)) await world.card(id, {}, { memberId: bob }).settled();
    const kept = LIST[0] ?? '';
    expect((await world.card(kept).settled()).embeds).toHaveLength(1);
    expect(cardRequests(world)).toHaveLength(requested + 3);
    expect(list.message.deleted).toBe(true);
    const { length: edited } = list.history;
    await world.restartBot();
    await world.card(kept).settled();
    expect([list.history.length, edits(world) >= shownAtMost]).toEqual([edited, true]);
    const outcomes = world.lines.filter(({ msg }) => msg === 'command').map(({ outcome }) => outcome);
    expect(outcomes.filter((outcome) => outcome === 'deleted')).toHaveLength(1);
    expect(world.discord.requests.filter(({ status }) => status === 404)).toEqual([]);
  },
);

inWorld(
  'a wait is taken back by who may manage messages; the request under way is kept, and costs what it costs',
  async (world) => {
    world.cardService.set({ latencyMs: 7_000 });
    const typed = world.card('base1-4');
    const wait = await typed.until(({ content }) => content.startsWith('Still asking'));
    expect(labels(wait)).toEqual(['Delete']);
    moderates(world, wait);
    await typed.until(isDeleted);

    const again = world.card('base1-4', {}, { memberId: world.bob });
    expect((await again.until(hasCard)).embeds[0]?.title).toBe('Emberwing Drake');
    expect(cardRequests(world)).toHaveLength(1);
    expect(typed.message.deleted).toBe(true);
    expect(typed.message.embeds).toEqual([]);
  },
);

inWorld(
  "a reply that somebody deletes by Discord's own means ends with the next edit, and is not completed after a restart",
  { service: SLOW },
  async (world) => {
    const list = await waitingList(world);
    world.discord.dismiss(list.message.messageId ?? '');

    const deleted = () => world.lines.filter(({ outcome }) => outcome === 'deleted');
    await expect.poll(deleted).toMatchObject([{ command: 'cards' }]);
    const requested = cardRequests(world).length;
    expect(requested).toBeLessThan(LIST.length);
    await world.restartBot();
    await world.card('base1-4').settled();
    expect(cardRequests(world)).toHaveLength(requested + 1);
    expect(list.message.deleted).toBe(true);
    expect(said(world, 'deferred replies taken over')).toBe(0);
  },
);

const TOO_LATE = { status: 404, body: { code: 10_062, message: 'Unknown interaction' } };
it.each([
  ['Discord is not reached', { route: 'delete', answer: 'close', times: 99 }],
  ['the press comes too late to be answered', { route: 'callback', answer: TOO_LATE }],
] as const)('a reply goes on when %s, until somebody else presses its button', async (_, fault) => {
  const world = await startWorld({ service: SLOW });
  const list = await waitingList(world);
  const { length: shown } = list.message.embeds;
  world.discord.faults.script(fault);
  press(world, list.message, 'Delete');
  await list.until(({ embeds }) => embeds.length > shown);
  world.discord.faults.clear();
  moderates(world, list.message);
  await list.until(isDeleted);
  await expect.poll(() => world.lines.filter(({ outcome }) => outcome === 'deleted')).toHaveLength(1);
  expect(cardRequests(world).length).toBeLessThan(LIST.length);
});

inWorld('whoever presses a message that is gone by the time of the answer reads of no fault', async (world) => {
  const message = await world.card('base1-4').settled();
  world.discord.faults.script({ route: 'callback', delayMs: 300 }, { route: 'callback', delayMs: 1_000 });
  press(world, message, 'Delete');
  const late = moderates(world, message);
  await expect
    .poll(() => world.lines.filter(({ member }) => member === world.bob))
    .toMatchObject([{ outcome: 'answered' }]);
  expect(late.message).toMatchObject({ state: 'sent', content: '' });
});
