import { StatementSync } from 'node:sqlite';
import { expect, it, onTestFinished, vi } from 'vitest';
import type { ChatMessage } from '../../sandbox/discord/chat.ts';
import { SAMPLE_CARDS, SAMPLE_CATALOG } from '../../sandbox/sample-cards.ts';
import { Watches } from '../../src/members/watches.ts';
import { msOf, played, type Steps } from '../support/limiter-script.ts';
import { ERROR } from '../support/log-lines.ts';
import { begun, SCENE_STEPS, scenes } from '../support/scene-script.ts';
import { cardRequests, labels, press, QUICK, startWorld, untoldIn } from '../support/world.ts';

const ALONE = 'reads Only you can see this';

scenes([
  [
    'a price that another lookup brings crosses the line of a watch, which is listed and stopped',
    { catalog: SAMPLE_CATALOG, known: [{ id: 'base1-4', ageMs: 86_400_000 }] },
    `/watch card:base1-4 below:30; until its end; ${ALONE}; reads **Emberwing Drake** is at 30.00 or below.;
      /watch card:dusk2-33 percent:10; until its end; requests; the market price of base1-4 is 12.34;
      bob: card base1-4; until its end; +1 s; reads 12,34; /watches; until its end; ${ALONE}; reads Emberwing Drake;
      reads 30.00 or below · Last price 12.34; reads Wax Golem; reads 10%; use Stop watching of 2; until its end; reads Done;
      /watches; until its end; lacks Wax Golem; stop; kept watches; restart; pick the first; +1 s;
      shows You aren't watching any prices.; how many cards; buttons`,
    `yes | yes | 0 | yes | yes | yes | yes | yes | yes | yes | yes | base1-4  30 1 | yes | 0 | `,
  ],
  [
    'the button below a card opens an empty form, which sets the watch, and again with what was typed wrong',
    { catalog: SAMPLE_CATALOG, known: [{ id: 'base1-4', ageMs: 60_000, hasHistory: true }] },
    `card base1-4; until its end; buttons; use Watch; until a form; form; use Watch; until a form; submit $45 and 2o of 2;
      until its end; ${ALONE}; reads **2o** isn't a price; use Correct the prices; until a form; form; submit $45 and 20;
      until its end; ${ALONE}; reads **Emberwing Drake** is at 45.00 or above, or at 20.00 or below.; requests; stop;
      kept watches`,
    'Price history, Watch, Other printings, Delete | above , below  | yes | yes | above $45, below 2o | yes | yes | 0 | base1-4 45 20 0',
  ],
  [
    'a card without a market price, or without prices, has no button to watch it',
    { known: [{ id: 'base1-4', ageMs: 60_000 }] },
    `card base1-4; until its end; buttons; /card id:base1-4 prices:false; until its end; buttons;
      the low price of base1-1 is 3; card base1-1; until a card; buttons`,
    'Watch, Other printings, Delete | Other printings, Delete | Other printings, Delete',
  ],
]);

const HOUR_MS = 3_600_000;

it.each(['on', 'off'])(
  'an hour before the reset a watched card whose price is old is renewed by the next start: %s',
  async (isOn) => {
    const world = await startWorld({
      service: { ...QUICK, nextResetMs: (nowMs) => nowMs + HOUR_MS },
      env: { PRICES_FRESH_SECONDS: '0', WATCH_RENEWALS: isOn },
    });
    await world.card('base1-4').settled();
    await world.type('watch', { card: 'base1-4', above: 900 }).settled();
    expect(cardRequests(world)).toHaveLength(1);
    await world.restartBot(); // what remains is known from before
    if (isOn === 'on') await expect.poll(() => cardRequests(world)).toHaveLength(2);
    await world.card('base1-4', { prices: false }).settled(); // from memory
    const usage = JSON.stringify((await world.usage().settled()).embeds);
    expect(usage).toContain('33% of lookups'); // of members: a card, the report, and this one
    expect(usage.includes('spent on watched cards')).toBe(isOn === 'on');
    expect(cardRequests(world)).toHaveLength(isOn === 'on' ? 2 : 1);
  },
);

const CARDS: Record<string, string> = { drake: 'base1-4', moth: 'base1-2', hare: 'base1-3' };
const idOf = (name: string) => CARDS[name] ?? '';

