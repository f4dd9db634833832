import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { SAMPLE_CATALOG } from '../../sandbox/sample-cards.ts';
import { confirmCards, offered } from '../support/confirmed-cards.ts';
import { choose, press } from '../support/replies.ts';
import { cardRequests, startWorld, type World } from '../support/world.ts';

const ASK = 'Ask the card service anyway';
const DRAKE = { name: expect.stringMatching(/^Emberwing Drake · /), value: 'base1-4' };

/** Somebody else, in direct messages, where nobody has asked for anything yet. */
function elsewhere({ discord }: World) {
  return { memberId: discord.members[1]?.id ?? '', guildId: null };
}

function suggestions({ discord }: World, typed: string, as: object = {}) {
  return discord.complete({ command: 'card', options: { id: typed }, focused: 'id', ...as });
}

describe('while an id is typed', () => {
  let world: World;
  beforeAll(async () => {
    world = await startWorld({ catalog: SAMPLE_CATALOG });
    await offered(world, 'base1-4');
  });

  it.each(['ember', 'drake ember', 'light 4/102', 'BASE1 4', 'embrewing'])('%j finds the card', async (typed) => {
    expect((await suggestions(world, typed))[0]).toEqual(DRAKE);
  });
});

describe('an empty field', () => {
  it('shows what this member asked for last, here and elsewhere, after a restart too, and in no log', async () => {
    const world = await startWorld();
    for (const id of ['base1-4', 'dusk2-1', 'base1-4']) await world.card(id).settled();
    const alice = { memberId: world.discord.members[0]?.id ?? '' };
    const values = async (as: object) => (await suggestions(world, '', as)).map(({ value }) => value);

    await expect.poll(() => values({ ...alice, guildId: null })).toEqual(['base1-4', 'dusk2-1']);
    expect(await values(elsewhere(world))).toEqual([]);
    await world.restartBot();
    await expect.poll(() => values({ ...alice, guildId: null })).toEqual(['base1-4', 'dusk2-1']);
    expect(await values(elsewhere(world))).toEqual([]);

    expect(cardRequests(world)).toHaveLength(2);
    const suggested = world.lines.filter(({ msg }) => msg === 'suggestions');
    expect(suggested.length).toBeGreaterThan(0);
    expect(JSON.stringify(suggested)).not.toMatch(/base1|dusk2/);
  });

  it('shows what the server asks for most, and no member theirs with MEMBER_HISTORY=off', async () => {
    const world = await startWorld({ env: { MEMBER_HISTORY: 'off' } });
    const [alice, bjorn] = world.discord.members.map(({ id: memberId }) => ({ memberId }));
    await world.card('dusk2-1', {}, alice).settled();
    await world.card('base1-4', {}, bjorn).settled();
    await world.card('base1-4', {}, alice).settled();
    const values = async (as: object) => (await suggestions(world, '', as)).map(({ value }) => value);

    await expect.poll(() => values({ ...alice })).toEqual(['base1-4', 'dusk2-1']);
    expect(await values({ ...alice, guildId: null })).toEqual([]);
  });
});

describe('a text that was not picked', () => {
  let world: World;
  beforeAll(async () => {
    world = await startWorld();
    await confirmCards(world);
  });

  it('is shown at once when it means one card, whose id is in its footer', async () => {
    const before = cardRequests(world).length;
    for (const typed of ['BASE1 1', 'wick who waits']) {
      const { content, embeds, ephemeral } = await world.card(typed).settled();
      const footer = { text: expect.stringMatching(/^base1-1 · /) };
      expect([content, embeds[0], ephemeral]).toMatchObject(['', { title: 'Wick, Who Waits', footer }, false]);
    }
    expect(cardRequests(world).slice(before)).toEqual(['/cards/base1-1?includePrices=true']);
  });
});

it('menus and buttons work after a restart, which may come while their lookup is pending, and cost one request each', async () => {
  const world = await startWorld();
  await confirmCards(world);
  const offered = await world.card('first light').settled();
  const unknown = await world.card('Emberwing Dragon').settled();
  expect(unknown).toMatchObject({ ephemeral: true });
  expect(unknown.content).toMatch(
    /^I don't know a card called \*\*Emberwing Dragon\*\*.\nDid you mean .*Emberwing Drake/,
  );
  expect(unknown.content).toContain("uses one of today's new lookups");
  expect(world.cardService.requests).toEqual([]);

  await world.restartBot();
  const chosen = choose(world, offered, 'base1-2');
  expect(await chosen.settled()).toMatchObject({ embeds: [{ title: 'Moth Cartographer' }] });

  world.cardService.set({ latencyMs: 60_000 });
  const asked = press(world, unknown, ASK);
  await asked.until(({ state }) => state === 'thinking');
  await expect.poll(() => cardRequests(world)).toHaveLength(2);
  await world.stopBot();
  world.cardService.set({ latencyMs: 0 });
  await world.restartBot();
  const { content } = await asked.until((message) => message.content.startsWith('No card has'));
  expect(content).toBe('No card has the id **Emberwing Dragon**. Try typing its name.');
  expect(cardRequests(world).slice(2)).toEqual(['/cards/Emberwing%20Dragon?includePrices=true']);
});

it('while names cannot be searched none is sent as an id, and each can be asked for all the same, also after a restart', async () => {
  const world = await startWorld();
  const { config, discord } = world;
  await world.stopBot();
  rmSync(join(config.dataDir, 'catalog.sqlite'), { force: true });
  mkdirSync(join(config.dataDir, 'catalog.sqlite')); // cannot be opened, nor replaced
  await world.restartBot();

  const typed = await world.card('Emberwing Dragon').settled();
  expect(typed).toMatchObject({
    ephemeral: true,
    content: expect.stringContaining("can't search card names right now"),
  });
  const list = discord.type({ command: 'cards', options: { ids: 'Emberwing Dragon, base1-4, wick who waits' } });
  const listed = await list.until(({ content }) => content.includes('left these out'));
  expect(listed.content).toContain('**Emberwing Dragon** and **wick who waits**');
  expect(listed).toMatchObject({ embeds: [{ title: 'Emberwing Drake' }] });
  const none = await discord
    .type({ command: 'Look up cards', target: { messageId: listed.messageId ?? '' } })
    .settled();
  expect(none.content).toContain("can't search card names right now");
  expect(cardRequests(world)).toEqual(['/cards/base1-4?includePrices=true']);

  await world.restartBot();
  const clicked = await press(world, typed, ASK).settled();
  expect(clicked.content).toBe('No card has the id **Emberwing Dragon**. Try typing its name.');
  expect((await choose(world, listed, 'wick who waits').settled()).content).toContain('wick who waits');
  expect(cardRequests(world)).toHaveLength(3);
});
