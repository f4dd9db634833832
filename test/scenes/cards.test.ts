import { describe, expect, it } from 'vitest';
import type { ChatMessage } from '../../sandbox/discord/chat.ts';
import { cardsOf } from '../support/open-catalog.ts';
import { scenes } from '../support/scene-script.ts';
import {
  cardRequests,
  confirmCards,
  hasListEnded,
  inWorld,
  QUICK,
  startWorld,
  WITH_NAMES,
  type World,
} from '../support/world.ts';

const BULK = { CARD_SERVICE_BULK_PATH: '/cards?ids={ids}' };

const DECK = 'Deck\n4x Wick, Who Waits\n1 Moth Cartographer (base1) 2\n\nSideboard\n2 base1-3 *F*\nTotal Cards: 7';
const LINES = [
  '**emberwing drak**: which of these 3 cards do you mean?',
  '**windup nightngale**: did you mean Windup Nightingale?',
];
const BOTH = LINES.map((line) => `reads ${line}`).join('; ');
const ALONE = 'reads Only you can see this';

scenes([
  [
    'several cards come in one reply, in the order asked for, with what they cost',
    { env: BULK },
    `names are known; card base1-4; until its end; +1 s; so far;
      cards base1-4, wick who waits;base1-2 base1-3\nbase9-999,nothing like this,first light; until 4 cards; +5 s; shows;
      reads Not found: **base9\\-999**\n;
      reads **nothing like this**: I don't know a card with that name. Try another spelling, or its id.\n;
      reads **first light**: which of these 12 cards do you mean?; lacks Only you; requests; reads · 2 new lookups used · ;
      /cards ids:base1-1,base1-2 private:true prices:false; until its end; ${ALONE}; shows; content; lacks new lookups used;
      reads of 1,000 new lookups left today; requests`,
    'Emberwing Drake,Wick, Who Waits,Moth Cartographer,Candle Hare | yes | yes | yes | yes | 3 | yes | yes | Wick, Who Waits,Moth Cartographer |  | yes | yes | 3',
  ],
  [
    'what a list has mistyped is said by itself, with one menu for all of it in private, also after a takeover',
    WITH_NAMES,
    `service takes 60 s; /cards ids:emberwing drak, base1-1, windup nightngale, golem, 4/102x prices:false;
      until thinking…; stop; service takes 0 ms; restart; until 2 cards; +3 s; shows; ${BOTH}; parts;
      use Choose a card; until its end; ${ALONE}; ${BOTH}; parts; choose clock-48; until its end; lacks Only you; shows;
      cards wick who wait, base1-4 in private; until its end; parts;
      cards emberwing drak, windup nightngale; until its end; ${ALONE}; shows; parts`,
    [
      ...[
        'Wick, Who Waits,Wax Golem',
        'yes | yes',
        'Choose a card cards:choose:n, Delete card:delete',
        'yes | yes | yes',
      ],
      ...['Choose a card card:show:n base1-4 dusk2-44 promo-7 clock-48 fair4-1 clock-4', 'yes', 'Windup Nightingale'],
      ...['Show Wick, Who Waits card:show:p:base1-1', 'yes', LINES.join('\n')],
      'Choose a card card:show: base1-4 dusk2-44 promo-7 clock-48',
    ].join(' | '),
  ],
  [
    'a list written as a deck costs a request for each card that it names, and none for headings and counts',
    WITH_NAMES,
    `cards ${DECK}; until 3 cards; shows; cards Deck\nPokémon: 12; until its end; ${ALONE}; how many cards; requests`,
    'Wick, Who Waits,Moth Cartographer,Candle Hare | yes | 0 | 3',
  ],
  [
    'in one list, a budget refuses only the cards beyond it, and a stale one is shown all the same',
    { env: { MEMBER_DAILY_REQUESTS: '2', PRICES_FRESH_SECONDS: '0' } },
    `bob: card base1-4; until its end; +1 s; so far; cards base1-1,base1-2,base1-4,base1-3; until 3 cards; +5 s; shows;
      reads Showing a saved copy; reads **base1\\-3**; reads You've used your 2 new lookups for today; requests;
      cards base1-5,base1-6; until its end; +1 s; ends; log command with shown 3; log command with asked 4;
      log command with shown 0; log command with asked 2`,
    'Wick, Who Waits,Moth Cartographer,Emberwing Drake | yes | yes | yes | 3 | answered from service, BudgetSpent from bot | 1 | 1 | 1 | 1',
  ],
  [
    'the menu of a message looks up the cards in its text and embeds, in private',
    { ...WITH_NAMES, env: BULK },
    `names are known; cards base1-4,base1-1; until 2 cards; +2 s; look up its cards; until its end; ${ALONE}; shows;
      cards a,b,c,d,e,f,g,h,i,j,k; until its end; look up its cards; until its end; ${ALONE}; how many cards; requests`,
    'yes | Emberwing Drake,Wick, Who Waits | yes | 0 | 1',
  ],
]);