/** Members watch cards for 36 that are to fall below 30; Alice is the first of them, and Bob looks up. */
async function watched(names = 'drake', watchers = 1) {
  const cardIds = names.split(' ').map(idOf);
  const cards = SAMPLE_CARDS.filter(({ id }) => Object.values(CARDS).includes(id)).map((card) => ({
    ...card,
    prices: { market: 36 },
  }));
  const members = Array.from({ length: watchers + 1 }, (_, at) => ({
    ...{ id: String(100_000_000_000_000_000n + BigInt(at)), name: `Member ${at}`, locale: 'en-US' },
  }));
  const world = await startWorld({
    service: { ...QUICK, cards },
    discord: { members },
    env: { PRICES_FRESH_SECONDS: '0' },
  });
  const { alice, bob, discord, config } = world;
  /** A lookup brings a price of each card at once. */
  const priced = (market: number, ids = cardIds) =>
    Promise.all(
      ids.map(async (id) => {
        for (const card of cards) if (card.id === id) card.prices.market = market;
        const shows = ({ embeds }: ChatMessage) => JSON.stringify(embeds).includes(market.toFixed(2));
        await world.card(id, {}, { memberId: bob }).until(shows);
      }),
    );
  const watch = (card: string, memberId = alice) => world.type('watch', { card, below: 30 }, { memberId }).settled();
  await priced(36);
  const watches = new Map<string, ChatMessage>();
  for (const id of cardIds) watches.set(id, await watch(id));
  for (const { id } of members.slice(2)) await watch(cardIds[0] ?? '', id);
  return {
    ...{ ...begun(world), offered: cards, priced, watch, disk: fillingDisk(), triesBefore: 0 },
    unwatch: (id: string) => press(world, watches.get(id) as ChatMessage, 'Stop watching').settled(),
    told: () => discord.messages().filter(({ trigger }) => trigger === 'message'),
    /** Tries of a message. */
    tries: () => discord.requests.filter(({ path }) => path.endsWith('/messages')).length,
    untold: () => untoldIn(config.dataDir).length,
    /** What Alice reads below the answer to a command. */
    async shownByCommand(): Promise<string> {
      const typed = world.usage();
      await typed.settled();
      await world.pass(1_000);
      return (typed.message.followUps ?? []).map(({ content }) => content).join('\n');
    },
  };
}

type Watched = Awaited<ReturnType<typeof watched>>;

/** A disk that takes no change of a watch while it is full, and how many it has refused. */
function fillingDisk(): { isFull: boolean; refused: number } {
  const disk = { isFull: false, refused: 0 };
  const { run } = StatementSync.prototype;
  onTestFinished(() => void Object.assign(StatementSync.prototype, { run }));
  StatementSync.prototype.run = function written(this: StatementSync, ...given: unknown[]) {
    const isRefused = disk.isFull && String(given[0]).startsWith('watches');
    disk.refused += Number(isRefused);
    if (isRefused) throw new Error('database or disk is full');
    return Reflect.apply(run, this, given);
  };
  return disk;
}

const pricesIn = (text: string) => text.match(/(?<=was at )[\d.]+/g) ?? [];

