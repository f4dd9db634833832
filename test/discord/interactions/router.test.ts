import { DiscordAPIError, InteractionResponseType, MessageFlags, type REST } from 'discord.js';
import { pino } from 'pino';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Command, Message, Reply, Services } from '../../../commands/command.ts';
import { InteractionRouter } from '../../../src/discord/interactions/router.ts';
import { RestReplySender } from '../../../src/discord/rest/reply-sender.ts';
import type { LookupsOptions } from '../../../src/lookup/lookups.ts';
import { KeyRefused, TooManyCommands } from '../../../src/model/errors.ts';
import { type CommandEvent, Events } from '../../../src/model/events.ts';
import type { Asked } from '../../../src/model/invocation.ts';
import { formatMessage } from '../../../src/render/messages.ts';
import { CommandReplies } from '../../../src/replies/command-replies.ts';
import { askedFor, NO_JOURNAL } from '../../replies/replies-over.ts';
import { logLines } from '../../support/log-lines.ts';
import { interaction } from './interactions.ts';

const SHOWN: Reply = { isPrivate: false, source: 'cache', message: { content: 'a card' } };
const MESSAGE = { id: '7', interactionMetadata: null };
const ASKED: Asked = askedFor('base1-4');
const { ChannelMessageWithSource, ApplicationCommandAutocompleteResult } = InteractionResponseType;

/** A router over one command, and a Discord that accepts every answer, or at least receives it. */
function routerWith(command: Partial<Command>, count: () => void = () => {}, confirm = async () => {}) {
  const answers: { type: number; data: Record<string, unknown> }[] = [];
  const post = async (_: string, { body }: { body: (typeof answers)[number] }) => {
    answers.push(body);
    await confirm();
  };
  const patch = async (_: string, { body }: { body: unknown }) => void edits.push(body);
  const answered: unknown[] = [];
  const edits: unknown[] = [];
  const ends: CommandEvent[] = [];
  const { log, lines } = logLines();
  const events = new Events();
  onTestFinished(events.subscribe('command', (end) => void ends.push(end)));
  const sender = new RestReplySender({ post, patch } as unknown as REST, log);
  const commandReplies = new CommandReplies({
    lookups: {} as LookupsOptions, // no cards are asked for
    journal: NO_JOURNAL,
    sender,
    render: async () => ({ message: {} }),
    events,
    log,
  });
  const router = new InteractionRouter({
    commands: [{ data: { name: 'card', description: 'Show a card' }, ask: async () => SHOWN, ...command }],
    services: { settings: { servers: new Set() } } as unknown as Services,
    commandRate: { count },
    commandReplies: {
      reply: commandReplies.reply.bind(commandReplies),
      delete: commandReplies.delete.bind(commandReplies),
      async answer({ command: name }, asked) {
        answered.push({ name, asked });
        return true;
      },
    },
    sender,
    events,
    log,
  });
  const type = () => router.receive(interaction('slash', 'card'));
  return { router, commandReplies, type, answers, answered, edits, ends, lines };
}

