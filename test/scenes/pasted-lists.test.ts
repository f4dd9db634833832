import { expect } from 'vitest';
import type { ChatMessage } from '../../sandbox/discord/chat.ts';
import { pasted, textOf } from '../support/pasted-list.ts';
import { scenes } from '../support/scene-script.ts';
import { inWorld, isFinal, press, WITH_NAMES } from '../support/world.ts';

inWorld('what cannot be a list is a sentence', WITH_NAMES, async (world) => {
  const many = Array.from({ length: 101 }, (_, at) => `1 Card ${at}`).join('\n');
  const sentences = {
    ' \n': "There's nothing in it.",
    ['🔥!'.repeat(1_300)]: "There's nothing in it.",
    'Deck\nSideboard': 'only headings',
    [many]: 'more than 100',
    '0 Wick, Who Waits': 'count',
    '1000000000 base1-2\nbase1-3': 'the count of **1000000000 base1',
    'Name,Quantity\n"Wick, Who Waits",4': 'looks like a table',
    '<cockatrice_deck version="1">\n<card number="4" name="Wick, Who Waits"/>': 'or like a file of a program',
  };
  for (const [text, sentence] of Object.entries(sentences)) {
    const refused = await pasted(world, text);
    expect([refused.ephemeral, refused.content]).toEqual([true, expect.stringContaining(sentence)]);
  }
});

inWorld(
  'two presses at once book each card once, and lists by ids are one lookup',
  { ...WITH_NAMES, env: { CARD_SERVICE_BULK_PATH: '/cards?ids={ids}' } },
  async (world) => {
    world.cardService.set({ latencyMs: 200 });
    const text = 'base1-2\nbase1-3\nbase1-4';
    const estimates = [await pasted(world, text), await pasted(world, text)];
    expect(textOf(estimates[0] as ChatMessage)).toContain('The other 3 cards cost at most one new lookup');
    const presses = estimates.map((each) => press(world, each, 'Fetch the prices'));
    const twice = press(world, estimates[0] as ChatMessage, 'Fetch the prices');
    for (const each of presses) expect(textOf(await each.until(isFinal))).toContain('(3 cards)');
    expect(twice.message.embeds).toEqual([]);
    expect(world.cardService.requests).toHaveLength(1);
  },
);

const ALONE = 'reads Only you can see this';
const PUBLIC = 'lacks Only you can see this';
const FETCH = 'use Fetch the prices; until its end';
const OLD_SOON = { PRICES_FRESH_SECONDS: '1' };

scenes([
  [
    'a pasted list says what it costs before it costs anything, and then costs exactly that',
    WITH_NAMES,
    `card base1-1; until its end; +1 s; so far; paste; until its end; ${ALONE}; reads **157.40** at market (4 cards)\n;
      reads 3 of 4 lines are clear.\n;
      reads The other 2 cards cost at most 2 new lookups and take less than a minute. You have 99 left today.;
      reads Not clear: **1 Nobody Knows This**;
      reads Passed over as headings or notes: **Deck**, **Sideboard**, and **Big Things; requests; ${FETCH}; requests;
      ${ALONE}; reads \n2 new lookups used;
      reads **164.07** at market (7 cards)\n132.38 at the lowest offers (7 cards)\n;
      reads Dearest cards: 4× **39.35** Wick, Who Waits · First Light · 1/102\n1×; reads Moth; reads \n2×; buttons; file has \uFEFFCount,Name,;
      file has ,Line\r\n4,"Wick, Who Waits",First Light,1/102,,base1-1,39.35,31.9,;
      file has \r\n1,,,,,,,,,,1 Nobody Knows This\r\n;
      log lacks Nobody Knows This; +1 s; ends; log command with command cards; log command with card undefined; suggested`,
    'yes | yes | yes | yes | yes | yes | 1 | 3 | yes | yes | yes | yes | yes | yes | Show to everyone | yes | yes | yes | yes | answered from bot, answered from cache, answered from service | 3 | 3 | base1-1',
  ],
  [
    'everybody sees what a list is worth only when its member says so, and nothing of what was pasted',
    WITH_NAMES,
    `card base1-1; until its end; paste; until its end; use Show to everyone; until its end; ${PUBLIC};
      reads **157.40** at market (4 cards)\n127.60 at the lowest offers (4 cards)\n-# Prices · ; buttons; lacks Nobody;
      lacks 4x Wick; lacks are clear; lacks Passed over; file lacks Nobody; file lacks 4x Wick`,
    'yes | yes | Delete | yes | yes | yes | yes | yes | yes',
  ],
  [
    'a press costs no more than was said, whatever fails: the rest is another press',
    WITH_NAMES,
    `paste 2 base1-2\n1 base1-3; until its end; service says 503 to /cards/base1-2; ${FETCH}; requests;
      reads Not shown: **Moth Cartographer**. They would have cost more than I said.;
      reads The other card costs at most one new lookup; use Fetch the rest; until its end; requests;
      reads **9.62** at market (3 cards)`,
    '2 | yes | yes | 3 | yes',
  ],
  [
    'what a budget leaves out is named, and costs nothing',
    { ...WITH_NAMES, env: { MEMBER_DAILY_REQUESTS: '1' } },
    `paste 1 base1-2\n1 base1-3; until its end; reads You have 1 left today.; ${FETCH}; requests;
      reads **. You've used your one new lookup for today.`,
    'yes | 1 | yes',
  ],
  [
    'old prices count as they are, and are fetched again with those that are missing, which come first',
    { ...WITH_NAMES, env: { ...OLD_SOON, MEMBER_DAILY_REQUESTS: '2' } },
    `card base1-2; until its end; +2 s; paste base1-2\nbase1-3; until its end; reads (1 card)\n;
      reads The other 2 cards cost at most 2 new lookups; reads \nOne price is older than 0 h, the oldest from ;
      reads , and would be fetched again.; buttons; ${FETCH}; requested;
      reads Showing a saved copy: the new lookups for today are used up.`,
    'yes | yes | yes | yes | Fetch the prices, Show to everyone | base1-2 base1-3 | yes',
  ],
  [
    'a list of nothing but old prices costs what they do',
    { ...WITH_NAMES, env: OLD_SOON },
    `card base1-2; until its end; +2 s; paste base1-2; until its end; ${FETCH}; requested`,
    'base1-2 base1-2',
  ],
]);
