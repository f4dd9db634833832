import { describe, expect, it } from 'vitest';
import type { ChatMessage } from '../../sandbox/discord/chat.ts';
import { cardsOf } from '../support/open-catalog.ts';
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

const hasEnded = (shown: ChatMessage) => shown.ephemeral || hasListEnded(shown);
const titles = ({ embeds }: ChatMessage) => embeds.map(({ title }) => title);
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
