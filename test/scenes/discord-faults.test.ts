import { expect, it } from 'vitest';
import { DISCORD_LIFETIMES } from '../../sandbox/discord/conversation.ts';
import type { ScriptedFault } from '../../sandbox/discord/faults.ts';
import { formatMessage } from '../../src/render/messages.ts';
import { bannedByCloudflare, rateLimited, refused, refusedWithHtml, serverError } from '../support/fault-forms.ts';
import { ERROR } from '../support/log-lines.ts';
import { type Row, scenes } from '../support/scene-script.ts';
import { cardRequests, edits, finalAnswer, finalAnswers, IDS, isFinal, startWorld } from '../support/world.ts';

/** Discord's own 3 s; the other tests wait longer. */
const AS_DISCORD = { discord: { lifetimes: DISCORD_LIFETIMES } };
const OLD_AT_ONCE = { env: { FACTS_FRESH_SECONDS: '0' } };
const CARD = 'Emberwing Drake';

it.each<ScriptedFault>([
  serverError('callback', { times: 3 }),
  { route: 'callback', answer: 'close' },
  { route: 'callback', answer: 'reset' },
  { route: 'callback', answer: 'lose answer' },
  { route: 'callback', answer: 'hang' },
  { route: 'callback', delayMs: 400 },
  rateLimited({ route: 'callback', retryAfterSeconds: 1 }),
  rateLimited({ route: 'callback', retryAfterSeconds: 1, scope: 'shared', isInBody: true }),
  rateLimited({ route: 'edit', retryAfterSeconds: 1 }),
  rateLimited({ route: 'edit', retryAfterSeconds: 1, scope: 'global' }),
  bannedByCloudflare('edit', 1),
  { route: 'edit', answer: { status: 302, headers: { 'Content-Type': 'text/html' }, body: 'moved' } },
  { route: 'edit', answer: 'hang' },
  { route: 'edit', answer: 'close', times: 3 },
  { route: 'edit', answer: 'lose answer' },
  { route: 'edit', answer: 'stall' },
  serverError('edit', { status: 500, times: 9 }), // for longer than discord.js retries
  refused('edit', 'unknownWebhook'), // Discord knows of no "thinking…": it arrives as a first answer
])('a card is shown once, whatever its $route meets: $answer', async (fault) => {
  const world = await startWorld(AS_DISCORD);
  // A known card takes a first answer alone.
  for (const source of fault.route === 'callback' ? ['service', 'cache'] : ['service']) {
    world.discord.faults.script(fault);
    const typed = world.card('base1-4');
    expect(await finalAnswer(typed)).toBe(CARD);
    await world.pass(60_000);
    const { outcome, source: from } = world.lines.findLast(({ msg }) => msg === 'command') ?? {};
    expect([outcome, from, finalAnswers(typed)]).toEqual(['answered', source, 1]);
    expect([world.discord.faults.pending, cardRequests(world).length]).toEqual([0, 1]);
  }
});

it.each([
  [refusedWithHtml('callback', 403), 'base1-4', true, [0, 0]],
  [refusedWithHtml('callback', 403), 'base1-5', true, [0, 0]],
  [refusedWithHtml('edit', 400), 'base1-5', false, [1, 2]],
  [{ route: 'edit', answer: { status: 403, body: 'null' } } as const, 'base1-5', false, [1, 2]],
])('an answer that Discord refuses is replaced by a plain sentence and logged: %j', async (...row) => {
  const [fault, id, isPrivate, [requests, tries]] = row;
  const world = await startWorld({ ...AS_DISCORD, known: [{ id: 'base1-4', ageMs: 0 }] });
  world.discord.faults.script(fault);
  const { content, ephemeral } = await world.card(id).until(isFinal);
  expect([content, ephemeral]).toEqual([formatMessage('en-US', 'broken'), isPrivate]);
  const [end] = await world.commandLines(1);
  expect(end).toMatchObject({ outcome: 'broken', ...(isPrivate && { err: expect.anything() }) });
  expect([cardRequests(world).length, edits(world)]).toEqual([requests, tries]);
  const isLogged = world.lines.some(({ level, msg }) => level === ERROR && msg === 'reply cannot be edited');
  expect(isLogged).toBe(!isPrivate);
});

const BULK = { env: { CARD_SERVICE_BULK_PATH: '/cards?ids={ids}' } };
const LIST = `cards ${IDS.slice(0, 10).join()}`;
const ALL_SEE = 'lacks Only you can see this';
const BLOCKS = `AutoMod blocks ${CARD}`;
const BLOCKED = formatMessage('en-US', 'blockedByAutoMod');
const WITHOUT = `Moth Cartographer,${CARD}`;
const KNOWN = 'card base1-4; until its end; +1 s; so far';

