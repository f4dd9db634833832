import { StatementSync } from 'node:sqlite';
import { expect, it, onTestFinished, vi } from 'vitest';
import type { ChatMessage } from '../../sandbox/discord/chat.ts';
import { SAMPLE_CARDS } from '../../sandbox/sample-cards.ts';
import { Watches } from '../../src/watches/watches.ts';
import { refused } from '../support/fault-forms.ts';
import { ERROR } from '../support/log-lines.ts';
import { press } from '../support/replies.ts';
import { ENV, untoldIn } from '../support/watched-prices.ts';
import { QUICK, startWorld } from '../support/world.ts';

const [DRAKE, MOTH, HARE] = ['base1-4', 'base1-2', 'base1-3'];
const TRIED_FOR_MS = 120_000;
/** A try that may have arrived; discord.js itself makes no second one. */
const BROKEN = { route: 'message', answer: 'close', times: 999 } as const;

/** Members watch cards for 36 that are to fall below 30; Alice is the first of them. */
async function watched(cardIds = [DRAKE], watchers = 1) {
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
  const messages = () => discord.messages().filter(({ trigger }) => trigger === 'message');
  /** A lookup brings a price of each card at once. */
  const priced = (market: number, ids = cardIds) =>
    Promise.all(
      ids.map(async (id) => {
        for (const card of cards) if (card.id === id) card.prices.market = market;
        const shows = ({ embeds }: ChatMessage) => JSON.stringify(embeds).includes(market.toFixed(2));
        await world.card(id, {}, { memberId: reader }).until(shows);
      }),
    );
  const watch = (card: string, memberId = alice) =>
    discord.type({ command: 'watch', options: { card, below: 30 }, memberId }).settled();
  await priced(36);
  const watches = new Map<string, ChatMessage>();
  for (const id of cardIds) watches.set(id, await watch(id));
  for (const { id } of others) await watch(DRAKE, id);
  return {
    ...{ ...world, alice, priced, watch },
    stop: (id: string) => press(world, watches.get(id) as ChatMessage, 'Stop watching', alice).settled(),
    told: () => messages().map(({ content }) => content),
    toldMembers: () => new Set(messages().map(({ member }) => member.id)).size,
    /** Tries of a message. */
    tries: () => discord.requests.filter(({ path }) => path.endsWith('/messages')).length,
    untold: () => untoldIn(config.dataDir).length,
    /** Its process ends without having told anyone of 29.00. */
    async leavesUntold() {
      discord.faults.script(BROKEN);
      await priced(29);
      await world.pass(100);
      await world.stopBot();
      discord.faults.clear();
    },
    /** What Alice reads below the answer to a command. */
    async shownByCommand(): Promise<string> {
      const typed = world.usage({ memberId: alice });
      await typed.settled();
      await world.pass(1_000);
      return (typed.message.followUps ?? []).map(({ content }) => content).join('\n');
    },
  };
}

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

it('a price whose watch has ended while others were told is not told any more', async () => {
  const world = await watched([DRAKE, MOTH]);
  world.discord.faults.script({ route: 'message', delayMs: 2_000 });
  await world.priced(29);
  for (const id of [DRAKE, MOTH]) await world.stop(id);
  await world.pass(20_000);
  await world.stopBot();
  expect([world.told().length, world.untold()]).toEqual([1, 0]);
});

it.each([
  ['is sent again by the next process within two minutes of the first try', TRIED_FOR_MS / 2, 1, 0],
  ['is left to a command after that', TRIED_FOR_MS, 0, 1],
])('a message that may have arrived %s', async (_, afterMs, messages, lines) => {
  const world = await watched();
  await world.leavesUntold();
  await world.pass(afterMs);
  await world.restartBot();
  await world.pass(1_000);
  const shown = await world.shownByCommand();
  expect([world.told().length, shown.match(/was at 29\.00/g)?.length ?? 0]).toEqual([messages, lines]);
  await world.stopBot();
  expect(world.untold()).toBe(0);
});

