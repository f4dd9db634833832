import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import card from '../../commands/card.ts';
import type { ChatMessage } from '../../sandbox/discord/chat.ts';
import { DISCORD_LIFETIMES, type TypedInteraction } from '../../sandbox/discord/conversation.ts';
import type { ScriptedFault } from '../../sandbox/discord/faults.ts';
import { remember } from '../../sandbox/known-cards.ts';
import { SAMPLE_CATALOG } from '../../sandbox/sample-cards.ts';
import { Stopping } from '../../src/model/errors.ts';
import { errorMessage, formatMessage } from '../../src/render/messages.ts';
import { owners } from '../simulate/fake-time.ts';
import { offered } from '../support/confirmed-cards.ts';
import { rateLimited, refused } from '../support/fault-forms.ts';
import { logLines } from '../support/log-lines.ts';
import { LIST, pasted, worldWithNames } from '../support/pasted-list.ts';
import { choose, field, finalAnswers, isFinal, press } from '../support/replies.ts';
import { ENV, membersOf, pricedCards } from '../support/watched-prices.ts';
import { edits, QUICK, said, startWorld, type World } from '../support/world.ts';

const CARD = 'Emberwing Drake';
const MINUTE_MS = 60_000;
const UNCONFIRMED = 'discord did not confirm the first answer: the reply is completed anyway';
const SAME_SHARD = 'another process has the same shard: give each its own in DISCORD_SHARDS';

const BY_ANOTHER = 'answered by another process from bot';
const shows = ({ embeds, content }: ChatMessage) => embeds.map(({ title }) => title).join() || content;

/** What was done so far: requests to the card service, edits, and how each command ended. */
function done(world: World): [requests: number, edits: number, ends: string[]] {
  const { cardService, lines } = world;
  const ends = lines.filter(({ msg }) => msg === 'command').map(({ outcome, source }) => `${outcome} from ${source}`);
  return [cardService.requests.length, edits(world), ends];
}

/** Discord does not say what a reply shows, for so many times. */
function hidesReplies({ discord }: World, times: number): void {
  const { answer } = discord;
  let left = times;
  discord.answer = async (request) => {
    if (request.method !== 'GET' || left-- <= 0) return answer(request);
    await sleep(500);
    throw new TypeError('fetch failed');
  };
}

/** A first answer may have arrived, and none can be sent in time. */
const TAKEN_LATE: ScriptedFault[] = [
  { route: 'callback', answer: 'lose answer' },
  rateLimited({ route: 'callback', retryAfterSeconds: 10 }),
];

describe('a first answer', () => {
  it.each<[string, 'known' | 'unknown', ScriptedFault[], shown: string, end: string, warnings: number]>([
    [
      'that never arrives is sent again ever more rarely, and then given up',
      'unknown',
      [{ route: 'callback', answer: 'close', times: 99 }],
      '',
      'not answered from service',
      1,
    ],
    ['that may have arrived is completed', 'unknown', TAKEN_LATE, CARD, 'answered from service', 1],
    ['that may have arrived is not known to be there', 'known', TAKEN_LATE, CARD, 'not answered from bot', 0],
    ['that Discord confirms is nothing to warn of', 'unknown', [], CARD, 'answered from service', 0],
  ])('%s (of an %s card)', async (_, state, faults, shown, end, warnings) => {
    const world = await startWorld({ discord: { lifetimes: DISCORD_LIFETIMES } });
    if (state === 'known') await world.card('base1-4').until(isFinal);
    world.discord.faults.script(...faults);
    const typed = world.card('base1-4');
    await world.pass(MINUTE_MS);
    expect([shows(typed.message), done(world)[2].at(-1), said(world, UNCONFIRMED)]).toEqual([shown, end, warnings]);
    expect(world.discord.faults.met).toBeLessThan(20);
  });

  it('that comes too late leaves nothing to complete, and gives its lookup back', async () => {
    const world = await startWorld({ env: { MEMBER_DAILY_REQUESTS: '1' } });
    world.discord.faults.script(refused('callback', 'unknownInteraction'));
    world.card('base1-1');
    await world.commandLines(1);
    expect(shows(await world.card('base1-4').until(isFinal))).toBe(CARD);
    await world.restartBot();
    const ends = ['too late from bot', 'answered from service'];
    expect([done(world), said(world, 'deferred replies taken over')]).toEqual([[1, 1, ends], 0]);
  });
});

