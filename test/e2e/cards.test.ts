import { expect, it } from 'vitest';
import type { ChatMessage } from '../../src/sandbox/discord/chat.ts';
import { SAMPLE_CATALOG } from '../../src/sandbox/sample-cards.ts';
import { confirmCards, offered } from '../support/confirmed-cards.ts';
import { cardRequests, QUICK, startWorld, type World } from '../support/world.ts';

const BULK = { CARD_SERVICE_BULK_PATH: '/cards?ids={ids}' };

function cards({ discord }: World, ids: string, options: object = {}) {
  return discord.type({ command: 'cards', options: { ids, ...options } });
}

const titles = ({ embeds }: Pick<ChatMessage, 'embeds'>) => embeds.map(({ title }) => title);
const hasEnded = ({ content }: ChatMessage) => /from memory|requests? ·|found no/.test(content);

it('several cards come in one reply, in the order asked for, with what they cost', async () => {
  const world = await startWorld({ env: BULK });
  await confirmCards(world);
  await world.card('base1-4').settled();
  const before = world.cardService.requests.length;

  const typed = cards(world, 'base1-4, wick who waits; base1-2 base1-3\nbase9-999,nothing like this,first light');
  const message = await typed.until(hasEnded, 60_000);
  expect(titles(message)).toEqual(['Emberwing Drake', 'Wick, Who Waits', 'Moth Cartographer', 'Candle Hare']);
  expect(message.content).toContain('Not found: **base9\\-999**\n');
  expect(message.content).toContain("**nothing like this**: I don't know a card with that name.\n");
  expect(message.content).toContain('**first light**: which of 12 cards do you mean?\n');
  expect(message.ephemeral).toBe(false);
  const requests = world.cardService.requests.slice(before);
  expect([2, 3]).toContain(requests.length); // what the list left out is asked for singly
  expect(message.content).toMatch(new RegExp(`^${requests.length} requests · \\d+ of`, 'm'));

  const again = await cards(world, 'base1-1,base1-2', { private: true, prices: false }).settled();
  expect(again).toMatchObject({ ephemeral: true, content: expect.stringMatching(/^from memory · /m) });
  expect(world.cardService.requests.slice(before)).toHaveLength(requests.length);
});

it('what a list has mistyped is said by itself, with one menu for all of it in private, also after a takeover', async () => {
  const world = await startWorld({ catalog: SAMPLE_CATALOG });
  await offered(world, 'base1-4');
  const { discord, cardService } = world;
  const typed = 'emberwing drak, base1-1, windup nightngale, golem, 4/102x';
  const lines = [
    '**emberwing drak**: which of 3 cards do you mean?',
    '**windup nightngale**: did you mean Windup Nightingale?',
  ];
  cardService.set({ latencyMs: 60_000 });
  const list = cards(world, typed, { prices: false });
  await list.until(({ state }) => state === 'thinking');
  await world.stopBot();
  cardService.set({ latencyMs: 0 });
  await world.restartBot();

  const message = await list.until(hasEnded, 60_000);
  expect(titles(message)).toEqual(['Wick, Who Waits', 'Wax Golem']);
  await offered(world, 'base1-4'); // its search has begun again
  for (const line of lines) expect(message.content).toContain(line);
  expect(parts(message)).toEqual([['Choose a card', 'cards:choose:n', []]]);
  const opened = await discord.click({ messageId: message.messageId ?? '', customId: 'cards:choose:n' }).settled();
  expect([opened.ephemeral, opened.content.split('\n')]).toEqual([true, expect.arrayContaining(lines)]);
  expect(parts(opened)).toEqual([['Choose a card', 'card:show:n', expect.arrayContaining(['base1-4', 'clock-48'])]]);
  const choice = { messageId: opened.messageId ?? '', customId: 'card:show:n', values: ['clock-48'] };
  expect(await discord.choose(choice).settled()).toMatchObject({
    ephemeral: false,
    embeds: [{ title: 'Windup Nightingale' }],
  });

  const own = await cards(world, 'wick who wait, base1-4', { private: true }).settled();
  expect(parts(own)).toEqual([['Show Wick, Who Waits', 'card:show:p:base1-1', []]]);
  const alone = await cards(world, 'emberwing drak, windup nightngale').settled();
  expect([alone.ephemeral, alone.content, parts(alone).length]).toEqual([true, lines.join('\n'), 1]);
});

/** Label or placeholder, custom id and the values to choose from of each button and menu. */
function parts({ components }: ChatMessage) {
  const rows = components as {
    components: { label?: string; placeholder?: string; custom_id: string; options?: { value: string }[] }[];
  }[];
  return rows.flatMap((row) =>
    row.components.map(({ label, placeholder, custom_id, options = [] }) => [
      ...[label ?? placeholder, custom_id],
      options.map(({ value }) => value),
    ]),
  );
}