const STEPS: Steps<Watched> = [
  [
    /^priced ([\d.]+)(?: (\w+))?$/,
    ({ priced }, market, card) => priced(Number(market), card ? [idOf(card)] : undefined),
  ],
  [/^watch (\w+)$/, ({ watch }, card) => watch(idOf(card))],
  [/^unwatch (\w+)$/, ({ unwatch }, card) => unwatch(idOf(card))],
  [/^a fault is met$/, ({ discord }) => expect.poll(() => discord.faults.met).toBe(1)],
  [
    /^channels: (\d+) at once in (\d+ m?s)(?:, again after (\d+) s)?$/,
    ({ discord }, atOnce, time, again) =>
      discord.limitOpenings({
        ...{ atOnce: Number(atOnce), tookMs: msOf(time) },
        ...(again && { retryAfterSeconds: Number(again) }),
      }),
  ],
  [/^channels: all$/, ({ discord }) => discord.limitOpenings(undefined)],
  [/^Alice takes no messages$/, ({ discord, alice }) => discord.takesMessages(alice, false)],
  [/^disk (full|works)$/, ({ disk }, how) => Object.assign(disk, { isFull: how === 'full' })],
  [/^until (\d+) are told$/, ({ told }, count) => expect.poll(told).toHaveLength(Number(count))],
  [/^so far$/, (on) => Object.assign(on, { triesBefore: on.tries() })],

  // What tells something
  [/^told$/, ({ told }) => told().length],
  [
    /^prices told$/,
    ({ told }) =>
      told()
        .map(({ content }) => /[\d.]+\d/.exec(content)?.[0])
        .join(' '),
  ],
  [
    /^texts told$/,
    ({ told }) =>
      told()
        .map(({ content }) => content)
        .join(', '),
  ],
  [
    /^to whom$/,
    ({ told }) =>
      told()
        .map((message) => [message.member.name, message.guildId, message.context, labels(message)].join())
        .at(0),
  ],
  [/^members told$/, ({ told }) => new Set(told().map(({ member }) => member.id)).size],
  [/^told below$/, ({ typed }) => typed.at(-1)?.message.followUps?.length],
  [/^untold$/, ({ untold }) => untold()],
  [
    /^tries (\d+) to (\d+)$/,
    ({ tries, triesBefore }, least, most) => {
      const count = tries() - triesBefore;
      return count >= Number(least) && count <= Number(most) ? 'yes' : count;
    },
  ],
  [
    /^command$/,
    async ({ shownByCommand }) => {
      const shown = await shownByCommand();
      return `${shown.includes('You may have seen this already') ? 'again ' : ''}${pricesIn(shown).join(' ')}`;
    },
  ],
  [
    /^3 commands at once$/,
    async ({ shownByCommand }) => {
      const shown = await Promise.all([shownByCommand(), shownByCommand(), shownByCommand()]);
      return pricesIn(shown.join()).sort().join(' ');
    },
  ],
  [
    /^openings$/,
    ({ discord }) => {
      const { opened, refused, mostAtOnce } = discord.openings;
      return `${opened}, ${refused > 0 ? 'some' : 'none'} refused, ${mostAtOnce > 1 ? 'several' : 'one'} at once`;
    },
  ],
  ...SCENE_STEPS,
];

const says = (on: Watched, script: string) => played(on, script, STEPS);

/** Some messages that may have arrived; discord.js itself makes no second try. */
const BREAK = 'message close x 999';
/** Her name, no server, direct messages with the bot, and the buttons of what she is sent. */
const ALICE = 'Member 0,,1,Show Emberwing Drake,Stop watching';
/** Its process ends without having told anyone of 29.00. */
const LEFT = `${BREAK}; priced 29; +100 ms; stop; Discord works`;
const REFUSED = 'log discord refuses a message to a member with level';
const MISSED = 'Alice takes no messages; priced 29';
const ONCE = 'priced 29; +2 min; told; faults left; restart; +1 min; stop; told; untold';