const OF_ANOTHER = { type: 4, data: { embeds: [{ title: CARD }] } };
it.each<[string, known: boolean, body: object, ReturnType<typeof done>]>([
  ['"thinking…" is completed from here', false, { type: 5 }, [1, 1, [BY_ANOTHER, 'answered from service']]],
  ['the card stays as it is', false, OF_ANOTHER, [1, 0, [BY_ANOTHER]]],
  ['the card is not shown again from memory', true, OF_ANOTHER, [0, 0, [BY_ANOTHER]]],
])('of a process with the same shard that was quicker %s', async (_, isKnown, body, expected) => {
  const world = await startWorld(isKnown ? { known: [{ id: 'base1-4', ageMs: 0 }] } : {});
  const { answer } = world.discord;
  world.discord.answer = async (request) => {
    if (request.url.endsWith('/callback')) await answer(new Request(request, { body: JSON.stringify(body) }));
    return answer(request);
  };
  const typed = world.card('base1-4');
  await world.pass(MINUTE_MS);
  expect([done(world), shows(typed.message), finalAnswers(typed)]).toEqual([expected, CARD, 1]);
  world.card('base1-4');
  await world.pass(MINUTE_MS);
  expect(said(world, SAME_SHARD)).toBe(1);
});

describe('a deferred reply', () => {
  it.each<[string, ScriptedFault, most: number, end: string]>([
    ['whose edits never arrive', { route: 'edit', answer: 'close', times: 9_999 }, 150, 'too late from bot'],
    ['that Discord does not know', refused('edit', 'unknownInteraction', 9), 1, 'not answered from service'],
    ['whose token has expired', refused('edit', 'invalidWebhookToken', 9), 1, 'not answered from service'],
    [
      'that can be edited too late',
      rateLimited({ route: 'edit', retryAfterSeconds: 1_000 }),
      1,
      'not answered from service',
    ],
  ])('%s is given up, and counts as seen by nobody', async (_, fault, most, end) => {
    const world = await startWorld({ catalog: SAMPLE_CATALOG });
    await offered(world, 'base1-4');
    world.discord.faults.script(fault);
    const typed = world.card('base1-4');
    await world.pass(15 * MINUTE_MS);
    const [requests, edited, ends] = done(world);
    expect([requests, ends, shows(typed.message)]).toEqual([1, [end], '']);
    expect(edited).toBeLessThanOrEqual(most);
    expect(await suggested(world)).toEqual([]);
  });

  it('that becomes a first answer, without word from Discord, is edited again', async () => {
    const world = await startWorld();
    world.cardService.set({ latencyMs: 500 });
    const typed = world.card('base1-4');
    await typed.until(({ state }) => state === 'thinking');
    world.discord.faults.script(refused('edit', 'unknownWebhook'), { route: 'callback', answer: 'hang', times: 9 });
    expect(shows(await typed.until(isFinal))).toBe(CARD);
  });

  it('whose wait never arrives is not edited again after its answer', async () => {
    const world = await startWorld();
    world.cardService.set({ latencyMs: 5_500 });
    world.discord.faults.script({ route: 'edit', answer: 'hang' });
    const typed = world.card('base1-4');
    await world.pass(MINUTE_MS);
    expect([shows(typed.message), done(world)]).toEqual([CARD, [1, 2, ['answered from service']]]);
  });

  it('whose wait Discord does not take is told of it again, ever more rarely', async () => {
    const world = await startWorld({ service: { ...QUICK, requestsPerMinute: 1, burst: 1 } });
    await world.card('base1-1').until(isFinal);
    world.discord.faults.script({ route: 'edit', answer: 'close', times: 999 });
    const typed = world.card('base1-4');
    await world.pass(25_000);
    expect(world.discord.faults.met).toBeLessThan(40);
    world.discord.faults.clear();
    await typed.until(({ content }) => content.startsWith("You're in line."));
  });

  it('whose wait is processed after its answer, and after its process, shows the answer again by the next', async () => {
    const world = await startWorld();
    world.cardService.set({ latencyMs: 5_500 });
    world.discord.faults.script({ route: 'edit', delayMs: 12_000 });
    const typed = world.card('base1-4');
    await typed.until(({ embeds }) => embeds.length > 0);
    await world.stopBot();
    await world.pass(5_000);
    expect(shows(typed.message)).toMatch(/^Still asking/);
    await world.restartBot();
    await world.pass(5_000);
    expect([shows(typed.message), done(world)[0]]).toEqual([CARD, 1]);
  });

  it('is logged with how long it waited for its first request', async () => {
    const world = await startWorld({ service: { ...QUICK, requestsPerMinute: 6, burst: 1 } });
    world.cardService.set({ latencyMs: 2_000 });
    await world.card('base1-1').until(isFinal);
    world.discord.type({ command: 'cards', options: { ids: 'base1-2 base1-4' } });
    const [, list] = await world.commandLines(2);
    expect(list).toMatchObject({ outcome: 'answered', source: 'service', shown: 2, asked: 2 });
    expect(Number(list?.waitMs)).toBeLessThan(Number(list?.tookMs) - 10_000);
  });
});