it('an empty list and more than ten cards are refused in private, at no cost', async () => {
  const world = await startWorld();
  const many = Array.from({ length: 11 }, (_, at) => `base1-${at}`).join();
  expect(await cards(world, many).settled()).toMatchObject({
    ephemeral: true,
    content: expect.stringContaining('ten'),
  });
  expect(await cards(world, ' ,; ').settled()).toMatchObject({ ephemeral: true, embeds: [] });
  expect(world.cardService.requests).toEqual([]);
});

it('in one list, a budget refuses only the cards beyond it, and a stale one is shown all the same', async () => {
  const world = await startWorld({ env: { MEMBER_DAILY_REQUESTS: '2', PRICES_FRESH_SECONDS: '0' } });
  const [, other] = world.discord.members;
  await world.card('base1-4', {}, { memberId: other?.id ?? '' }).settled();
  const typed = cards(world, 'base1-1,base1-2,base1-4,base1-3');
  const message = await typed.until((now) => hasEnded(now) && now.embeds.length === 3, 60_000);
  expect(titles(message)).toEqual(['Wick, Who Waits', 'Moth Cartographer', 'Emberwing Drake']);
  expect(message.embeds[2]?.description).toContain('Showing a saved copy');
  expect(message.content).toMatch(/\*\*base1\\-3\*\*.*\n?.*You've used your 2 new lookups for today/s);
  expect(world.cardService.requests).toHaveLength(3);

  await cards(world, 'base1-5,base1-6').settled();
  const [, ...lines] = await world.commandLines(3);
  expect(lines).toMatchObject([
    { outcome: 'answered', source: 'service', shown: 3, asked: 4 },
    { outcome: 'BudgetSpent', source: 'bot', shown: 0, asked: 2 },
  ]);
});

it('what a request for several cards saves is counted in /usage', async () => {
  const world = await startWorld({ env: BULK });
  await cards(world, 'base1-1,base1-2,base1-3,base1-4').until(hasEnded, 60_000);
  const requests = world.cardService.requests.length;
  expect(requests).toBeLessThan(4);
  const { embeds } = await world.usage().settled();
  const saved = embeds[0]?.fields?.find(({ name }) => name === 'Answered from memory')?.value;
  expect(saved).toContain(requests === 3 ? '1 request saved' : `${4 - requests} requests saved`);
});

it('while a list is typed, the last part is completed', async () => {
  const world = await startWorld();
  await confirmCards(world);
  const suggested = await world.discord.complete({
    command: 'cards',
    options: { ids: 'base1-2, wick' },
    focused: 'ids',
  });
  expect(suggested[0]).toEqual({ name: 'base1-2, Wick Who Waits · First Light · 1/102', value: 'base1-2, base1-1' });
  const picked = cards(world, suggested[0]?.name ?? '');
  expect(titles(await picked.until(hasEnded, 60_000))).toEqual(['Moth Cartographer', 'Wick, Who Waits']);
});

it('the menu of a message looks up the cards in its text and embeds, in private', async () => {
  const world = await startWorld({ env: BULK });
  await confirmCards(world);
  const look = (messageId = '') => world.discord.type({ command: 'Look up cards', target: { messageId } });
  const shown = await cards(world, 'base1-4,base1-1').until(hasEnded, 60_000);
  const before = world.cardService.requests.length;
  const found = await look(shown.messageId).settled();
  expect(found.ephemeral).toBe(true);
  expect(titles(found)).toEqual(['Emberwing Drake', 'Wick, Who Waits']);

  const none = await cards(world, 'abcdefghijk'.split('').join()).settled();
  expect(await look(none.messageId).settled()).toMatchObject({ ephemeral: true, embeds: [] });
  expect(world.cardService.requests.slice(before)).toEqual([]);
});

it('where ids are numbers, the menu of a message asks for no number that is a count or part of a name', async () => {
  const set = { id: 'room', name: 'Room 5 of 20' };
  const dragon = {
    id: '81234',
    name: 'Dragon Number 9',
    tcg: 'Trial',
    set,
    number: '3/150',
    prices: { market: 2_024 },
  };
  const world = await startWorld({ service: { ...QUICK, cards: [dragon] } });
  const { messageId = '' } = await world.card('81234').settled();
  await offered(world, '81234');
  const looked = world.discord.type({ command: 'Look up cards', target: { messageId } });
  expect(titles(await looked.until(hasEnded, 60_000))).toEqual(['Dragon Number 9']);
  expect(cardRequests(world)).toEqual(['/cards/81234?includePrices=true']);
});
