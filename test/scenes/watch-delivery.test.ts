import { StatementSync } from 'node:sqlite';
import { expect, it, onTestFinished, vi } from 'vitest';
import type { ChatMessage } from '../../sandbox/discord/chat.ts';
import { SAMPLE_CARDS } from '../../sandbox/sample-cards.ts';
import { Watches } from '../../src/watches/watches.ts';
import { refused } from '../support/fault-forms.ts';
import { msOf, played, type Steps } from '../support/limiter-script.ts';
import { ERROR } from '../support/log-lines.ts';
import { ENV, untoldIn } from '../support/watched-prices.ts';
import { press, QUICK, startWorld } from '../support/world.ts';

const CARDS: Record<string, string> = { drake: 'base1-4', moth: 'base1-2', hare: 'base1-3' };
const idOf = (name: string) => CARDS[name] ?? '';

/** Members watch cards for 36 that are to fall below 30; Alice is the first of them. */
async function watched(names = 'drake', watchers = 1) {
  const cardIds = names.split(' ').map(idOf);
  const cards = SAMPLE_CARDS.filter(({ id }) => cardIds.includes(id)).map((card) => ({
    ...card,
    prices: { market: 36 },
  }));
  const members = Array.from({ length: watchers + 1 }, (_, at) => ({
    ...{ id: String(100_000_000_000_000_000n + BigInt(at)), name: `Member ${at}`, locale: 'en-US' },
  }));
  const [{ id: reader = '' } = {}, { id: alice = '' } = {}, ...others] = members;
  const world = await startWorld({ service: { ...QUICK, cards }, discord: { members }, env: ENV });
  const { discord, config } = world;
  /** A lookup brings a price of each card at once. */
  const priced = (market: number, ids = cardIds) =>
    Promise.all(
      ids.map(async (id) => {
        for (const card of cards) if (card.id === id) card.prices.market = market;
        const shows = ({ embeds }: ChatMessage) => JSON.stringify(embeds).includes(market.toFixed(2));
        await world.card(id, {}, { memberId: reader }).until(shows);
      }),
    );
  const watch = (card: string, memberId = alice) => world.type('watch', { card, below: 30 }, { memberId }).settled();
  await priced(36);
  const watches = new Map<string, ChatMessage>();
  for (const id of cardIds) watches.set(id, await watch(id));
  for (const { id } of others) await watch(cardIds[0] ?? '', id);
  return {
    ...{ ...world, alice, priced, watch, disk: fillingDisk(), before: 0 },
    stop: (id: string) => press(world, watches.get(id) as ChatMessage, 'Stop watching', alice).settled(),
    told: () => discord.messages().filter(({ trigger }) => trigger === 'message'),
    /** Tries of a message. */
    tries: () => discord.requests.filter(({ path }) => path.endsWith('/messages')).length,
    untold: () => untoldIn(config.dataDir).length,
    /** What Alice reads below the answer to a command. */
    async shownByCommand(): Promise<string> {
      const typed = world.usage({ memberId: alice });
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

/** Some that may have arrived; discord.js itself makes no second try. */
const BROKEN = { route: 'message', answer: 'close', times: 999 } as const;
const pricesIn = (text: string) => text.match(/(?<=was at )[\d.]+/g) ?? [];

const STEPS: Steps<Watched> = [
  [/^priced (\d+)(?: (\w+))?$/, ({ priced }, market, card) => priced(Number(market), card ? [idOf(card)] : undefined)],
  [/^watch (\w+)$/, ({ watch }, card) => watch(idOf(card))],
  [/^unwatch (\w+)$/, ({ stop }, card) => stop(idOf(card))],
  [/^messages break(?: x (\d+))?$/, ({ discord }, times) => breaks(discord, Number(times || BROKEN.times))],
  [/^messages take (.+)$/, ({ discord }, time) => discord.faults.script({ route: 'message', delayMs: msOf(time) })],
  [/^below a command is refused x 2$/, ({ discord }) => discord.faults.script(refused('follow-up', 'invalidForm', 2))],
  [/^Discord works$/, ({ discord }) => discord.faults.clear()],
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
  [/^\+(.+)$/, ({ pass }, time) => pass(msOf(time))],
  [/^stop$/, ({ stopBot }) => stopBot()],
  [/^restart$/, ({ restartBot }) => restartBot()],
  [/^until (\d+) are told$/, ({ told }, count) => expect.poll(told).toHaveLength(Number(count))],
  [/^so far$/, (world) => Object.assign(world, { before: world.tries() })],

  // What tells something
  [/^told$/, ({ told }) => told().length],
  [
    /^prices told$/,
    ({ told }) =>
      told()
        .map(({ content }) => /[\d.]+\d/.exec(content)?.[0])
        .join(' '),
  ],
  [/^members told$/, ({ told }) => new Set(told().map(({ member }) => member.id)).size],
  [/^untold$/, ({ untold }) => untold()],
  [
    /^tries (\d+) to (\d+)$/,
    ({ tries, before }, least, most) => {
      const count = tries() - before;
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
    ({ discord: { openings } }) =>
      `${openings.opened}, ${openings.refused > 0 ? 'some' : 'none'} refused, ${openings.mostAtOnce > 1 ? 'several' : 'one'} at once`,
  ],
];

function breaks({ faults }: Watched['discord'], times: number): void {
  faults.script({ ...BROKEN, times });
}

const says = (world: Watched, script: string) => played(world, script, STEPS);

/** Its process ends without having told anyone of 29.00. */
const LEFT = 'messages break; priced 29; +100 ms; stop; Discord works';

it.each<[rule: string, script: string, told: string]>([
  [
    'a price whose watch has ended while others were told is not told any more',
    'drake moth: messages take 2 s; priced 29; unwatch drake; unwatch moth; +20 s; stop; told; untold',
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
    `drake: channels: 0 at once in 0 ms, again after 600 s; priced 29; +115 s; command; +5 s; command; channels: all; +700 s; told; command`,
    ' | 29.00 | 0 | ',
  ],
  [
    'of each watch a command shows the last price, once, whatever other commands are answered meanwhile',
    `drake moth: Alice takes no messages; priced 29 drake; priced 36 drake; priced 28 drake; priced 27 moth; +1 s; 3 commands at once; command`,
    '27.00 28.00 | ',
  ],
  [
    'a price that Discord refuses to show below a command keeps no other waiting',
    `drake moth hare: Alice takes no messages; priced 29 drake; priced 28 moth; priced 27 hare; +1 s; below a command is refused x 2; command; command`,
    '28.00 27.00 | again 29.00',
  ],
  [
    'a message that Discord fails with keeps no other waiting, and is sent again after ten seconds or more',
    `drake by 3: ${LEFT}; messages break x 1; restart; +9 s; told; +5 s; told`,
    '2 | 3',
  ],
  [
    'a message that Discord fails with is the last that its member is sent for now',
    'drake moth: messages break; priced 29 drake; +1 s; priced 29 moth; +1 s; tries 1 to 1; Discord works; +30 s; told',
    'yes | 2',
  ],
  [
    'while Discord fails it is asked fewer times than there are members',
    `drake by 25: ${LEFT}; so far; messages break; restart; +5 s; tries 10 to 19`,
    'yes',
  ],
  [
    'a price that comes while Discord fails with all messages is tried by few, and told to all ten seconds later',
    'drake by 25: messages break; priced 29; +5 s; tries 1 to 19; Discord works; +10 s; told',
    'yes | 25',
  ],
  [
    'a message on its way is noted before its process ends, and no other is sent by it',
    'drake moth: messages take 500 ms; priced 29; a fault is met; stop; told; untold',
    '1 | 1',
  ],
  [
    'a watch that is set again while its message is on the way is told of its next price, too',
    'drake: messages take 3 s; priced 29; a fault is met; unwatch drake; priced 36; watch drake; priced 28; +20 s; prices told',
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
    `drake: ${LEFT}; so far; disk full; restart; +20 s; tries 0 to 0; disk works; Alice takes no messages; +20 s; disk full; command; disk works; command`,
    'yes |  | again 29.00',
  ],
])('%s', async (_, script, told) => {
  const [, cards, watchers, steps = ''] = /^([a-z ]+?)(?: by (\d+))?: (.+)$/s.exec(script) ?? [];
  expect(await says(await watched(cards, Number(watchers ?? 1)), steps)).toBe(told);
});

it('while Discord opens no channels few are tried, and the log says how many wait', async () => {
  const world = await watched('drake', 10);
  await says(world, LEFT);
  world.discord.limitOpenings({ atOnce: 1, tookMs: 100, retryAfterSeconds: 3 });
  const before = world.lines.length;
  await world.restartBot();
  await world.pass(2_500);
  expect(world.told().length).toBeLessThan(3);
  expect(world.discord.openings.refused).toBeLessThan(5);
  const waiting = world.lines.slice(before).filter(({ msg }) => msg === 'members wait for messages about prices');
  expect(waiting).toMatchObject([{ members: 10 }]); // and not with each try
  world.discord.limitOpenings(undefined);
  await world.pass(10_000);
  expect(world.told()).toHaveLength(10);
});

it('what is being shown with a command is noted before its process ends', async () => {
  const world = await watched();
  world.discord.takesMessages(world.alice, false);
  await world.priced(29);
  await world.pass(1_000);
  world.discord.faults.script({ route: 'follow-up', delayMs: 500 });
  const typed = world.usage({ memberId: world.alice });
  await expect.poll(() => world.discord.faults.met).toBe(1);
  await world.stopBot();
  expect([typed.message.followUps?.length, world.untold()]).toEqual([1, 0]);
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
  const { discord, disk } = world;
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
  discord.limitOpenings(undefined);
  disk.isFull = false;
  await world.pass(20_000);
  expect([world.told().length, await world.shownByCommand()]).toEqual([1, '']);
});