/** What a member is offered who types nothing: what they have seen, and what others have seen in their server. */
async function suggested({ discord }: World, memberId = discord.members[0]?.id ?? ''): Promise<unknown[]> {
  const choices = await discord.complete({ command: 'card', options: { id: '' }, focused: 'id', memberId });
  return choices.map(({ value }) => value);
}

describe('a reply that its process has left', () => {
  /** No edit was taken, or none is known to be. */
  const [CLOSED, LOST] = [
    { route: 'edit', answer: 'close', times: 999 },
    { route: 'edit', answer: 'lose answer', times: 999 },
  ] as const satisfies ScriptedFault[];
  interface Typing {
    /** A new one unless given. */
    world?: World;
    /** `/card base1-4` unless given. */
    type?: (world: World) => TypedInteraction;
  }

  async function left(faults: ScriptedFault[], { world, type }: Typing = {}) {
    const here = world ?? (await startWorld());
    here.discord.faults.script(...faults);
    const typed = type?.(here) ?? here.card('base1-4');
    await here.pass(9_000);
    await here.stopBot();
    here.discord.faults.clear();
    return { world: here, typed };
  }

  /** The command of what it has left exists no more. */
  function ofOlderCommand({ config }: World): void {
    using database = new DatabaseSync(join(config.dataDir, 'state.sqlite'));
    database.exec("UPDATE rows SET value = json_set(value, '$.command', 'older') WHERE part = 'replies:texts'");
  }

  /** What the next process does. */
  async function next(world: World): Promise<ReturnType<typeof done>> {
    const [requests, edits, { length }] = done(world);
    await world.restartBot();
    await world.pass(2 * MINUTE_MS);
    const [allRequests, allEdits, ends] = done(world);
    return [allRequests - requests, allEdits - edits, ends.slice(length)];
  }

  const FROM_MEMORY: ReturnType<typeof done> = [0, 1, ['answered from cache']];
  const AS_IT_IS: ReturnType<typeof done> = [0, 0, []];
  const OUTDATED = formatMessage('en-US', 'unknownCommand');
  it.each<[string, ScriptedFault, (world: World) => unknown, ReturnType<typeof done>, shown: string]>([
    ['is completed from memory', CLOSED, () => {}, FROM_MEMORY, CARD],
    ['is completed although Discord hides it at first', CLOSED, (world) => hidesReplies(world, 2), FROM_MEMORY, CARD],
    ['stays as it is when it shows its card', LOST, () => {}, AS_IT_IS, CARD],
    ['stays as it is although Discord hides it at first', LOST, (world) => hidesReplies(world, 3), AS_IT_IS, CARD],
    ['is dropped when it is too late', CLOSED, ({ pass }) => pass(15 * MINUTE_MS), [0, 0, ['too late from bot']], ''],
    ['says that it is out of date when its command is no more', CLOSED, ofOlderCommand, FROM_MEMORY, OUTDATED],
  ])('%s', async (_, fault, meanwhile, expected, shown) => {
    const { world, typed } = await left([fault]);
    await meanwhile(world);
    expect([await next(world), shows(typed.message)]).toEqual([expected, shown]);
    await world.restartBot();
    expect(said(world, 'deferred replies taken over')).toBe(1);
  });

  it('is logged as answered once it shows its card, though Discord has confirmed no edit', async () => {
    const { world } = await left([CLOSED]);
    world.discord.faults.script({ ...LOST, times: 8 });
    expect((await next(world))[2]).toEqual(['answered from cache']);
  });

  it('is completed from memory without a request, also when its copy is old by then, which is counted as saved', async () => {
    const { world, typed } = await left([CLOSED], { world: await startWorld({ env: { PRICES_FRESH_SECONDS: '0' } }) });
    expect([await next(world), shows(typed.message)]).toEqual([FROM_MEMORY, CARD]);
    expect(field(await world.usage().settled(), 'Answered from memory')).toContain('1 request saved');
  });

  it('stays as it is when it shows each of its cards, or the one embed of a pasted list', async () => {
    const two = await left([LOST], {
      type: ({ discord }) => discord.type({ command: 'cards', options: { ids: 'base1-4 base1-1' } }),
    });
    expect([two.typed.message.embeds.length, await next(two.world)]).toEqual([2, AS_IT_IS]);

    const world = await worldWithNames();
    const estimate = await pasted(world, LIST);
    const list = await left([LOST], { world, type: () => press(world, estimate, 'Fetch the prices') });
    expect([list.typed.message.embeds.length, await next(world)]).toEqual([1, AS_IT_IS]);
  });

  it.each([
    ['of its three lookups two', {}, 2],
    ['its one lookup', { CARD_SERVICE_BULK_PATH: '/cards?ids={ids}' }, 1],
  ])(
    'costs no more than what was said of a pasted list, of which one card is known by then: %s',
    async (_, env, most) => {
      const world = await worldWithNames(env);
      const estimate = await pasted(world, LIST);
      world.cardService.set({ latencyMs: 600_000 });
      await left([], { world, type: () => press(world, estimate, 'Fetch the prices') });
      await remember(world.config, [{ id: 'base1-1', ageMs: 0 }], logLines().log);
      world.cardService.set({ latencyMs: 0, down: true });
      expect((await next(world))[0]).toBe(most);
    },
  );

  it('costs no request when it is taken back while Discord is asked what it shows', async () => {
    const world = await startWorld();
    world.cardService.set({ latencyMs: 600_000 });
    const { typed } = await left([], { world });
    hidesReplies(world, 1);
    await world.restartBot();
    press(world, typed.message, 'Delete');
    await world.pass(MINUTE_MS);
    expect([done(world), typed.message.deleted]).toEqual([[1, 1, ['answered from bot', 'deleted from bot']], true]);
  });

  it('and that no other can take over says that its process stops', async () => {
    const world = await startWorld();
    world.cardService.set({ latencyMs: 600_000 });
    await rm(join(world.config.dataDir, 'state.sqlite'));
    await world.pass(MINUTE_MS);
    const typed = world.card('base1-4');
    await typed.until(({ content }) => content !== '');
    await world.stopBot();
    expect(shows(typed.message)).toBe(errorMessage('en-US', new Stopping()));
  });
});

