import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseChoices } from '../../sandbox/discord/callback-rules.ts';
import type { CardPage, ListedCard, Unclear } from '../../src/model/invocation.ts';
import {
  type ChoiceIds,
  cardChoices,
  cardMenu,
  listChoices,
  otherPrintings,
  severalCards,
  unclearChoice,
  unclearLines,
  unclearTexts,
  unknownCard,
} from '../../src/render/card-list.ts';
import { LANGUAGES } from '../../src/render/languages.ts';
import { expectAccepted } from './discord-limits.ts';
import { nastyText } from './service-answers.ts';

// Menus and pages of printings are in docs/replies/words.txt and test/scenes/card-actions.test.ts.

const [NAME, SET, X] = ['Emberwing Drake', 'First Light', 'x'];
const DRAKE: ListedCard = { id: 'base1-4', name: NAME, set: SET, number: '4/102' };
const LABEL = 'Emberwing Drake · First Light · 4/102';
const LONG = { set: X.repeat(90), number: '9'.repeat(90) };

it.each<[string, Partial<ListedCard>, string]>([
  ['leaves out what is absent', { set: undefined, number: undefined }, 'Emberwing Drake'],
  ['leaves out what is empty', { set: ' ', number: '' }, 'Emberwing Drake'],
  ['is plain text', { name: '**Ember** [x](y)\n@here\u202e', set: '`a`' }, '**Ember** [x](y) @here · `a` · 4/102'],
  [
    'cuts a long name, so that the printing is still told',
    { name: X.repeat(200) },
    `${X.repeat(77)}… · 4/102 · ${SET}`,
  ],
  ['cuts a long set and a long number', LONG, `${NAME} · ${'9'.repeat(19)}… · ${X.repeat(47)}…`],
  ['has a long set whole where everything fits', { set: X.repeat(70) }, `${NAME} · 4/102 · ${X.repeat(70)}`],
  ['has the number first when a phone would cut it', { set: `${SET} of D` }, `${NAME} · 4/102 · ${SET} of D`],
  ['shows another name that was typed', { knownAs: 'Glutdrache' }, `${NAME} (Glutdrache) · 4/102 · ${SET}`],
  ['shows the id when the name is invisible', { name: '\u200b' }, 'base1-4 · First Light · 4/102'],
])('a card in a list %s', (_, change, label) => {
  expect(cardChoices('en-US', [{ ...DRAKE, ...change }])).toEqual([{ name: label, value: DRAKE.id }]);
});

it.each<[string, ListedCard[], string[]]>([
  [
    'that would look the same end with the id',
    [DRAKE, { ...DRAKE, id: 'b-1' }, { ...DRAKE, id: 'b-2', name: 'Drake' }],
    [`${LABEL} · base1-4`, `${LABEL} · b-1`, 'Drake · First Light · 4/102'],
  ],
  [
    'have the number first in all when a phone would cut one of them',
    [DRAKE, { id: 'dusk2-44', name: 'Dusk Drake', set: 'Procession of the Dusk', number: '44/88' }],
    ['Emberwing Drake · 4/102 · First Light', 'Dusk Drake · 44/88 · Procession of the Dusk'],
  ],
])('suggestions %s', (_, cards, labels) => {
  expect(cardChoices('en-US', cards)).toEqual(labels.map((name, at) => ({ name, value: cards[at]?.id })));
});

it('suggestions leave out an id that Discord would refuse, and end after 25', () => {
  const ids = Array.from({ length: 30 }, (_, index) => `id-${index}`);
  const cards = [X.repeat(101), ...ids].map((id) => ({ ...DRAKE, id }));
  expect(cardChoices('en-US', cards).map(({ value }) => value)).toEqual(ids.slice(0, 25));
});

describe('suggestions of a list', () => {
  const named = (name: string, more: Partial<ListedCard> = {}) => ({
    before: 'a-1, ',
    card: { ...DRAKE, name, ...more },
    looksLikeOthers: false,
  });

  it('have ids before the card, nothing in its label that separates two cards, and the id where labels are the same', () => {
    const rows = [named('Wick, Who;Waits'), { ...named('Gull', { id: 'g,1' }), looksLikeOthers: true }, named(',')];
    expect(listChoices('en-US', rows)).toEqual([
      { name: 'a-1, Wick Who Waits · First Light · 4/102', value: 'a-1, base1-4' },
      { name: 'a-1, Gull · First Light · 4/102 · g 1', value: 'a-1, g,1' },
      { name: 'a-1, base1-4 · First Light · 4/102', value: 'a-1, base1-4' },
    ]);
  });

  it('are left out when they do not fit', () => {
    const alone = { set: undefined, number: undefined };
    const ofLength = (length: number) => [named(X.repeat(length), alone), named('y', { id: X.repeat(length) })];
    const choices = listChoices('en-US', [95, 96].flatMap(ofLength));
    expect(choices.map(({ name, value }) => `${name.length} ${value.length}`)).toEqual(['100 12', '28 100']);
  });
});