it('while Discord opens no channels few are tried, and the log says how many wait', async () => {
  const world = await watched([DRAKE], 10);
  await world.leavesUntold();
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

it('what no message could be sent about for two minutes is shown with a command, as new, and not sent any more', async () => {
  const world = await watched();
  world.discord.limitOpenings({ atOnce: 0, tookMs: 0, retryAfterSeconds: 600 });
  await world.priced(29);
  await world.pass(TRIED_FOR_MS - 5_000);
  expect(await world.shownByCommand()).toBe('');
  await world.pass(5_000);
  const shown = await world.shownByCommand();
  expect(shown).toContain('was at 29.00');
  expect(shown).not.toContain('You may have seen this already');
  world.discord.limitOpenings(undefined);
  await world.pass(700_000);
  expect([world.told(), await world.shownByCommand()]).toEqual([[], '']);
});

it('of each watch a command shows the last price, once, whatever other commands are answered meanwhile', async () => {
  const world = await watched([DRAKE, MOTH]);
  world.discord.takesMessages(world.alice, false);
  for (const market of [29, 36, 28]) await world.priced(market, [DRAKE]);
  await world.priced(27, [MOTH]);
  await world.pass(1_000);
  const shown = await Promise.all([world.shownByCommand(), world.shownByCommand(), world.shownByCommand()]);
  expect(
    shown
      .join()
      .match(/was at [\d.]+/g)
      ?.sort(),
  ).toEqual(['was at 27.00', 'was at 28.00']);
  expect(await world.shownByCommand()).toBe('');
});

it('a price that Discord refuses to show below a command keeps no other waiting', async () => {
  const world = await watched([DRAKE, MOTH, HARE]);
  world.discord.takesMessages(world.alice, false);
  for (const [at, id] of [DRAKE, MOTH, HARE].entries()) await world.priced(29 - at, [id]);
  await world.pass(1_000);
  world.discord.faults.script(refused('follow-up', 'invalidForm', 2)); // all of them, then the first
  const shown = await world.shownByCommand();
  expect(shown.match(/was at [\d.]+/g)).toEqual(['was at 28.00', 'was at 27.00']);
  expect(await world.shownByCommand()).toContain('was at 29.00');
});

it('a message that Discord fails with keeps no other waiting, and is sent again after ten seconds or more', async () => {
  const world = await watched([DRAKE], 3);
  await world.leavesUntold();
  world.discord.faults.script({ ...BROKEN, times: 1 });
  await world.restartBot();
  await world.pass(9_000);
  expect(world.told()).toHaveLength(2);
  await world.pass(5_000);
  expect(world.told()).toHaveLength(3);
});

it('a message that Discord fails with is the last that its member is sent for now', async () => {
  const world = await watched([DRAKE, MOTH]);
  world.discord.faults.script(BROKEN);
  await world.priced(29, [DRAKE]);
  await world.pass(1_000);
  await world.priced(29, [MOTH]);
  await world.pass(1_000);
  expect(world.tries()).toBe(1);
  world.discord.faults.clear();
  await world.pass(30_000);
  expect(world.told()).toHaveLength(2);
});

it('while Discord fails it is asked fewer times than there are members', async () => {
  const world = await watched([DRAKE], 25);
  await world.leavesUntold();
  const before = world.tries();
  world.discord.faults.script(BROKEN);
  await world.restartBot();
  await world.pass(5_000);
  expect(world.tries() - before).toBeGreaterThan(9);
  expect(world.tries() - before).toBeLessThan(20);
});

it('a price that comes while Discord fails with all messages is tried by few, and told to all ten seconds later', async () => {
  const world = await watched([DRAKE], 25);
  world.discord.faults.script(BROKEN);
  await world.priced(29);
  await world.pass(5_000);
  expect(world.tries()).toBeGreaterThan(0);
  expect(world.tries()).toBeLessThan(20);
  world.discord.faults.clear();
  await world.pass(10_000);
  expect(world.told()).toHaveLength(25);
});

it('a message on its way is noted before its process ends, and no other is sent by it', async () => {
  const world = await watched([DRAKE, MOTH]);
  world.discord.faults.script({ route: 'message', delayMs: 500 });
  await world.priced(29);
  await expect.poll(() => world.discord.faults.met).toBe(1);
  await world.stopBot();
  expect([world.told().length, world.untold()]).toEqual([1, 1]);
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

it('a watch that is set again while its message is on the way is told of its next price, too', async () => {
  const world = await watched();
  world.discord.faults.script({ route: 'message', delayMs: 3_000 });
  await world.priced(29);
  await expect.poll(() => world.discord.faults.met).toBe(1);
  await world.stop(DRAKE);
  await world.priced(36);
  await world.watch(DRAKE);
  await world.priced(28);
  await world.pass(20_000);
  expect(world.told().map((text) => /29\.00|28\.00/.exec(text)?.[0])).toEqual(['29.00', '28.00']);
});

it('all who watch a card are told once, as many at a time as Discord opens channels', async () => {
  const world = await watched([DRAKE], 40);
  world.discord.limitOpenings({ atOnce: 5, tookMs: 100 });
  await world.priced(29);
  await expect.poll(world.told).toHaveLength(40);
  await world.stopBot();
  expect(world.toldMembers()).toBe(40);
  expect(world.discord.openings).toMatchObject({ opened: 40, refused: 0 });
  expect(world.discord.openings.mostAtOnce).toBeGreaterThan(1);
});

it('channels that are opened too fast are opened later, and nobody is told twice', async () => {
  for (const stated of [{}, { retryAfterSeconds: 1 }]) {
    const world = await watched([DRAKE], 12);
    world.discord.limitOpenings({ atOnce: 2, tookMs: 200, ...stated });
    await world.priced(29);
    await expect.poll(world.told).toHaveLength(12);
    await world.stopBot();
    expect(world.toldMembers()).toBe(12);
    const { opened, refused } = world.discord.openings;
    expect([opened, refused > 0]).toEqual([12, true]);
  }
});

it('what cannot be noted is neither sent nor shown before it can', async () => {
  const world = await watched();
  const disk = fillingDisk();
  await world.leavesUntold();
  const before = world.tries();
  disk.isFull = true;
  await world.restartBot();
  await world.pass(20_000);
  expect(world.tries()).toBe(before);
  disk.isFull = false;
  world.discord.takesMessages(world.alice, false);
  await world.pass(20_000);
  disk.isFull = true;
  expect(await world.shownByCommand()).toBe('');
  disk.isFull = false;
  expect(await world.shownByCommand()).toContain('was at 29.00');
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
  ['was sent is neither sent again nor shown', undefined, TRIED_FOR_MS],
  ['Discord takes none of is sent again', { atOnce: 0, tookMs: 0 }, 20_000],
])('a price that %s, when what became of it cannot be noted', async (_, limit, fullForMs) => {
  const world = await watched();
  const disk = fillingDisk();
  const { discord } = world;
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
