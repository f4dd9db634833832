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
import { changed, table } from '../table.ts';
import { expectAccepted } from './discord-limits.ts';
import { nastyText } from './service-answers.ts';

// Menus and pages of printings are in docs/replies/words.txt and test/scenes/card-actions.test.ts.

const X = 'x';
const DRAKE: ListedCard = { id: 'base1-4', name: 'Emberwing Drake', set: 'First Light', number: '4/102' };
const LABEL = 'Emberwing Drake · First Light · 4/102';

it.each([
  ...table`
    leaves out what is absent | set=; number= | Emberwing Drake
    leaves out what is empty | set=" "; number="" | Emberwing Drake
    cuts a long name, so that the printing is still told | name="x*200" | ${X.repeat(77)}… · 4/102 · First Light
    cuts a long set and a long number | set="x*90"; number="${'9'.repeat(90)}"
      | Emberwing Drake · ${'9'.repeat(19)}… · ${X.repeat(47)}…
    has a long set whole where everything fits | set="x*70" | Emberwing Drake · 4/102 · ${X.repeat(70)}
    has the number first when a phone would cut it | set="First Light of D"
      | Emberwing Drake · 4/102 · First Light of D
    shows another name that was typed | knownAs="Glutdrache" | Emberwing Drake (Glutdrache) · 4/102 · First Light
    shows the id when the name is invisible | name="\u200b" | base1-4 · First Light · 4/102
  `,
  ['is plain text', 'name="**Ember** [x](y)\\n@here\\u202e"; set="`a`"', '**Ember** [x](y) @here · `a` · 4/102'],
])('a card in a list %s', (_, changes, label) => {
  expect(cardChoices('en-US', [changed(DRAKE, changes)])).toEqual([{ name: label, value: DRAKE.id }]);
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
function seen({ content, components }: ReturnType<typeof severalCards>): string {
  const parts = components.flatMap(({ components }) =>
    components.map((part) => {
      if ('options' in part) return `${part.placeholder}: ${part.options.length} as ${part.custom_id}`;
      return 'label' in part && 'custom_id' in part ? `${part.label}: ${part.custom_id}` : '';
    }),
  );
  return [...content.split('\n'), ...parts].filter(Boolean).join(' / ');
}

const GOLEM = { id: 'b-1', name: 'Wax *Golem*' };
const CARDS: Readonly<Record<string, ListedCard>> = {
  ...{ drake: DRAKE, golem: GOLEM, twin: { ...DRAKE, id: 'b-1' }, 'A*': { id: 'A*', name: 'A*' } },
  ...{ B: { id: 'B', name: 'B' }, C: { id: 'C', name: 'C' }, wax: { ...DRAKE, name: 'Wax Golem' } },
  ...{ long: { ...DRAKE, name: X.repeat(200) }, longId: { ...DRAKE, id: 'i'.repeat(100) } },
};
const UNKNOWN = "I don't know a card called **Emberwing Dragon**.";
const COST = "Asking anyway uses one of today's new lookups.";
const ASK = 'Ask the card service anyway: a';

it.each(table`
  the last page | drake | name="Pika*chu"; page=1; total=26 | 26 cards are called Pika\*chu. Add a set or a number,
    or choose: / Choose a card (26–26 of 26): 1 as m / Previous 25: page 0
  cards of different names, without pages | drake golem | total=26
    | 26 cards match. Add a set or a number, or choose: / Choose a card: 2 as m
  all that have a name, without pages | drake golem | name="Drake"; total=25
    | Which of these cards do you mean? / Choose a card: 2 as m
  a button in place of a menu of one | wax | | Is this the card you mean? / Show Wax Golem: show base1-4
  that with a long name | long | | Is this the card you mean? / Show ${X.repeat(74)}…: show base1-4
  a menu of one whose id fits no button | longId | | Is this the card you mean? / Choose a card: 1 as m
  another printing, which is a menu | drake | printings="Drake"
    | I know one other printing of this card. / Choose a card: 1 as m
  an unknown card with one similar name | drake | unknown="a"
    | ${UNKNOWN} / Did you mean Emberwing Drake? / ${COST} / Show Emberwing Drake: show base1-4 / ${ASK}
  it with three of four names, each once | drake twin A* B C | unknown="a"
    | ${UNKNOWN} / Did you mean Emberwing Drake, A\*, or B? / ${COST} / Choose a card: 5 as m / ${ASK}
  it without similar names | | unknown="a" | ${UNKNOWN} / ${COST} / ${ASK}
  it without a button whose id does not fit | drake | unknown="x*101"
    | ${UNKNOWN} / Did you mean Emberwing Drake? / Show Emberwing Drake: show base1-4
  no menu of cards that are offered no longer | | | This message is too old. Please run the command again.
`)('a member sees %s', (_, names = '', changes, expected) => {
  const cards = names.split(' ').flatMap((name) => CARDS[name] ?? []);
  const { printings, unknown, ...more } = changed({}, changes);
  const other = printings && otherPrintings('en-US', page(cards, { name: printings }), IDS);
  const none = unknown && unknownCard('en-US', 'Emberwing Dragon', cards, IDS, unknown);
  expect(seen(other ?? none ?? severalCards('en-US', page(cards, more), IDS))).toBe(expected);
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
    expect(seen({ content: '', components })).toBe('Choose a card: 2 as m');
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