describe('a reply that is taken back', () => {
  const STALE = [{ id: 'base1-4', ageMs: 7 * 60 * MINUTE_MS }];

  it.each<[string, ScriptedFault[]]>([
    ['', []],
    [' while its first answer is on its way', [{ route: 'callback', answer: 'lose answer' }]],
  ])('%s is not corrected by a renewal', async (_, faults) => {
    const world = await startWorld({ known: STALE });
    world.cardService.set({ latencyMs: 5_000 });
    world.discord.faults.script(...faults);
    press(world, await world.card('base1-4').until(isFinal), 'Delete');
    await world.pass(MINUTE_MS);
    const [requests, edits, ends] = done(world);
    expect([requests, edits, ends.sort()]).toEqual([1, 0, ['answered from bot', 'answered from stale']]);
  });

  it('keeps no process from stopping, whatever its renewal waits for', async () => {
    const world = await startWorld({ known: STALE });
    world.cardService.set({ latencyMs: 600_000 });
    press(world, await world.card('base1-4').until(isFinal), 'Delete');
    await world.pass(500);
    await world.stopBot();
    expect(said(world, 'stopped before everything was done')).toBe(0);
  });

  it('has ended at once, whatever its lookup waits for', async () => {
    const world = await startWorld();
    world.cardService.set({ latencyMs: 600_000 });
    const typed = world.card('base1-4');
    press(world, await typed.until(({ content }) => content !== ''), 'Delete');
    await world.pass(500);
    const [requests, edits, ends] = done(world);
    expect([requests, edits, ends.sort()]).toEqual([1, 1, ['answered from bot', 'deleted from bot']]);
  });

  it.each<[string, ScriptedFault]>([
    ['that is gone', refused('delete', 'unknownMessage', 9)],
    ['whose token has expired', refused('delete', 'invalidWebhookToken', 9)],
  ])('%s is not deleted again', async (_, fault) => {
    const world = await startWorld();
    world.cardService.set({ latencyMs: 600_000 });
    const typed = world.card('base1-4');
    const wait = await typed.until(({ content }) => content !== '');
    world.discord.faults.script(fault);
    press(world, wait, 'Delete');
    await world.pass(5 * MINUTE_MS);
    expect(world.discord.faults.met).toBe(1);
    await world.restartBot();
    expect(said(world, 'deferred replies taken over')).toBe(0);
  });

  it('once it has ended is left to its button, which may be pressed again', async () => {
    const world = await startWorld();
    const message = await world.card('base1-4').until(isFinal);
    world.discord.faults.script(refused('delete', 'missingAccess'));
    press(world, message, 'Delete');
    await world.pass(MINUTE_MS);
    expect([world.discord.message(message.interactionId)?.deleted, world.discord.faults.met]).toEqual([undefined, 1]);
    press(world, message, 'Delete');
    await world.pass(MINUTE_MS);
    expect(world.discord.message(message.interactionId)?.deleted).toBe(true);
  });
});