const CARDS = [
  ['war-207', 'Jace, the Mind Sculptor', 'War', '207'],
  ['lea-161', 'Lightning Bolt', 'Limited Edition Alpha', '161'],
  ['m10-146', 'Lightning Bolt', 'Magic 2010', '146'],
  ['c21-263', 'Sol Ring', 'Commander; 2021', '263'],
  ...Array.from({ length: 11 }, (_, at) => [`t-${at}`, `Tiny${'abcdefghijk'[at]}`, '', '']),
] as const;

const CATALOG = cardsOf(CARDS);

const COURSE = {
  catalog: CATALOG,
  service: {
    ...QUICK,
    cards: CATALOG.map(({ set = '', number, ...card }) => {
      return { ...card, tcg: 'Trial', set: { id: set, name: set }, ...(number && { number }) };
    }),
  },
};

/** The field of `/cards` as Discord's client has it: a row that is picked puts its name there, and its value is sent unless the text is edited. */
function composer({ discord, cards }: World) {
  let text = '';
  let picked: string | undefined;
  let rows: readonly { name: string; value: string | number }[] = [];
  const field = {
    get text() {
      return text;
    },
    get values() {
      return rows.map(({ value }) => value);
    },
    async edit(changed: string) {
      text = changed;
      picked = undefined;
      rows = await discord.complete({ command: 'cards', options: { ids: text }, focused: 'ids' });
    },
    type: (more: string) => field.edit(text + more),
    /** @returns what is in the field then */
    pick(endOfValue: string): string {
      const row = rows.find(({ value }) => String(value).endsWith(endOfValue));
      if (!row) throw new Error(`no row for ${endOfValue} in ${JSON.stringify(rows)}`);
      text = row.name;
      picked = String(row.value);
      return text;
    },
    send: () => cards(picked ?? text).until(hasEnded),
  };
  return field;
}

const titles = ({ embeds }: ChatMessage) => embeds.map(({ title }) => title);
const hasEnded = (shown: ChatMessage) => shown.ephemeral || hasListEnded(shown);
const asked = (ids: readonly string[]) => ids.map((id) => `/cards/${encodeURIComponent(id)}?includePrices=true`);

describe('cards that are picked one after the other', () => {
  it.each(['as they are picked', 'with a comma behind the last'])(
    'are all shown, and nothing else is asked for: %s',
    async (how) => {
      const world = await startWorld(COURSE);
      const field = composer(world);
      await field.type('jace');
      expect(field.pick('war-207')).toBe('Jace the Mind Sculptor · War · 207');
      await field.type(', bolt');
      expect(field.values).toEqual(['war-207, lea-161', 'war-207, m10-146']);
      expect(field.pick('lea-161')).toBe('war-207, Lightning Bolt · 161 · Limited Edition Alpha');
      await field.type(', lightning');
      expect(field.pick('m10-146')).toBe('war-207, lea-161, Lightning Bolt · 146 · Magic 2010');
      await field.type(';sol');
      expect(field.pick('c21-263')).toBe('war-207, lea-161, m10-146, Sol Ring · Commander 2021 · 263');
      if (how !== 'as they are picked') await field.type(', ');

      const message = await field.send();
      const names = ['Jace, the Mind Sculptor', 'Lightning Bolt', 'Lightning Bolt', 'Sol Ring'];
      expect(titles(message)).toEqual(names);
      expect(cardRequests(world).toSorted()).toEqual(asked(['c21-263', 'lea-161', 'm10-146', 'war-207']));
    },
  );

  inWorld('are ten at most', COURSE, async (world) => {
    const field = composer(world);
    for (let at = 0; at < 10; at++) {
      await field.type(`${at > 0 ? ', ' : ''}tiny${'abcdefghij'[at]}`);
      field.pick(`t-${at}`);
    }
    const ids = Array.from({ length: 10 }, (_, at) => `t-${at}`);
    expect(field.text).toBe([...ids.slice(0, 9), 'Tinyj'].join(', '));
    expect(titles(await field.send())).toHaveLength(10);
    await field.type(', tinyk');
    expect(field.values).toEqual([]);
    expect(await field.send()).toMatchObject({ ephemeral: true, embeds: [] });
    expect(cardRequests(world).toSorted()).toEqual(asked(ids));
  });

  inWorld(
    'are the same once the forms of ids are known, and /card keeps the commas of a name',
    WITH_NAMES,
    async (world) => {
      await confirmCards(world);
      const field = composer(world);
      await field.type('wick');
      expect(field.pick('base1-1')).toBe('Wick Who Waits · First Light · 1/102');
      await field.type(', moth');
      field.pick('base1-2');
      await field.type(' ');
      expect(titles(await field.send())).toEqual(['Wick, Who Waits', 'Moth Cartographer']);

      const [choice] = await world.discord.complete({ command: 'card', options: { id: 'wick' }, focused: 'id' });
      expect(choice?.name).toBe('Wick, Who Waits · First Light · 1/102');
      expect(titles(await world.card(`${choice?.name} `).settled())).toEqual(['Wick, Who Waits']);
    },
  );
});