describe('a command', () => {
  it('is answered with what it returns, and ends with one event', async () => {
    const { type, answers, ends } = routerWith({});
    await type();
    expect(answers).toMatchObject([{ type: ChannelMessageWithSource, data: { content: 'a card' } }]);
    expect(answers[0]?.data).not.toHaveProperty('flags');
    const end = { command: 'card', memberId: 'alice', guildId: 'guild', source: 'cache', waitMs: 0 };
    expect(ends).toMatchObject([{ ...end, outcome: 'answered' }]);
  });

  it('is answered in private where Discord hides replies, whatever it wants to show', async () => {
    const hidden = interaction('slash', 'card', { authorizingIntegrationOwners: { guildId: null } });
    const reply = routerWith({});
    await reply.router.receive(hidden);
    expect(reply.answers).toMatchObject([{ data: { content: 'a card', flags: MessageFlags.Ephemeral } }]);
    const cards = routerWith({ ask: async () => ASKED });
    await cards.router.receive(hidden);
    expect(cards.answered).toEqual([{ name: 'card', asked: { ...ASKED, isPrivate: true } }]);
  });

  it.each<[string, unknown, object]>([
    ['an error of the service', new KeyRefused({ status: 401 }), { outcome: 'KeyRefused', err: undefined }],
    ['a bug', new TypeError('a bug'), { outcome: 'broken', err: expect.any(TypeError) }],
    [
      'an outdated registration',
      Object.assign(new TypeError('no such option'), { code: 'CommandInteractionOptionType' }),
      { outcome: 'outdated command', err: undefined },
    ],
  ])('that meets %s is answered with a private sentence', async (_, error, end) => {
    const { type, answers, ends } = routerWith({ ask: () => Promise.reject(error) });
    await type();
    expect(answers).toMatchObject([{ data: { content: expect.any(String), flags: MessageFlags.Ephemeral } }]);
    expect(ends.map(({ source, outcome, err }) => ({ source, outcome, err }))).toEqual([{ source: 'bot', ...end }]);
  });

  const tooMany = () => {
    throw new TooManyCommands({ untilMs: 0 });
  };
  it.each([
    ['the member sends too many', 'TooManyCommands', tooMany, false],
    ['the bot stops', 'Stopping', () => {}, true],
  ])('is refused before it runs when %s', async (_, outcome, count, closes) => {
    const ask = vi.fn(async () => SHOWN);
    const { router, type, answers, ends } = routerWith({ ask }, count);
    if (closes) await router.close();

    await type();

    expect(ask).not.toHaveBeenCalled();
    expect(answers).toMatchObject([{ data: { flags: MessageFlags.Ephemeral } }]);
    expect(ends).toMatchObject([{ outcome }]);
  });

  it('that came before the bot stops is answered, and waited for', async () => {
    const found = Promise.withResolvers<Reply>();
    const { router, type, answers } = routerWith({ ask: () => found.promise });
    void type();
    const closed = router.close().then(() => answers.length);
    setImmediate(() => found.resolve(SHOWN));
    expect(await closed).toBe(1);
  });

  it.each<[string, Partial<Command>]>([
    ['is refused', { ask: () => Promise.reject(new KeyRefused({ status: 401 })) }],
    ['breaks', { ask: () => Promise.reject(new Error('a bug')) }],
    ['is answered', {}],
  ])('that %s names in the log what was typed, on one line and without control characters', async (_, command) => {
    const { router, ends } = routerWith(command);
    const data = [
      { name: 'private', value: true },
      { name: 'id', value: ' ember\u001b\n\u202ewing ' },
    ];

    await router.receive(interaction('slash', 'card', { options: { data } }));

    expect(ends).toMatchObject([{ command: 'card', card: 'ember wing' }]);
  });

  it.each([
    ['a button, as its command reads it', interaction('button', 'card:show:base1-4'), 'base1-4'],
    ['a menu, as it is chosen', interaction('select', 'card:show', { values: ['base1-5'] }), 'base1-5'],
    ['a button about no card', interaction('button', 'card:delete'), undefined],
  ])('that is refused names in the log the card of %s', async (_, pressed, card) => {
    const { router, ends } = routerWith({
      component: () => Promise.reject(new KeyRefused({ status: 401 })),
      cardOf: (argument) => argument.split(':')[1],
    });
    await router.receive(pressed);
    expect(ends).toMatchObject([{ command: 'card', outcome: 'KeyRefused', card }]);
  });

  it('that asks for cards is left to the replies, which publish its end', async () => {
    const { type, answers, answered, ends } = routerWith({ ask: async () => ASKED });
    await type();
    expect(answered).toEqual([{ name: 'card', asked: ASKED }]);
    expect([answers, ends]).toEqual([[], []]);
  });

  const corrected = async (correction: Promise<Message>, confirm?: () => Promise<void>) => {
    const { commandReplies, type, ...seen } = routerWith(
      { ask: async () => ({ ...SHOWN, correction }) },
      undefined,
      confirm,
    );
    await type();
    await commandReplies.close();
    return seen;
  };

  it('is corrected once its reply is there', async () => {
    const { edits } = await corrected(Promise.resolve({ content: 'a newer card' }));
    expect(edits).toMatchObject([{ content: 'a newer card', embeds: [], components: [] }]);
  });

  it('is corrected although Discord has not confirmed its reply, which may be there', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const { edits, ends } = await corrected(Promise.resolve({ content: 'a newer card' }), async () => {
      vi.setSystemTime(Date.now() + 3_000);
      throw new Error('no answer');
    });

    expect(edits).toMatchObject([{ content: 'a newer card' }]);
    expect(ends).toMatchObject([{ outcome: 'not answered' }]);
  });

  it('whose correction fails keeps its reply, with a line in the log', async () => {
    const { edits, lines } = await corrected(Promise.reject(new Error('a bug')));
    expect(edits).toEqual([]);
    expect(lines).toMatchObject([{ msg: 'reply cannot be completed', command: 'card' }]);
  });
});

