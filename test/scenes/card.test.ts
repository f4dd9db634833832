import { expect, it } from 'vitest';
import { formatMessage } from '../../src/render/messages.ts';
import { scenes } from '../support/scene-script.ts';
import { cardRequests, inWorld, startWorld, WITH_NAMES } from '../support/world.ts';

it.each(['ember', 'drake ember', 'light 4/102', 'BASE1 4', 'embrewing'])(
  '%j finds the card while an id is typed',
  async (typed) => {
    const world = await startWorld(WITH_NAMES);
    const [row] = await world.discord.complete({ command: 'card', options: { id: typed }, focused: 'id' });
    expect(row).toEqual({ name: expect.stringMatching(/^Emberwing Drake · /), value: 'base1-4' });
  },
);

inWorld(
  '/card shows name, facts, picture, prices and the requests left today; without prices it asks for them all the same, and leaves a line in the log',
  async (world) => {
    const { alice: member } = world;
    const [guild] = world.discord.guilds;

    const without = await world.card('base1-4', { prices: false }).settled();
    const { embeds, ephemeral } = await world.card('base1-4').settled();

    expect([without.embeds[0]?.description?.includes('market'), ephemeral]).toEqual([false, false]);
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

const ASK = 'use Ask the card service anyway; until ';
const LOOKED_UP = 'card base1-4; until its end; card dusk2-1; until its end; card base1-4; until its end; +1 s';
const MINE = 'suggested in a DM; suggested to bob in a DM';
const FOOTER = 'reads \nbase1-1 · ';
const PAGE = 'shows; menu; buttons';
const HEAD = '103 cards are called Emberwing Drake. Add a set or a number, or choose:';
const FIRST_PAGE = `${HEAD} | 25 from base1-4 | , Next 25`;
const SECOND_PAGE = `${HEAD} | 25 from promo25-1 | , Previous 25, Next 25`;
const UNKNOWN = 'No card has the id **Emberwing Dragon**. Try typing its name.';
const ALONE = 'reads Only you can see this';

scenes([
  [
    'an empty field shows what this member asked for last, here and elsewhere, after a restart too',
    {},
    `${LOOKED_UP}; ${MINE}; restart; +2 s; ${MINE}; requests`,
    'base1-4 dusk2-1 |  | base1-4 dusk2-1 |  | 2',
  ],
  [
    'an empty field shows what the server asks for most, and no member theirs with MEMBER_HISTORY=off',
    { env: { MEMBER_HISTORY: 'off' } },
    `card dusk2-1; until its end; bob: card base1-4; until its end; card base1-4; until its end; +1 s;
      suggested; suggested in a DM`,
    'base1-4 dusk2-1 | ',
  ],
  [
    'a private lookup is suggested to the member who made it alone',
    {},
    `card base1-4 in private; until its end; card base1-4 in private; until its end;
      card base1-1 in private elsewhere; until its end; cards base1-1 in private; until its end; +1 s;
      suggested; suggested to bob; cards base1-1; until its end; +1 s; suggested to bob`,
    'base1-1 base1-4 |  | base1-1',
  ],
  [
    'menus and buttons work after a restart, which may come while their lookup is pending, and cost one request each',
    WITH_NAMES,
    `names are known; card first light; until its end; card Emberwing Dragon; until its end; ${ALONE};
      reads I don't know a card called **Emberwing Dragon**.\nDid you mean; reads Emberwing Drake;
      reads uses one of today's new lookups; requests; restart; choose base1-2; until its end; shows;
      service takes 60 s; ${ASK}thinking…; +1 s; requests; stop; service takes 0 ms; restart;
      until No card has; shows; requested`,
    `yes | yes | yes | yes | 0 | Moth Cartographer | 2 | ${UNKNOWN} | base1-2 Emberwing%20Dragon Emberwing%20Dragon`,
  ],
  [
    'while names cannot be searched none is sent as an id, and each can be asked for all the same, also after a restart',
    {},
    `its names cannot be read; card Emberwing Dragon; until its end; ${ALONE};
      reads can't search card names right now; cards Emberwing Dragon, base1-4, wick who waits; +5 s;
      reads left these out; reads **Emberwing Dragon** and **wick who waits**; shows; look up its cards; until its end;
      reads can't search card names right now; requested; restart; ${ASK}its end;
      shows; choose wick who waits; until its end;
      reads wick who waits; requests`,
    `yes | yes | yes | yes | Emberwing Drake | yes | base1-4 | ${UNKNOWN} | yes | 3`,
  ],
  [
    'a text that was not picked is shown at once when it means one card, whose id is in its footer',
    {},
    `names are known; so far; card BASE1 1; until its end; shows; content; ${FOOTER}; lacks Only you can see this;
      card wick who waits; until its end; shows; content; ${FOOTER}; lacks Only you can see this; requested`,
    'Wick, Who Waits |  | yes | yes | Wick, Who Waits |  | yes | yes | base1-1',
  ],
  [
    'the buttons under a card work after a restart, too, and a menu of printings asks for the one that is chosen',
    {},
    `card base1-4; until its end; use Other printings; until its end;
      shows; dusk2-1 is known as emberwing drake; restart; +2 s;
      card base1-4; until its end; buttons; bob uses Other printings; until its end; ${ALONE}; shows;
      choose dusk2-1; until its end; lacks Only you can see this; how many cards; requests`,
    `I don't know any other printings of this card. | Watch, Other printings, Delete | yes | ${formatMessage('de', 'otherPrintings', { cards: 1 })} | yes | 1 | 2`,
  ],
  [
    '103 cards of a name are a menu of 25 whose pages turn in place, after a restart too, and cost nothing until one is chosen',
    {
      catalog: ['base1-4', ...Array.from({ length: 102 }, (_, at) => `promo${at + 1}-1`)].map((id) => ({
        ...{ id, name: 'Emberwing Drake' },
      })),
    },
    `card emberwing drake; until its end; ${ALONE}; ${PAGE}; press Next 25; +1 s; ${PAGE}; press Previous 25; +1 s; ${PAGE};
      restart; +2 s; press Next 25; +1 s; ${PAGE}; messages;
      card base1-4; until its end; use Other printings; until its end; shows; buttons; requests`,
    [
      ...['yes', FIRST_PAGE, SECOND_PAGE, FIRST_PAGE, SECOND_PAGE],
      ...['1', 'I know 102 other printings of this card.', ', Next 25', '1'],
    ].join(' | '),
  ],
  [
    'a price that is known for days is shown as a picture over 30 days or 7, to its member alone or to everyone, and costs nothing',
    { known: [{ id: 'base1-4', ageMs: 3_600_000, hasHistory: true }] },
    `card base1-4; until its end; use Price history; until its end; ${ALONE}; shows;
      reads {Chart of the market price from May 21, 2026 to ; reads . Last: 36.33.}; reads 30 days (chosen); reads 7 days\n;
      pick 7; +1 s; lacks 30 days (chosen); reads 7 days (chosen); reads {Chart of the market price from May 26, 2026 to ;
      use Show to everyone; until its end; lacks Only you; reads {Chart of the market price from May 26, 2026 to ; buttons;
      requests`,
    'yes | **Emberwing Drake** · market price | yes | yes | yes | yes | yes | yes | yes | yes | yes | Delete | 0',
  ],
]);