it.each<[rule: string, script: string, told: string]>([
  [
    'a price whose watch has ended while others were told is not told any more',
    'drake moth: message late by 2 s; priced 29; unwatch drake; unwatch moth; +20 s; stop; told; untold',
    '1 | 0',
  ],
  [
    'a message that may have arrived is sent again by the next process within two minutes of the first try',
    `drake: ${LEFT}; +1 min; restart; +1 s; command; told; stop; untold`,
    ' | 1 | 0',
  ],
  [
    'a message that may have arrived is left to a command after that',
    `drake: ${LEFT}; +2 min; restart; +1 s; command; told; stop; untold`,
    'again 29.00 | 0 | 0',
  ],
  [
    'what no message could be sent about for two minutes is shown with a command, as new, and not sent any more',
    `drake: channels: 0 at once in 0 ms, again after 600 s; priced 29; +115 s; command; +5 s; command; channels: all;
      +700 s; told; command`,
    ' | 29.00 | 0 | ',
  ],
  [
    'of each watch a command shows the last price, once, whatever other commands are answered meanwhile',
    `drake moth: Alice takes no messages; priced 29 drake; priced 36 drake; priced 28 drake; priced 27 moth; +1 s;
      3 commands at once; command`,
    '27.00 28.00 | ',
  ],
  [
    'a price that Discord refuses to show below a command keeps no other waiting',
    `drake moth hare: Alice takes no messages; priced 29 drake; priced 28 moth; priced 27 hare; +1 s;
      follow-up refused invalidForm x 2; command; command`,
    '28.00 27.00 | again 29.00',
  ],
  [
    'a message that Discord fails with keeps no other waiting, and is sent again after ten seconds or more',
    `drake by 3: ${LEFT}; message close; restart; +9 s; told; +5 s; told`,
    '2 | 3',
  ],
  [
    'a message that Discord fails with is the last that its member is sent for now',
    `drake moth: ${BREAK}; priced 29 drake; +1 s; priced 29 moth; +1 s; tries 1 to 1; Discord works; +30 s; told`,
    'yes | 2',
  ],
  [
    'while Discord fails it is asked fewer times than there are members',
    `drake by 25: ${LEFT}; so far; ${BREAK}; restart; +5 s; tries 10 to 19`,
    'yes',
  ],
  [
    'a price that comes while Discord fails with all messages is tried by few, and told to all ten seconds later',
    `drake by 25: ${BREAK}; priced 29; +5 s; tries 1 to 19; Discord works; +10 s; told`,
    'yes | 25',
  ],
  [
    'a message on its way is noted before its process ends, and no other is sent by it',
    'drake moth: message late by 500 ms; priced 29; a fault is met; stop; told; untold',
    '1 | 1',
  ],
  [
    'a watch that is set again while its message is on the way is told of its next price, too',
    'drake: message late by 3 s; priced 29; a fault is met; unwatch drake; priced 36; watch drake; priced 28; +20 s; prices told',
    '29.00 28.00',
  ],
  [
    'all who watch a card are told once, as many at a time as Discord opens channels',
    'drake by 40: channels: 5 at once in 100 ms; priced 29; until 40 are told; stop; members told; openings',
    '40 | 40, none refused, several at once',
  ],
  ...['', ', again after 1 s'].map((stated): [string, string, string] => [
    `channels that are opened too fast are opened later, and nobody is told twice (${stated})`,
    `drake by 12: channels: 2 at once in 200 ms${stated}; priced 29; until 12 are told; stop; members told; openings`,
    '12 | 12, some refused, several at once',
  ]),
  [
    'what cannot be noted is neither sent nor shown before it can',
    `drake: ${LEFT}; so far; disk full; restart; +20 s; tries 0 to 0; disk works; Alice takes no messages; +20 s;
      disk full; command; disk works; command`,
    'yes |  | again 29.00',
  ],
  [
    'what a member is still to be told follows no answer that Discord has not confirmed',
    'drake: Alice takes no messages; priced 29; +1 s; callback lose answer; callback limited for 10 s; command; command',
    ' | 29.00',
  ],
  [
    'a member is told of each crossing by one message, whose buttons work', // the last that returns is shown as 30.00
    `drake: priced 29.5; until 1 are told; priced 29; priced 31; priced 30.004; until 2 are told; restart; priced 28; stop;
      texts told; to whom; restart; use Show Emberwing Drake; until its end; ${ALONE}; shows; use Stop watching;
      until its end; reads Done`,
    `**Emberwing Drake** is at 29.50, below your target of 30.00., **Emberwing Drake** has reached your target of 30.00. | ${ALICE} | yes | Emberwing Drake | yes`,
  ],
  [
    'in the log it is news that a member takes no messages, and a fault that a message is refused',
    `drake moth: message refused invalidForm; priced 29 drake; +1 s; ${REFUSED} 40; Alice takes no messages;
      priced 29 moth; +1 s; ${REFUSED} 30`,
    '1 | 1',
  ],
  [
    'what is being shown with a command is noted before its process ends',
    `drake: ${MISSED}; +1 s; follow-up late by 500 ms; usage; a fault is met; stop; told below; untold`,
    '1 | 0',
  ],
  [
    'a message below a reply whose confirmation is lost is sent once, and once more by the next command, which says so',
    `drake: ${MISSED}; +1 s; follow-up lose answer; command; log a message below a reply cannot be sent; command; command`,
    '29.00 | 1 | again 29.00 | ',
  ],
  ...[
    'dm refused openingTooFast; dm fails with 502 x 4', // discord.js itself tries four times
    'message refused unauthorized',
    'message lose answer; message limited for 1 s',
  ].map((faults): [string, string, string] => [
    `a message is sent again until Discord takes it, and shown once: ${faults}`,
    `drake: ${faults}; ${ONCE}`,
    '1 | 0 | 1 | 0',
  ]),
])('%s', async (_, script, told) => {
  const [, cards, watchers, steps = ''] = /^([a-z ]+?)(?: by (\d+))?: (.+)$/s.exec(script) ?? [];
  expect(await says(await watched(cards, Number(watchers ?? 1)), steps)).toBe(told);
});