scenes([
  [
    'a first answer is not retried before the time that Discord states, and is given up when that is later than its deadline',
    AS_DISCORD,
    `${KNOWN}; callback limited for 10.5 s x 2; card base1-4; +1 s; card base1-5; +1 s; done; faults;
      log discord asks to wait with waitMs 10550; card base1-5; until its end; shows No card has`,
    '0, 0: not answered from bot, not answered from bot | 2 | 2 | yes',
  ],
  [
    'a first answer that Discord does not confirm in time is edited all the same once its card is renewed',
    { ...AS_DISCORD, ...OLD_AT_ONCE },
    `${KNOWN}; callback lose answer x 99; card base1-4; until an old card; until a new card; shows`,
    CARD,
  ],
  [
    'a first answer that Discord processes after it was given up, and after an edit, is completed all the same',
    {},
    'callback late by 4 s x 9; card base1-4; +1 min; shows; answers of 1; ends',
    `${CARD} | 1 | answered from service`,
  ],
  [
    'a first answer that hangs is given up and does not delay a stop',
    AS_DISCORD,
    'callback hang x 9; card base1-4; +100 ms; faults; stop; sessions; shows',
    '1 | 0 | ',
  ],
  [
    'an answer is shown again when Discord processes after it a wait that the bot had given up',
    {},
    `service takes 5500 ms; edit late by 12 s; card base1-4; until a card; until Still asking; until a card; +1 min;
      shows; answers of 1; requests`,
    `${CARD} | 1 | 1`,
  ],
  [
    'an edit is retried word for word although the quota has changed meanwhile',
    {},
    `edit lose answer x 6; card base1-4; until a card; usage; +1 min; log command; faults left; answers of 1;
      log discord accepts no edits: they are repeated until it does; log discord accepts edits again`,
    '2 | 0 | 1 | 1 | 1',
  ],
  ...['hang', 'limited for 600 s'].map(
    (fault): Row =>
      [
        `an edit does not delay a stop: ${fault}`,
        {},
        `edit ${fault} x 9; card base1-4; +1 s; faults; stop; sessions; log stopped before everything was done`,
        '1 | 0 | 1',
      ] as const,
  ),
  [
    'a renewed copy that Discord refuses, with its picture and without, leaves the stale one in place',
    OLD_AT_ONCE,
    `${KNOWN}; edit refused invalidForm x 2; card base1-4; +1 s; faults; stop; shows; until an old card; done`,
    `2 | ${CARD} | 1, 2: answered from stale`,
  ],
  [
    'a renewed copy replaces the stale one when Discord accepts no edits for longer than discord.js retries',
    OLD_AT_ONCE,
    `${KNOWN}; edit fails with 502 x 16; card base1-4; until a new card; faults left`,
    '0',
  ],
  [
    'a card whose picture Discord refuses is shown without it, from memory, too',
    {},
    `Discord refuses /base1/4.png$ in .url; card base1-4; until its end; without a picture; ${ALL_SEE};
      card base1-4; until its end; without a picture; ${ALL_SEE}; +1 s; ends;
      log discord refuses a part of a reply: it is shown without`,
    `${CARD} | yes | ${CARD} | yes | answered from service, answered from cache | 2`,
  ],
  [
    'a card one of whose two pictures Discord refuses keeps the other',
    {},
    `Discord refuses /deep/13.png$ in thumbnail.url; card deep-72; until its end; pictures;
      Discord refuses /deep/72.png$ in image.url; card deep-72; until its end; pictures`,
    [
      'image deep/72.png Picture of Leviathan, Half Asleep',
      'thumbnail deep/13.png Picture of the other side of Leviathan, Half Asleep',
    ].join(' | '),
  ],
  [
    'of a list only the cards whose pictures Discord refuses are shown without them',
    BULK,
    `Discord refuses /base1/[24]\\.png$ in .url; ${LIST}; until 9 cards; +2 s; how many cards; without a picture;
      ${LIST}; until 9 cards; how many cards; without a picture`,
    `10 | ${WITHOUT} | 10 | ${WITHOUT}`,
  ],
  [
    'a card one of whose buttons Discord refuses is shown with the others',
    {},
    'Discord refuses ^card:delete in .custom_id; card base1-4; until its end; shows; buttons',
    `${CARD} | Watch, Other printings`,
  ],
  [
    'where AutoMod blocks a card that is known, its member alone reads so, and sees it in private',
    {},
    `card base1-4 in private; until its end; ${BLOCKS}; card base1-4; until its end; shows;
      reads Only you can see this; answers of 2; card base1-4 in private; until its end; shows; +1 s; ends; failures logged`,
    `${BLOCKED} | yes | 1 | ${CARD} | answered from service, blocked from bot, answered from cache | 0`,
  ],
  ...['card base1-4', LIST].map(
    (typed): Row => [
      `what AutoMod blocks of a deferred reply says so: ${typed}`,
      BULK,
      `${BLOCKS}; ${typed}; until its end; shows; ${ALL_SEE}; answers of 1; +1 s; ends`,
      `${BLOCKED} | yes | 1 | blocked from service`,
    ],
  ),
]);
