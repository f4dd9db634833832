import { InteractionResponseType, MessageFlags, type REST } from 'discord.js';
import { pino } from 'pino';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Command, Reply, Services } from '../../../commands/command.ts';
import { InteractionRouter } from '../../../src/discord/interactions/router.ts';
import { RestReplySender } from '../../../src/discord/rest/reply-sender.ts';
import type { LookupsOptions } from '../../../src/lookup/lookups.ts';
import { KeyRefused, TooManyCommands } from '../../../src/model/errors.ts';
import { type CommandEvent, Events } from '../../../src/model/events.ts';
import { formatMessage } from '../../../src/render/messages.ts';
import { CommandReplies } from '../../../src/replies/command-replies.ts';
import { NO_JOURNAL } from '../../replies/replies-over.ts';
import { logLines } from '../../support/log-lines.ts';
import { interaction } from './interactions.ts';

const SHOWN: Reply = { isPrivate: false, source: 'cache', message: { content: 'a card' } };
const { ChannelMessageWithSource, ApplicationCommandAutocompleteResult } = InteractionResponseType;

/** A router over one command, and a Discord that accepts every answer, or at least receives it. */
function routerWith(command: Partial<Command>, count: () => void = () => {}) {
  const answers: { type: number; data: Record<string, unknown> }[] = [];
  const post = async (_: string, { body }: { body: (typeof answers)[number] }) => void answers.push(body);
  const patch = async (_: string, { body }: { body: unknown }) => void edits.push(body);
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
      answer: async () => true,
    },
    sender,
    events,
    log,
  });
  const type = () => router.receive(interaction('slash', 'card'));
  return { router, commandReplies, type, answers, edits, ends, lines };
}

describe('a command', () => {
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

  it('is refused before it runs when the member sends too many', async () => {
    const ask = vi.fn(async () => SHOWN);
    const { type, answers, ends } = routerWith({ ask }, () => {
      throw new TooManyCommands({ untilMs: 0 });
    });
    await type();
    expect(ask).not.toHaveBeenCalled();
    expect(answers).toMatchObject([{ data: { flags: MessageFlags.Ephemeral } }]);
    expect(ends).toMatchObject([{ outcome: 'TooManyCommands' }]);
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

  it('whose correction fails keeps its reply, with a line in the log', async () => {
    const correction = Promise.reject(new Error('a bug'));
    const { commandReplies, type, edits, lines } = routerWith({ ask: async () => ({ ...SHOWN, correction }) });
    await type();
    await commandReplies.close();
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

  it('that cannot be read leaves a line in the log', async () => {
    const { router, lines } = routerWith({});
    await router.receive(interaction('slash', 'card', { user: undefined }));
    expect(lines).toMatchObject([{ msg: 'interaction cannot be read' }]);
  });
});