describe('an interaction', () => {
  it.each([
    ['slash', 'unknown command', 'unknownCommand'],
    ['user', 'unknown command', 'unknownCommand'],
    ['button', 'unknown interaction', 'outOfDate'],
    ['select', 'unknown interaction', 'outOfDate'],
    ['modal', 'unknown interaction', 'outOfDate'],
  ] as const)('without a handler gets a private sentence: %s', async (kind, outcome, sentence) => {
    const { router, answers, ends } = routerWith({});

    await router.receive(interaction(kind, 'older', { values: [] }));

    const data = { content: formatMessage('en-US', sentence), flags: MessageFlags.Ephemeral };
    expect(answers).toMatchObject([{ type: ChannelMessageWithSource, data }]);
    expect(ends).toMatchObject([{ command: 'older', outcome, source: 'bot' }]);
  });

  const choices = [{ name: 'Ember', value: 'base1-4' }];
  it.each<[string, Command['autocomplete'], unknown[], string[]]>([
    ['the choices of the command', async () => choices, choices, ['debug']],
    ['an empty list without a handler', undefined, [], ['debug']],
    ['an empty list when the handler breaks', () => Promise.reject(new Error('a bug')), [], ['error', 'debug']],
  ])(
    'that completes gets %s, is no command, and is not logged with its text',
    async (_, autocomplete, expected, levels) => {
      const count = vi.fn();
      const { router, answers, ends, lines } = routerWith(autocomplete ? { autocomplete } : {}, count);
      const options = { getFocused: () => ({ name: 'id', value: 'emberwing' }) };

      await router.receive(interaction('autocomplete', 'card', { options }));

      expect(answers).toEqual([{ type: ApplicationCommandAutocompleteResult, data: { choices: expected } }]);
      expect(count).not.toHaveBeenCalled();
      expect(ends).toEqual([]);
      expect(lines.map(({ level }) => pino.levels.labels[Number(level)])).toEqual(levels);
      expect(JSON.stringify(lines)).not.toContain('emberwing');
    },
  );

  it.each<[string, object, number, number]>([
    ['of a button that is pressed twice', {}, 0, 1],
    ['of a button that is pressed again later', {}, 3_001, 2],
    ['of a button that two members press', { user: { id: 'bjorn' } }, 0, 2],
    ['of another button', { customId: 'card:delete' }, 0, 2],
    ['of another message', { message: { ...MESSAGE, id: '8' } }, 0, 2],
  ])('%s is handled as often as it is meant', async (_, second, laterMs, times) => {
    vi.useFakeTimers({ toFake: ['Date', 'performance', 'setTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    vi.advanceTimersByTime(1); // for lru-cache, what was kept at 0 never ages
    const component = vi.fn(async () => SHOWN);
    const { router, answers, ends } = routerWith({ component });
    const pressed = (more: object) => interaction('button', 'card:show', { message: MESSAGE, ...more });

    await router.receive(pressed({}));
    vi.advanceTimersByTime(laterMs);
    await router.receive(pressed(second));

    expect(component).toHaveBeenCalledTimes(times);
    expect([answers.length, ends.length]).toEqual([2, 2]);
    if (times === 1) expect(answers[1]).toMatchObject({ type: InteractionResponseType.DeferredMessageUpdate });
  });

  it('of a button that is pressed again because the first answer was too late is handled', async () => {
    const tooLate = new DiscordAPIError({ code: 10062, message: 'Unknown interaction' }, 10062, 404, 'POST', '', {});
    const confirm = vi.fn(async () => {}).mockRejectedValueOnce(tooLate);
    const component = vi.fn(async () => SHOWN);
    const { router, ends } = routerWith({ component }, undefined, confirm);

    for (const _ of [1, 2]) await router.receive(interaction('button', 'card:show', { message: MESSAGE }));

    expect(component).toHaveBeenCalledTimes(2);
    expect(ends).toMatchObject([{ outcome: 'too late' }, { outcome: 'answered' }]);
  });

  it('that cannot be read leaves a line in the log', async () => {
    const { router, lines } = routerWith({});
    await router.receive(interaction('slash', 'card', { user: undefined }));
    expect(lines).toMatchObject([{ msg: 'interaction cannot be read' }]);
  });
});