describe('a command with a fault of its own', () => {
  const BROKEN = formatMessage('en-US', 'broken');
  /** It shows its card so many times, and then throws. */
  function breaksAfter(times: number): void {
    const { show } = card;
    let left = times;
    onTestFinished(() => void Object.assign(card, { show }));
    Object.assign(card, {
      show(...given: Parameters<typeof show>) {
        if (left-- <= 0) throw new TypeError('a bug');
        return show(...given);
      },
    });
  }

  it.each([
    ['answers with a sentence', [{ id: 'base1-4', ageMs: 0 }], 0, BROKEN, 'broken from cache'],
    ['completes its reply with a sentence', [], 0, BROKEN, 'answered from service'],
    ['leaves a saved copy as it is', [{ id: 'base1-4', ageMs: 7 * 60 * MINUTE_MS }], 1, CARD, 'answered from stale'],
  ])('%s, and says it in the log', async (_, known, times, shown, end) => {
    const world = await startWorld({ known });
    breaksAfter(times);
    const typed = world.card('base1-4');
    await world.pass(MINUTE_MS);
    expect([shows(typed.message), done(world)[2]]).toEqual([shown, [end]]);
    expect(world.lines.filter(({ err }) => JSON.stringify(err ?? '').includes('a bug'))).toHaveLength(1);
  });

  it('ends no process when the copy comes too late', async () => {
    const world = await startWorld({ known: [{ id: 'base1-4', ageMs: 7 * 60 * MINUTE_MS }] });
    breaksAfter(1);
    world.discord.faults.script(refused('callback', 'unknownInteraction'));
    world.card('base1-4');
    await world.pass(MINUTE_MS);
    expect(done(world)[2]).toEqual(['too late from bot']);
  });
});