const IDS: ChoiceIds = { menu: 'm', show: (id) => `show ${id}`, page: (page) => `page ${page}` };
const page = (cards: readonly ListedCard[], more: Partial<CardPage> = {}): CardPage => ({
  ...{ cards, page: 0, total: cards.length },
  ...more,
});

/** What a member sees: the text, then the label and custom id of each button, and the placeholder and size of a menu. */
function seen({ content, components }: ReturnType<typeof severalCards>): string[] {
  const parts = components.flatMap(({ components }) =>
    components.map((part) => {
      if ('options' in part) return `${part.placeholder}: ${part.options.length} as ${part.custom_id}`;
      return 'label' in part && 'custom_id' in part ? `${part.label}: ${part.custom_id}` : '';
    }),
  );
  return [...content.split('\n'), ...parts].filter(Boolean);
}

const GOLEM = { id: 'b-1', name: 'Wax *Golem*' };
const several = (cards: readonly ListedCard[], more: Partial<CardPage> = {}) =>
  severalCards('en-US', page(cards, more), IDS);
const one = (more: Partial<ListedCard>) => several([{ ...DRAKE, name: 'Wax Golem', ...more }]);
const unknown = (similar: readonly ListedCard[], askId = 'a') =>
  unknownCard('en-US', 'Emberwing Dragon', similar, IDS, askId);

const UNKNOWN = "I don't know a card called **Emberwing Dragon**.";
const COST = "Asking anyway uses one of today's new lookups.";
const ASK = 'Ask the card service anyway: a';
const IS_IT = 'Is this the card you mean?';
const [SHOW, MENU_OF_ONE] = ['Show Emberwing Drake: show base1-4', 'Choose a card: 1 as m'];

it.each<[string, ReturnType<typeof severalCards>, string[]]>([
  [
    'the last page',
    several([DRAKE], { name: 'Pika*chu', page: 1, total: 26 }),
    [
      '26 cards are called Pika\\*chu. Add a set or a number, or choose:',
      ...['Choose a card (26–26 of 26): 1 as m', 'Previous 25: page 0'],
    ],
  ],
  [
    'cards of different names, without pages',
    several([DRAKE, GOLEM], { total: 26 }),
    ['26 cards match. Add a set or a number, or choose:', 'Choose a card: 2 as m'],
  ],
  ['a button in place of a menu of one', one({}), [IS_IT, 'Show Wax Golem: show base1-4']],
  ['that with a long name', one({ name: X.repeat(200) }), [IS_IT, `Show ${X.repeat(74)}…: show base1-4`]],
  ['a menu of one whose id fits no button', one({ id: 'i'.repeat(100) }), [IS_IT, MENU_OF_ONE]],
  [
    'another printing, which is a menu',
    otherPrintings('en-US', page([DRAKE], { name: 'Drake' }), IDS),
    ['I know one other printing of this card.', MENU_OF_ONE],
  ],
  [
    'an unknown card with one similar name',
    unknown([DRAKE]),
    [UNKNOWN, 'Did you mean Emberwing Drake?', COST, SHOW, ASK],
  ],
  [
    'it with three of four names, each once',
    unknown([DRAKE, { ...DRAKE, id: 'b-1' }, ...['A*', 'B', 'C'].map((name) => ({ id: name, name }))]),
    [UNKNOWN, 'Did you mean Emberwing Drake, A\\*, or B?', COST, 'Choose a card: 5 as m', ASK],
  ],
  ['it without similar names', unknown([]), [UNKNOWN, COST, ASK]],
  [
    'it without a button whose id does not fit',
    unknown([DRAKE], X.repeat(101)),
    [UNKNOWN, 'Did you mean Emberwing Drake?', SHOW],
  ],
  [
    'no menu of cards that are offered no longer',
    several([]),
    ['This message is too old. Please run the command again.'],
  ],
])('a member sees %s', (_, message, expected) => {
  expect(seen(message)).toEqual(expected);
});

