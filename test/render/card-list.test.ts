import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseChoices } from '../../sandbox/discord/callback-rules.ts';
import type { CardPage, ListedCard, Unclear } from '../../src/model/invocation.ts';
import {
  askAnywayMenus,
  type ChoiceIds,
  cardChoices,
  cardLabel,
  type ListMessage,
  listChoices,
  otherPrintings,
  severalCards,
  unclearChoice,
  unknownCard,
} from '../../src/render/card-list.ts';
import { unclearLines, unclearTexts } from '../../src/render/cards-message.ts';
import { LANGUAGES } from '../../src/render/languages.ts';
import { formatMessage } from '../../src/render/messages.ts';
import { expectAccepted } from './discord-limits.ts';
import { nastyText } from './service-answers.ts';

const [NAME, SET, X] = ['Emberwing Drake', 'First Light', 'x'];
const DRAKE: ListedCard = { id: 'base1-4', name: NAME, set: SET, number: '4/102' };
const LONG = { set: X.repeat(90), number: '9'.repeat(90) };

it.each<[string, Partial<ListedCard>, string]>([
  ['shows name, set and number', {}, 'Emberwing Drake · First Light · 4/102'],
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
  expect(cardLabel('en-US', { ...DRAKE, ...change })).toBe(label);
});

describe('suggestions', () => {
  it('show the card and send its id', () => {
    expect(cardChoices('en-US', [DRAKE])).toEqual([{ name: cardLabel('en-US', DRAKE), value: 'base1-4' }]);
  });

  it('that would look the same end with the id', () => {
    const rows = [DRAKE, { ...DRAKE, id: 'b-1' }, { ...DRAKE, id: 'b-2', name: 'Drake' }];
    expect(cardChoices('en-US', rows).map(({ name }) => name)).toEqual([
      'Emberwing Drake · First Light · 4/102 · base1-4',
      'Emberwing Drake · First Light · 4/102 · b-1',
      'Drake · First Light · 4/102',
    ]);
  });

  it('have set and number in one order: the number first in all when a phone would cut one of them', () => {
    const rows = [DRAKE, { id: 'dusk2-44', name: 'Dusk Drake', set: 'Procession of the Dusk', number: '44/88' }];
    expect(cardChoices('en-US', rows).map(({ name }) => name)).toEqual([
      'Emberwing Drake · 4/102 · First Light',
      'Dusk Drake · 44/88 · Procession of the Dusk',
    ]);
  });

  it('leave out an id that Discord would refuse, and end after 25', () => {
    const cards = Array.from({ length: 30 }, (_, index) => ({ ...DRAKE, id: `id-${index}` }));
    const long = { ...DRAKE, id: 'x'.repeat(101) };
    expect(cardChoices('en-US', [long, ...cards]).map(({ value }) => value)).toEqual(
      cards.slice(0, 25).map(({ id }) => id),
    );
  });
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
    const lengths = listChoices('en-US', [95, 96].flatMap(ofLength)).map(({ name, value }) => [
      name.length,
      value.length,
    ]);
    expect(lengths).toEqual([
      [100, 12],
      [28, 100],
    ]);
  });
});

const IDS: ChoiceIds = { menu: 'm', show: (id) => `show ${id}`, page: (page) => `page ${page}` };
const page = (cards: readonly ListedCard[], more: Partial<CardPage> = {}): CardPage => ({
  ...{ cards, page: 0, total: cards.length },
  ...more,
});

/** Labels and custom ids of buttons, and of menus the placeholder and the labels. */
function parts({ components }: ListMessage) {
  return components.flatMap((row) =>
    row.components.map((part): (string | undefined)[] => {
      if ('options' in part) return [part.placeholder, part.custom_id, ...part.options.map(({ label }) => label)];
      return 'custom_id' in part ? [part.label, part.custom_id] : [];
    }),
  );
}

describe('several cards', () => {
  it('are a menu, each with its id', () => {
    const options = ['base1-4', 'b-1'].map((id) => ({ label: cardLabel('en-US', DRAKE), value: id, description: id }));
    const menu = { type: 3, custom_id: 'm', placeholder: 'Choose a card', options };
    expect(severalCards('en-US', page([DRAKE, { ...DRAKE, id: 'b-1' }]), IDS)).toEqual({
      content: 'Which of these cards do you mean?',
      components: [{ type: 1, components: [menu] }],
    });
  });

  const many = (from: number, to: number) =>
    Array.from({ length: to - from + 1 }, (_, at) => ({ id: `b-${from + at}`, name: 'Pikachu' }));

  it.each<[string, CardPage, string, string[]]>([
    ['first', { cards: many(1, 25), page: 0, total: 1_103 }, '1–25 of 1,103', ['Next 25 page 1']],
    [
      'second',
      { cards: many(26, 50), page: 1, total: 1_103 },
      '26–50 of 1,103',
      ['Previous 25 page 0', 'Next 25 page 2'],
    ],
    ['last', { cards: many(26, 26), page: 1, total: 26 }, '26–26 of 26', ['Previous 25 page 0']],
  ])('that a menu does not hold are counted, and have pages: the %s', (_, some, listed, buttons) => {
    const message = severalCards('en-US', { ...some, name: 'Pika*chu' }, IDS);
    const total = some.total.toLocaleString('en-US');
    expect(message.content).toBe(`${total} cards are called Pika\\*chu. Add a set or a number, or choose:`);
    const [menu, ...others] = parts(message);
    expect([menu?.[0], others.map((each) => each.join(' '))]).toEqual([`Choose a card (${listed})`, buttons]);
  });

  it('that are offered no longer have no page to turn to', () => {
    const gone = severalCards('en-US', { cards: [], page: 0, total: 0 }, IDS);
    expect(gone).toEqual({ content: formatMessage('en-US', 'outOfDate'), components: [] });
  });

  it('of different names are counted, and have no pages', () => {
    const message = severalCards('en-US', page(many(1, 25), { total: 26 }), IDS);
    expect(message.content).toBe('26 cards match. Add a set or a number, or choose:');
    expect(parts(message).map((each) => each[0])).toEqual(['Choose a card']);
  });

  it('have a button in place of a menu of one, if its id fits', () => {
    const golem = { ...DRAKE, name: 'Wax Golem' };
    const offer = (card: ListedCard) => parts(severalCards('en-US', page([card]), IDS));
    expect(offer(golem)).toEqual([['Show Wax Golem', 'show base1-4']]);
    expect(offer({ ...golem, name: 'x'.repeat(200) })).toEqual([[`Show ${'x'.repeat(74)}…`, 'show base1-4']]);
    expect(offer({ ...golem, id: 'i'.repeat(100) })).toMatchObject([['Choose a card', 'm', expect.anything()]]);
  });
});

