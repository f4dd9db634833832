import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  cardRequests,
  choose,
  confirmCards,
  inWorld,
  isThinking,
  press,
  startWorld,
  WITH_NAMES,
  type World,
} from '../support/world.ts';

const ASK = 'Ask the card service anyway';

/** Somebody else, in direct messages, where nobody has asked for anything yet. */
const elsewhere = ({ bob }: World) => ({ memberId: bob, guildId: null });

it.each(['ember', 'drake ember', 'light 4/102', 'BASE1 4', 'embrewing'])(
  '%j finds the card while an id is typed',
  async (typed) => {
    const world = await startWorld(WITH_NAMES);
    const [row] = await world.discord.complete({ command: 'card', options: { id: typed }, focused: 'id' });
    expect(row).toEqual({ name: expect.stringMatching(/^Emberwing Drake · /), value: 'base1-4' });
  },
);

describe('an empty field', () => {
  inWorld(
    'shows what this member asked for last, here and elsewhere, after a restart too, and in no log',
    async (world) => {
      for (const id of ['base1-4', 'dusk2-1', 'base1-4']) await world.card(id).settled();
      const suggested = () => world.suggested('', { guildId: null });

      await expect.poll(suggested).toEqual(['base1-4', 'dusk2-1']);
      expect(await world.suggested('', elsewhere(world))).toEqual([]);
      await world.restartBot();
      await expect.poll(suggested).toEqual(['base1-4', 'dusk2-1']);
      expect(await world.suggested('', elsewhere(world))).toEqual([]);

      expect(cardRequests(world)).toHaveLength(2);
      const logged = world.lines.filter(({ msg }) => msg === 'suggestions');
      expect(logged.length).toBeGreaterThan(0);
      expect(JSON.stringify(logged)).not.toMatch(/base1|dusk2/);
    },
  );

  inWorld(
    'shows what the server asks for most, and no member theirs with MEMBER_HISTORY=off',
    { env: { MEMBER_HISTORY: 'off' } },
    async (world) => {
      await world.card('dusk2-1').settled();
      await world.card('base1-4', {}, { memberId: world.bob }).settled();
      await world.card('base1-4').settled();

      await expect.poll(() => world.suggested('')).toEqual(['base1-4', 'dusk2-1']);
      expect(await world.suggested('', { guildId: null })).toEqual([]);
    },
  );
});

inWorld(
  'a text that was not picked is shown at once when it means one card, whose id is in its footer',
  async (world) => {
    await confirmCards(world);
    const before = cardRequests(world).length;
    for (const typed of ['BASE1 1', 'wick who waits']) {
      const { content, embeds, ephemeral } = await world.card(typed).settled();
      const footer = { text: expect.stringMatching(/^base1-1 · /) };
      expect([content, embeds[0], ephemeral]).toMatchObject(['', { title: 'Wick, Who Waits', footer }, false]);
    }
    expect(cardRequests(world).slice(before)).toEqual(['/cards/base1-1?includePrices=true']);
  },
);

inWorld(
  'menus and buttons work after a restart, which may come while their lookup is pending, and cost one request each',
  async (world) => {
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
    await asked.until(isThinking);
    await expect.poll(() => cardRequests(world)).toHaveLength(2);
    await world.stopBot();
    world.cardService.set({ latencyMs: 0 });
    await world.restartBot();
    const { content } = await asked.until((message) => message.content.startsWith('No card has'));
    expect(content).toBe('No card has the id **Emberwing Dragon**. Try typing its name.');
    expect(cardRequests(world).slice(2)).toEqual(['/cards/Emberwing%20Dragon?includePrices=true']);
  },
);

inWorld(
  'while names cannot be searched none is sent as an id, and each can be asked for all the same, also after a restart',
  async (world) => {
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
    const listed = await world
      .cards('Emberwing Dragon, base1-4, wick who waits')
      .until(({ content }) => content.includes('left these out'));
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
  },
);

inWorld(
  '/card shows name, facts, picture, prices and the requests left today; without prices it asks for them all the same, and leaves a line in the log',
  async (world) => {
    const { alice: member } = world;
    const [guild] = world.discord.guilds;

    const without = await world.card('base1-4', { prices: false }).settled();
    const { embeds, ephemeral } = await world.card('base1-4').settled();

    expect(without.embeds[0]?.description).not.toContain('market');
    expect(ephemeral).toBe(false);
    expect(embeds).toMatchObject([
      {
        title: 'Emberwing Drake',
        image: { url: 'https://images.cards.example/base1/4.png' },
        footer: { text: 'base1-4 · 999 of 1,000 new lookups left today' },
      },
    ]);
    expect(embeds[0]?.description).toMatch(
      /^Lanternfolk · [^·]+ · \d+\/\d+ · [^·]+\n\*\*36\.33\*\* market\n-# offers [\d.]+ to [\d.]+/,
    );
    expect(cardRequests(world)).toEqual(['/cards/base1-4?includePrices=true']);
    const who = { command: 'card', card: 'base1-4', guild: guild?.id, member, outcome: 'answered' };
    const times = { waitMs: expect.any(Number), tookMs: expect.any(Number) };
    expect(await world.commandLines(2)).toMatchObject([
      { ...who, ...times, source: 'service' },
      { ...who, source: 'cache' },
    ]);
    const requested = world.lines.filter(({ msg }) => msg === 'card requested');
    expect(requested).toMatchObject([{ cardIds: ['base1-4'], lane: 'members', members: [member] }]);
  },
);

inWorld('a private lookup is suggested to the member who made it alone', async (world) => {
  const [guildId = '', elsewhere = ''] = world.discord.guilds.map(({ id }) => id);
  const { alice, bob } = world;
  const lookUp = (command: string, options: Record<string, string | boolean>, at = guildId) =>
    world.type(command, options, { memberId: alice, guildId: at }).settled();
  const suggested = (memberId: string) => world.suggested('', { memberId });
  await lookUp('card', { id: 'base1-4', private: true });
  await lookUp('card', { id: 'base1-4', private: true }); // kept now
  await lookUp('card', { id: 'base1-1', private: true }, elsewhere);
  await lookUp('cards', { ids: 'base1-1', private: true });
  await expect.poll(() => suggested(alice)).toEqual(['base1-1', 'base1-4']);
  expect(await suggested(bob)).toEqual([]);

  await lookUp('cards', { ids: 'base1-1' });
  await expect.poll(() => suggested(bob)).toEqual(['base1-1']);
});
