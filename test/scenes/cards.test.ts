import { expect } from 'vitest';
import type { ChatMessage } from '../../sandbox/discord/chat.ts';
import {
  confirmCards,
  endOfList,
  hasListEnded,
  inWorld,
  isThinking,
  offered,
  parts,
  WITH_NAMES,
} from '../support/world.ts';

const BULK = { CARD_SERVICE_BULK_PATH: '/cards?ids={ids}' };

const titles = ({ embeds }: Pick<ChatMessage, 'embeds'>) => embeds.map(({ title }) => title);

inWorld(
  'several cards come in one reply, in the order asked for, with what they cost',
  { env: BULK },
  async (world) => {
    await confirmCards(world);
    await world.card('base1-4').settled();
    const before = world.cardService.requests.length;

    const typed = world.cards('base1-4, wick who waits; base1-2 base1-3\nbase9-999,nothing like this,first light');
    const message = await typed.until((shown) => endOfList(shown) !== undefined); // "Not found" stands there before the last card
    expect(titles(message)).toEqual(['Emberwing Drake', 'Wick, Who Waits', 'Moth Cartographer', 'Candle Hare']);
    expect(message.content).toContain('Not found: **base9\\-999**\n');
    expect(message.content).toContain(
      "**nothing like this**: I don't know a card with that name. Try another spelling, or its id.\n",
    );
    expect(message.content).toContain('**first light**: which of these 12 cards do you mean?');
    expect(message.ephemeral).toBe(false);
    const requests = world.cardService.requests.slice(before);
    expect([2, 3]).toContain(requests.length); // what the list left out is asked for singly
    expect(endOfList(message)).toMatch(new RegExp(`^${requests.length} new lookups used · \\d+ of`));

    const again = await world.cards('base1-1,base1-2', { private: true, prices: false }).settled();
    expect(again).toMatchObject({ ephemeral: true, content: '' });
    expect(endOfList(again)).toMatch(/^\d+ of [\d,]+ new lookups left today$/); // it cost nothing
    expect(world.cardService.requests.slice(before)).toHaveLength(requests.length);
  },
);

inWorld(
  'a list written as a deck costs a request for each card that it names, and none for headings and counts',
  WITH_NAMES,
  async (world) => {
    const before = world.cardService.requests.length;
    const deck = 'Deck\n4x Wick, Who Waits\n1 Moth Cartographer (base1) 2\n\nSideboard\n2 base1-3 *F*\nTotal Cards: 7';
    expect(titles(await world.cards(deck).until(hasListEnded))).toEqual([
      'Wick, Who Waits',
      'Moth Cartographer',
      'Candle Hare',
    ]);
    expect(world.cardService.requests.slice(before)).toHaveLength(3);
    expect(await world.cards('Deck\nPokémon: 12').settled()).toMatchObject({ ephemeral: true, embeds: [] });
    expect(world.cardService.requests.slice(before)).toHaveLength(3);
  },
);

inWorld(
  'what a list has mistyped is said by itself, with one menu for all of it in private, also after a takeover',
  WITH_NAMES,
  async (world) => {
    const { discord, cardService } = world;
    const typed = 'emberwing drak, base1-1, windup nightngale, golem, 4/102x';
    const lines = [
      '**emberwing drak**: which of these 3 cards do you mean?',
      '**windup nightngale**: did you mean Windup Nightingale?',
    ];
    cardService.set({ latencyMs: 60_000 });
    const list = world.cards(typed, { prices: false });
    await list.until(isThinking);
    await world.stopBot();
    cardService.set({ latencyMs: 0 });
    await world.restartBot();

    const message = await list.until(hasListEnded);
    expect(titles(message)).toEqual(['Wick, Who Waits', 'Wax Golem']);
    await offered(world, 'base1-4'); // its search has begun again
    for (const line of lines) expect(message.content).toContain(line);
    expect(shownParts(message)).toEqual([
      ['Choose a card', 'cards:choose:n', []],
      ['Delete', 'card:delete', []],
    ]);
    const opened = await discord.click({ messageId: message.messageId ?? '', customId: 'cards:choose:n' }).settled();
    expect([opened.ephemeral, opened.content.split('\n')]).toEqual([true, expect.arrayContaining(lines)]);
    expect(shownParts(opened)).toEqual([
      ['Choose a card', 'card:show:n', expect.arrayContaining(['base1-4', 'clock-48'])],
    ]);
    const choice = { messageId: opened.messageId ?? '', customId: 'card:show:n', values: ['clock-48'] };
    expect(await discord.choose(choice).settled()).toMatchObject({
      ephemeral: false,
      embeds: [{ title: 'Windup Nightingale' }],
    });

    const own = await world.cards('wick who wait, base1-4', { private: true }).settled();
    expect(shownParts(own)).toEqual([['Show Wick, Who Waits', 'card:show:p:base1-1', []]]);
    const alone = await world.cards('emberwing drak, windup nightngale').settled();
    expect([alone.ephemeral, alone.content, parts(alone).length]).toEqual([true, lines.join('\n'), 1]);
  },
);

/** Label or placeholder, custom id and the values to choose from of each button and menu. */
function shownParts(message: ChatMessage) {
  return parts(message).map(({ label, placeholder, custom_id, options = [] }) => [
    ...[label ?? placeholder, custom_id],
    options.map(({ value }) => value),
  ]);
}

inWorld(
  'in one list, a budget refuses only the cards beyond it, and a stale one is shown all the same',
  { env: { MEMBER_DAILY_REQUESTS: '2', PRICES_FRESH_SECONDS: '0' } },
  async (world) => {
    await world.card('base1-4', {}, { memberId: world.bob }).settled();
    const typed = world.cards('base1-1,base1-2,base1-4,base1-3');
    const message = await typed.until((now) => hasListEnded(now) && now.embeds.length === 3);
    expect(titles(message)).toEqual(['Wick, Who Waits', 'Moth Cartographer', 'Emberwing Drake']);
    expect(message.embeds[2]?.description).toContain('Showing a saved copy');
    expect(message.content).toMatch(/\*\*base1\\-3\*\*.*\n?.*You've used your 2 new lookups for today/s);
    expect(world.cardService.requests).toHaveLength(3);

    await world.cards('base1-5,base1-6').settled();
    const [, ...lines] = await world.commandLines(3);
    expect(lines).toMatchObject([
      { outcome: 'answered', source: 'service', shown: 3, asked: 4 },
      { outcome: 'BudgetSpent', source: 'bot', shown: 0, asked: 2 },
    ]);
  },
);

inWorld('the menu of a message looks up the cards in its text and embeds, in private', { env: BULK }, async (world) => {
  await confirmCards(world);
  const look = (messageId = '') => world.discord.type({ command: 'Look up cards', target: { messageId } });
  const shown = await world.cards('base1-4,base1-1').until(hasListEnded);
  const before = world.cardService.requests.length;
  const found = await look(shown.messageId).settled();
  expect(found.ephemeral).toBe(true);
  expect(titles(found)).toEqual(['Emberwing Drake', 'Wick, Who Waits']);

  const none = await world.cards('abcdefghijk'.split('').join()).settled();
  expect(await look(none.messageId).settled()).toMatchObject({ ephemeral: true, embeds: [] });
  expect(world.cardService.requests.slice(before)).toEqual([]);
});