it('other printings are counted on all pages, also when there is one, which is a menu', () => {
  const ofTotal = (total?: number) =>
    otherPrintings('en-US', page([DRAKE], { name: 'Drake', ...(total && { total }) }), IDS);
  expect([ofTotal(1).content, ofTotal(102).content]).toEqual([
    'I know one other printing of this card.',
    'I know 102 other printings of this card.',
  ]);
  expect(parts(ofTotal())).toMatchObject([['Choose a card', 'm', expect.anything()]]);
  expect(otherPrintings('en-US', page([]), IDS).components).toEqual([]);
});

describe('an unknown card', () => {
  const unknown = ({ similar = [DRAKE] as readonly ListedCard[], askId = 'a' } = {}) =>
    unknownCard('en-US', 'Emberwing Dragon', similar, IDS, askId);
  const ids = (message: ListMessage) => parts(message).map((part) => part[1]);

  it('is answered with similar names, and a button that says what it costs', () => {
    const message = unknown();
    expect(message.content.split('\n')).toEqual([
      "I don't know a card called **Emberwing Dragon**.",
      'Did you mean Emberwing Drake?',
      "Asking anyway uses one of today's new lookups.",
    ]);
    expect(parts(message)).toEqual([
      ['Show Emberwing Drake', 'show base1-4'],
      ['Ask the card service anyway', 'a'],
    ]);
  });

  it('is answered with each name once, of three names', () => {
    const similar = [DRAKE, { ...DRAKE, id: 'b-1' }, { ...DRAKE, id: 'c-1', name: 'Wax *Golem*' }];
    expect(unknown({ similar }).content).toContain('Did you mean Emberwing Drake or Wax \\*Golem\\*?');
    expect(ids(unknown({ similar }))).toEqual(['m', 'a']);
    const four = ['A', 'B', 'C', 'D'].map((name) => ({ id: name, name }));
    expect(unknown({ similar: four }).content).toContain('Did you mean A, B, or C?');
  });

  it('has no menu without similar names, and no button when its id does not fit', () => {
    expect(ids(unknown({ similar: [] }))).toEqual(['a']);
    const short = unknown({ askId: 'x'.repeat(101) });
    expect(ids(short)).toEqual(['show base1-4']);
    expect(short.content).not.toContain(formatMessage('en-US', 'askAnywayCost'));
  });
});

describe('texts of a list that are no card for certain', () => {
  const GOLEM = { id: 'b-1', name: 'Wax *Golem*' };
  const unclear: Unclear[] = [
    { text: 'emberwing drak', cards: [DRAKE], total: 0 },
    { text: 'wax *golm*', cards: [GOLEM, DRAKE], total: 0 },
    { text: 'first light', cards: [DRAKE, GOLEM], total: 12 },
    { text: 'pikachu', cards: [DRAKE], total: 103 },
    { text: 'light 4/102', cards: [DRAKE], total: 1 },
    { text: 'nobody', cards: [], total: 0 },
  ];

  it('are said each by itself', () => {
    expect(unclearLines('en-US', unclear)).toEqual([
      '**emberwing drak**: did you mean Emberwing Drake?',
      '**wax \\*golm\\***: did you mean Wax \\*Golem\\* or Emberwing Drake?',
      '**first light**: which of these 12 cards do you mean?',
      '**pikachu**: which of 103 cards do you mean? Add a set or a number.',
      '**light 4/102**: did you mean Emberwing Drake?',
      "**nobody**: I don't know a card with that name. Try another spelling, or its id.",
    ]);
  });

  it('are alternatives in the words of each language, and a plain list in Japanese', () => {
    const three = [{ text: 'x', cards: ['A', 'B', 'C'].map((name) => ({ id: name, name })), total: 0 }];
    expect(unclearLines('de', three)).toEqual(['**x**: Meinst du A, B oder C?']);
    expect(unclearLines('ja', three)).toEqual(['**x**：もしかして：A、B、C']);
  });

  it('have one menu for all of them, with each card once', () => {
    const choice = unclearChoice('en-US', unclear, IDS);
    const label = cardLabel('en-US', DRAKE);
    expect(parts({ content: '', components: choice })).toEqual([['Choose a card', 'm', label, 'Wax *Golem*']]);
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
      const ids = listed.map(({ id }) => id);
      for (const message of [
        severalCards(language, page(listed, { total: listed.length * 2, name: typed }), IDS),
        otherPrintings(language, page(listed, { name: typed }), IDS),
        unknownCard(language, typed, listed.slice(0, 3), IDS, 'a'),
        { content: '', components: askAnywayMenus(language, ids, 'm') },
      ]) {
        expectAccepted(message);
      }
    }),
    { numRuns: 40 },
  );
});
