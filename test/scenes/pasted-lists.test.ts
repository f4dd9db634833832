import { expect } from 'vitest';
import type { ChatMessage } from '../../sandbox/discord/chat.ts';
import { fetched, LIST, pasted, textOf } from '../support/pasted-list.ts';
import { cardRequests, inWorld, isFinal, labels, parts, press, WITH_NAMES, type World } from '../support/world.ts';

async function fileOf({ discord }: World, { attachments: [file] }: ChatMessage): Promise<string> {
  const bytes = await (await discord.answer(new Request(file?.url ?? ''))).arrayBuffer();
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
}

/** The lines of the log, without those of discord.js. */
const logOf = ({ lines }: World) => JSON.stringify(lines);

inWorld(
  'a pasted list says what it costs before it costs anything, and then costs exactly that',
  WITH_NAMES,
  async (world) => {
    await world.card('base1-1').settled();
    const before = cardRequests(world).length;

    const estimate = await pasted(world, LIST);
    expect(estimate.ephemeral).toBe(true);
    expect(textOf(estimate)).toContain('**157.40** at market (4 cards)\n');
    expect(textOf(estimate)).toContain('3 of 4 lines are clear.\n');
    expect(textOf(estimate)).toContain(
      'The other 2 cards cost at most 2 new lookups and take less than a minute. You have 99 left today.',
    );
    expect(textOf(estimate)).toContain('Not clear: **1 Nobody Knows This**');
    expect(textOf(estimate)).toContain('Passed over as headings or notes: **Deck**, **Sideboard**, and **Big Things');
    expect(cardRequests(world)).toHaveLength(before);

    const answer = await fetched(world, estimate);
    expect(cardRequests(world)).toHaveLength(before + 2);
    expect(answer).toMatchObject({
      ephemeral: true,
      embeds: [{ footer: { text: expect.stringMatching(/^2 new lookups used/) } }],
    });
    expect(textOf(answer)).toContain('**164.07** at market (7 cards)\n132.38 at the lowest offers (7 cards)\n');
    expect(answer.embeds[0]?.fields).toMatchObject([
      {
        name: 'Dearest cards',
        value: expect.stringMatching(
          /^4× \*\*39\.35\*\* Wick, Who Waits · First Light · 1\/102\n1× .*Moth .*\n2× .*Candle .*$/,
        ),
      },
    ]);
    expect(labels(answer)).toEqual(['Show to everyone']);
    expect(await fileOf(world, answer)).toMatch(
      /^\uFEFFCount,Name,.*,Line\r\n4,"Wick, Who Waits",First Light,1\/102,,base1-1,39\.35,31\.9,.*\r\n(?:.*\r\n)*1,{10}1 Nobody Knows This\r\n$/,
    );
    expect(logOf(world)).not.toContain('Nobody Knows This');
    const ended = (await world.commandLines(4)).slice(1).map(({ command, outcome, card }) => [command, outcome, card]);
    expect(ended).toEqual(Array(3).fill(['cards', 'answered', undefined]));
    expect(await world.suggested('')).toEqual(['base1-1']); // what is in a list is in no history
  },
);

inWorld(
  'everybody sees what a list is worth only when its member says so, and nothing of what was pasted',
  WITH_NAMES,
  async (world) => {
    await world.card('base1-1').settled();
    const estimate = await pasted(world, LIST);
    const shown = await press(world, estimate, 'Show to everyone').until(isFinal);
    expect(shown.ephemeral).toBe(false);
    expect(textOf(shown)).toMatch(
      /^\*\*157\.40\*\* at market \(4 cards\)\n127\.60 at the lowest offers \(4 cards\)\n-# Prices · <t:\d+:R>$/,
    );
    expect(labels(shown)).toEqual(['Delete']);
    expect(JSON.stringify(shown) + (await fileOf(world, shown))).not.toMatch(/Nobody|4x Wick/);

    const forged = {
      messageId: shown.messageId ?? '',
      customId: buttonId(estimate, 'Show to everyone'),
      memberId: world.bob,
    };
    await expect(async () => world.discord.click(forged)).rejects.toThrow();
  },
);

function buttonId(message: ChatMessage, label: string): string {
  return parts(message).find((part) => part.label === label)?.custom_id ?? '';
}

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

inWorld('a press costs no more than was said, whatever fails: the rest is another press', WITH_NAMES, async (world) => {
  const estimate = await pasted(world, '2 base1-2\n1 base1-3');
  world.cardService.script({ path: '/cards/base1-2', status: 503, body: {} });
  const partly = await fetched(world, estimate);
  expect(cardRequests(world)).toHaveLength(2);
  expect(textOf(partly)).toContain('Not shown: **Moth Cartographer**. They would have cost more than I said.');
  expect(textOf(partly)).toContain('The other card costs at most one new lookup');

  const whole = await press(world, partly, 'Fetch the rest').until(isFinal);
  expect(cardRequests(world)).toHaveLength(3);
  expect(textOf(whole)).toContain('**9.62** at market (3 cards)');
});

inWorld(
  'what a budget leaves out is named, and costs nothing',
  { ...WITH_NAMES, env: { MEMBER_DAILY_REQUESTS: '1' } },
  async (world) => {
    const estimate = await pasted(world, '1 base1-2\n1 base1-3');
    expect(textOf(estimate)).toContain('You have 1 left today.');
    const partly = await fetched(world, estimate);
    expect(cardRequests(world)).toHaveLength(1);
    expect(textOf(partly)).toMatch(/Not shown: \*\*[\w ]+\*\*\. You've used your one new lookup for today\./);
  },
);

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

inWorld(
  'old prices count as they are, and are fetched again with those that are missing, which come first',
  { ...WITH_NAMES, env: { PRICES_FRESH_SECONDS: '1', MEMBER_DAILY_REQUESTS: '2' } },
  async (world) => {
    await world.card('base1-2').settled();
    const list = 'base1-2\nbase1-3';
    const isOld = async () => textOf(await pasted(world, list)).includes('is older');
    await expect.poll(isOld, { timeout: 20_000 }).toBe(true);
    const estimate = await pasted(world, list);
    expect(textOf(estimate)).toMatch(
      /\(1 card\)\n.*The other 2 cards cost at most 2 new lookups.*\nOne price is older than 0 h, the oldest from <t:\d+:R>, and would be fetched again\./s,
    );
    expect(labels(estimate)).toEqual(['Fetch the prices', 'Show to everyone']);

    const answer = await fetched(world, estimate);
    expect(cardRequests(world).map((path) => path.slice('/cards/'.length).split('?')[0])).toEqual([
      'base1-2',
      'base1-3',
    ]);
    expect(textOf(answer)).toContain('Showing a saved copy: the new lookups for today are used up.');
  },
);

inWorld(
  'a list of nothing but old prices costs what they do',
  { ...WITH_NAMES, env: { PRICES_FRESH_SECONDS: '1' } },
  async (world) => {
    await world.card('base1-2').settled();
    const isOld = async () => labels(await pasted(world, 'base1-2')).includes('Fetch the prices');
    await expect.poll(isOld, { timeout: 20_000 }).toBe(true);
    const before = cardRequests(world).length;
    await fetched(world, await pasted(world, 'base1-2'));
    expect(cardRequests(world)).toHaveLength(before + 1);
  },
);