it('a menu that is used again is handled once, also while its first answer is not known to be there', async () => {
  const world = await startWorld({ catalog: SAMPLE_CATALOG });
  await offered(world, 'base1-4');
  const drake = await world.card('base1-4').until(isFinal);
  const printings = await press(world, drake, 'Other printings').settled();
  world.discord.faults.script(...TAKEN_LATE);
  choose(world, printings, 'promo-7');
  await world.pass(100);
  choose(world, printings, 'promo-7');
  await world.pass(MINUTE_MS);
  expect(done(world)[2].slice(2)).toEqual(['answered from service', 'pressed twice from bot']);
});

it('what a member is still to be told follows no answer that Discord has not confirmed', async () => {
  const cards = pricedCards();
  const world = await startWorld({ service: { ...QUICK, cards }, env: ENV });
  const { alice, priced, watches } = membersOf(world.discord, cards);
  world.discord.takesMessages(alice, false);
  await priced(36);
  await watches();
  await priced(29);
  await world.pass(1_000);
  const told = async () => {
    const typed = world.usage({ memberId: alice });
    await world.pass(1_000);
    return typed.message.followUps?.length ?? 0;
  };
  world.discord.faults.script(...TAKEN_LATE);
  expect([await told(), await told()]).toEqual([0, 1]);
});

it('what answers an interaction is sent by its token alone, without the token of the bot', async () => {
  const world = await startWorld();
  const { answer } = world.discord;
  const tokens: unknown[] = [];
  world.discord.answer = async (request) => {
    tokens.push(request.headers.get('Authorization'));
    return answer(request);
  };
  press(world, await world.card('base1-4').until(isFinal), 'Delete');
  await world.pass(1_000);
  expect(tokens).toEqual([null, null, null, null]);
});

describe('when the clock is set', () => {
  /** @returns what is done on its machine, and the clock of that */
  async function worldWithClock() {
    const clock = { skewMs: 0 };
    const machine = { isAlive: true, clock, open: new Set<never>(), deferred: new Set<never>(), number: 0, slot: 0 };
    const here = <T>(work: () => T) => owners.run(machine, work);
    return { world: await here(() => startWorld()), clock, here };
  }

  it('back, an edit is given up after ten seconds all the same, which the log says', async () => {
    const { world, clock, here } = await worldWithClock();
    world.discord.faults.script({ route: 'edit', answer: 'hang', times: 9 });
    here(() => world.card('base1-4'));
    await world.pass(5_000);
    clock.skewMs = -10 * MINUTE_MS;
    await world.pass(7_000);
    expect(said(world, 'discord accepts no edits: they are repeated until it does')).toBe(1);
  });

  it('forward, a press whose acknowledgement is still on its way has not deleted its message', async () => {
    const { world, clock, here } = await worldWithClock();
    world.cardService.set({ latencyMs: 600_000 });
    const wait = await here(() => world.card('base1-4')).until(({ content }) => content !== '');
    world.discord.faults.script({ route: 'callback', answer: 'hang', times: 9 }, refused('delete', 'unknownWebhook'));
    here(() => press(world, wait, 'Delete'));
    await world.pass(100);
    clock.skewMs = MINUTE_MS;
    await world.pass(MINUTE_MS);
    expect(done(world)[2]).toContain('not answered from bot');
    expect(done(world)[2]).not.toContain('deleted from bot');
  });
});