describe('texts of a list that are no card for certain', () => {
  const unclear: Unclear[] = [
    { text: 'emberwing drak', cards: [DRAKE], total: 0 },
    { text: 'wax *golm*', cards: [GOLEM, DRAKE], total: 0 },
    { text: 'first light', cards: [DRAKE, GOLEM], total: 12 },
    { text: 'pikachu', cards: [DRAKE], total: 103 },
    { text: 'light 4/102', cards: [DRAKE], total: 1 },
    { text: 'nobody', cards: [], total: 0 },
  ];

  it('are said each by itself, as alternatives in the words of each language, and a plain list in Japanese', () => {
    expect(unclearLines('en-US', unclear)).toEqual([
      '**emberwing drak**: did you mean Emberwing Drake?',
      '**wax \\*golm\\***: did you mean Wax \\*Golem\\* or Emberwing Drake?',
      '**first light**: which of these 12 cards do you mean?',
      '**pikachu**: which of 103 cards do you mean? Add a set or a number.',
      '**light 4/102**: did you mean Emberwing Drake?',
      "**nobody**: I don't know a card with that name. Try another spelling, or its id.",
    ]);
    const three = [{ text: 'x', cards: ['A', 'B', 'C'].map((name) => ({ id: name, name })), total: 0 }];
    expect(unclearLines('de', three)).toEqual(['**x**: Meinst du A, B oder C?']);
    expect(unclearLines('ja', three)).toEqual(['**x**：もしかして：A、B、C']);
  });

  it('have one menu for all of them, with each card once', () => {
    const components = unclearChoice('en-US', unclear, IDS);
    expect(seen({ content: '', components })).toEqual(['Choose a card: 2 as m']);
  });

  const unclearAs = (text: string) => ({ text, cards: [DRAKE], total: 0 });
  it('are read from the message that says so, whatever they hold', () => {
    const other = 'Not found: **base1-5**\nNot shown: **base1-6**. Please try again.';
    fc.assert(
      fc.property(
        fc.array(nastyText.map((text) => text.slice(0, 20).trim())),
        fc.constantFrom(...LANGUAGES),
        (texts, language) => {
          const lines = unclearLines(language, texts.map(unclearAs));
          expect(unclearTexts(`${lines.join('\n')}\n${other}`)).toHaveLength(texts.length);
        },
      ),
    );
    const lines = unclearLines('en-US', unclear).join('\n');
    expect(unclearTexts(`${other}\n${lines}`)).toEqual(unclear.map(({ text }) => text));
  });

  it.each(LANGUAGES)('fit into one message in %s, ten of the longest with three names each', (language) => {
    const card = (id: string) => ({ id, name: `${id}*`.repeat(100) });
    const cards = [card('a'), card('b'), card('c')];
    const longest = Array.from({ length: 10 }, (_, at) => ({ text: `${at}_`.repeat(200), cards, total: 0 }));
    expect(unclearLines(language, longest).join('\n').length).toBeLessThanOrEqual(1_850);
  });
});

it.each(LANGUAGES)('Discord takes a list of any cards in %s, whatever was typed', (language) => {
  const text = fc.option(nastyText, { nil: undefined });
  const id = nastyText.map((any) => any.toWellFormed().slice(0, 120).trim());
  const card = fc.record({ id, name: nastyText, set: text, number: text });
  const cards = fc.uniqueArray(card, { selector: (each) => each.id, maxLength: 30 });
  fc.assert(
    fc.property(cards, nastyText, (listed, typed) => {
      parseChoices({ type: 8, data: { choices: cardChoices(language, listed) } }, language);
      const rows = listed.map((card, at) => ({ before: typed, card, looksLikeOthers: at % 2 > 0 }));
      parseChoices({ type: 8, data: { choices: listChoices(language, rows) } }, language);
      for (const message of [
        severalCards(language, page(listed, { total: listed.length * 2, name: typed }), IDS),
        otherPrintings(language, page(listed, { name: typed }), IDS),
        unknownCard(language, typed, listed.slice(0, 3), IDS, 'a'),
        { content: '', components: cardMenu(language, listed, 'm', 'askAnyway') },
      ]) {
        expectAccepted(message);
      }
    }),
    { numRuns: 40 },
  );
});