it('while Discord opens no channels few are tried, and the log says how many wait', async () => {
  const world = await watched('drake', 10);
  await says(world, `${LEFT}; channels: 1 at once in 100 ms, again after 3 s`);
  const before = world.lines.length;
  await says(world, 'restart; +2500 ms');
  expect(world.told().length).toBeLessThan(3);
  expect(world.discord.openings.refused).toBeLessThan(5);
  const waiting = world.lines.slice(before).filter(({ msg }) => msg === 'members wait for messages about prices');
  expect(waiting).toMatchObject([{ members: 10 }]); // and not with each try
  expect(await says(world, 'channels: all; +10 s; told')).toBe('10');
});

it('what is told of prices and fails, for a reason that nobody thought of, is an error in the log', async () => {
  const world = await watched();
  const breaks = vi.spyOn(Watches.prototype, 'untoldOf').mockRejectedValue(new TypeError('a bug'));
  onTestFinished(() => breaks.mockRestore());
  await world.priced(29);
  await world.shownByCommand();
  const errors = world.lines.filter(({ level }) => level === ERROR);
  const line = { msg: 'telling members of prices failed', err: { message: 'a bug' } };
  expect(errors).toMatchObject([line, line]); // by message, and with a command
});

it.each([
  ['was sent is neither sent again nor shown', undefined, 120_000],
  ['Discord takes none of is sent again', { atOnce: 0, tookMs: 0 }, 20_000],
])('a price that %s, when what became of it cannot be noted', async (_, limit, fullForMs) => {
  const world = await watched();
  const { disk, discord } = world;
  discord.limitOpenings(limit);
  const { answer } = discord;
  discord.answer = async (request) => {
    disk.isFull ||= request.url.endsWith('/users/@me/channels');
    return answer(request);
  };
  await world.priced(29);
  await world.pass(fullForMs);
  expect(disk.refused).toBeGreaterThan(0);
  Object.assign(discord, { answer });
  expect(await says(world, 'channels: all; disk works; +20 s; told; command')).toBe('1 | ');
});

it('who takes no messages is told once below the answer to a command, deferred or not, once Discord accepts that', async () => {
  const world = await watched();
  expect(
    await says(
      world,
      `${MISSED}; +1 s; log discord refuses a message to a member; follow-up refused invalidWebhookToken; command`,
    ),
  ).toBe('1 | ');
  expect(world.lines.filter(({ msg }) => String(msg).startsWith('a message below a reply'))).toHaveLength(1);

  world.cardService.set({ latencyMs: 2_500 });
  const deferred = world.card(idOf('moth'));
  const { embeds, followUps = [] } = await deferred.until((message) => (message.followUps ?? []).length > 0);
  expect(deferred.history.map(({ state }) => state)).toContain('thinking');
  expect([embeds.length, followUps]).toMatchObject([1, [{ ephemeral: true, embeds: [] }]]);
  expect(followUps[0]?.content).toMatch(
    /^I couldn't DM .*\n\*\*Emberwing Drake\*\* was at 29\.00, below your target of 30\.00 · <t:/,
  );
  expect(await says(world, 'command; stop; told')).toBe(' | 0');
});

it('a price that comes under another id of its card is told to who watches that', async () => {
  const world = await watched();
  const drake = world.offered.find(({ id }) => id === idOf('drake'));
  world.cardService.script({ path: 'old-id', body: { ...drake, prices: { market: 20 } } });
  expect(await says(world, 'bob: card old-id; until 1 are told; told')).toBe('1');
});
