import { ApplicationCommandType, ComponentType, InteractionType } from 'discord.js';
import { beforeAll, beforeEach, expect, it, onTestFinished } from 'vitest';
import card from '../../commands/card.ts';
import type { Command } from '../../commands/command.ts';
import { KeyRefused, Stopping } from '../../src/model/errors.ts';
import { errorMessage, formatMessage } from '../../src/render/messages.ts';
import { ERROR, INFO } from '../support/log-lines.ts';
import { scene, scenes } from '../support/scene-script.ts';
import { choose, inWorld, press, QUICK, startWorld, WITH_NAMES, type World } from '../support/world.ts';

const { ApplicationCommand, MessageComponent, ModalSubmit } = InteractionType;
const { ChatInput, Message, User } = ApplicationCommandType;
const { Button, StringSelect } = ComponentType;
const REFUSED = new KeyRefused({ status: 401 });

let world: World;
let before: number;
beforeAll(async () => {
  world = await startWorld(WITH_NAMES);
});
beforeEach(() => {
  before = world.lines.length;
});

/** The lines of the log since the test began, but for those for debugging; a line is written after its answer. */
async function logged(): Promise<World['lines']> {
  await world.pass(100);
  return world.lines.slice(before).filter(({ level }) => Number(level) >= INFO);
}

/** The next interaction reaches the bot with other fields. */
function sentWith(fields: object): void {
  const { gateway } = world.discord;
  const { dispatch } = gateway;
  gateway.dispatch = (type, guildId, payload) => {
    gateway.dispatch = dispatch;
    gateway.dispatch(type, guildId, { ...payload, ...fields });
  };
}

/** Until the test ends, `/card` does something else. */
function cardDoes(other: Partial<Command>): void {
  const usual = { ...card };
  onTestFinished(() => void Object.assign(card, usual));
  Object.assign(card, other);
}

it.each<[string, type: number, data: object, outcome: string]>([
  ['command', ApplicationCommand, { type: ChatInput, name: 'older' }, 'unknown command'],
  ['menu as a command', ApplicationCommand, { type: ChatInput, name: 'Look up cards' }, 'unknown command'],
  ['command as a menu', ApplicationCommand, { type: Message, name: 'card' }, 'unknown command'],
  ["members' menu", ApplicationCommand, { type: User, name: 'Look up cards' }, 'unknown command'],
  ['command with another option', ApplicationCommand, { type: ChatInput, name: 'card' }, 'outdated command'],
  ['button', MessageComponent, { component_type: Button, custom_id: 'older:a' }, 'unknown interaction'],
  ['button of a command', MessageComponent, { component_type: Button, custom_id: 'usage:a' }, 'unknown interaction'],
  [
    'menu of a message',
    MessageComponent,
    { component_type: StringSelect, custom_id: 'older', values: ['a'] },
    'unknown interaction',
  ],
  ['form', ModalSubmit, { custom_id: 'older', components: [] }, 'unknown interaction'],
  ['form of a command', ModalSubmit, { custom_id: 'usage:form', components: [] }, 'unknown interaction'],
])('a %s that there is no more gets a private sentence', async (_, type, data, outcome) => {
  const shown = await world.card('base1-4').settled();
  sentWith({ type, data: { id: '1', resolved: {}, ...data } });
  const reply = await press(world, shown, 'Delete').settled();
  const content = formatMessage('en-US', type === ApplicationCommand ? 'unknownCommand' : 'outOfDate');
  expect(reply).toMatchObject({ ephemeral: true, content });
  expect((await logged()).at(-1)).toMatchObject({ msg: 'command', outcome, source: 'bot' });
});

it.each<[string, unknown, content: string, end: object]>([
  ['an error of the service', REFUSED, errorMessage('en-US', REFUSED), { outcome: 'KeyRefused' }],
  ['a bug', new TypeError('a bug'), formatMessage('en-US', 'broken'), { outcome: 'broken', level: ERROR }],
])('a command that meets %s gets a private sentence; the log has what was typed, on one line', async (...row) => {
  const [, error, content, end] = row;
  cardDoes({ ask: () => Promise.reject(error) });
  const options = { private: true, id: ' ember\u001b\n\u202ewing ' };
  const reply = await world.type('card', options).settled();
  expect(reply).toMatchObject({ ephemeral: true, content });
  expect(await logged()).toMatchObject([{ ...end, command: 'card', card: 'ember wing', source: 'bot' }]);
});

it('a reply whose correction fails keeps what it shows, with a line in the log', async () => {
  const message = { content: 'old' };
  cardDoes({
    async ask() {
      const correction = Promise.reject(new Error('a bug'));
      return { kind: 'reply', message, isPrivate: false, source: 'bot', correction };
    },
  });
  const typed = world.card('base1-4');
  await typed.settled();
  const line = { msg: 'reply cannot be completed', level: ERROR, command: 'card' };
  expect(await logged()).toContainEqual(expect.objectContaining(line));
  expect(typed.message.content).toBe('old');
});

it('a button or a menu that is refused, or pressed twice, stands in the log with the card that it is about', async () => {
  const shown = await world.card('base1-4').settled();
  const printings = await press(world, shown, 'Other printings').settled();
  await world.pass(4_000); // pressed once more, and not twice
  cardDoes({ component: () => Promise.reject(REFUSED) });
  for (const label of ['Other printings', 'Other printings', 'Delete']) await press(world, shown, label).settled();
  await choose(world, printings, 'promo-7').settled();
  const ends = await logged();
  expect(ends.slice(-4).map(({ outcome, card }) => [outcome, card])).toEqual([
    ['KeyRefused', 'base1-4'],
    ['pressed twice', 'base1-4'],
    ['KeyRefused', undefined],
    ['KeyRefused', 'promo-7'],
  ]);
});

it('too many commands of a member are refused before they run, which the log says', async () => {
  const { bob: memberId } = world;
  const watch = { command: 'watch', options: { card: 'base1-4', below: 1 }, memberId };
  for (let sent = 0; sent < 240; sent++) world.card('..', {}, { memberId });
  const refused = await world.discord.type(watch).settled();
  expect(refused).toMatchObject({ ephemeral: true, content: expect.stringMatching(/^Nicht so schnell/) });
  await world.pass(1_000);
  const watches = await world.type('watches', {}, { memberId }).settled();
  expect(watches.content).toContain('`/watch`');
  const ends = (await logged()).filter(({ outcome }) => outcome === 'TooManyCommands');
  expect(ends).toMatchObject([{ command: 'watch' }]);
});

it('what completes is no command, and what is typed in it stands in no log, also when it breaks', async () => {
  const typed = {
    command: 'card',
    options: { id: 'emberwing' },
    focused: 'id',
    memberId: world.chloe,
  };
  const completed = () => world.discord.complete(typed);
  for (let keys = 0; keys < 250; keys++) await completed();
  expect(await completed()).not.toEqual([]);
  sentWith({
    data: { type: ChatInput, name: 'usage', options: [{ type: 3, name: 'id', value: 'emberwing', focused: true }] },
  });
  expect([await completed(), await logged()]).toEqual([[], []]);
  cardDoes({ autocomplete: () => Promise.reject(new Error('a bug')) });
  expect(await completed()).toEqual([]);
  expect(await logged()).toMatchObject([{ msg: 'suggestions failed', level: ERROR, command: 'card' }]);
  expect(world.lines.slice(before).some(({ msg }) => msg === 'suggestions')).toBe(true);
  expect(JSON.stringify(world.lines.slice(before))).not.toMatch(/emberwing|base1|dusk2/);
  expect((await world.usage({ memberId: typed.memberId }).settled()).embeds).toHaveLength(1);
});

it('a search has two seconds: a member who types on waits no longer', async () => {
  cardDoes({ autocomplete: async ({ suggestByMs }) => [{ name: 'ms', value: `${suggestByMs - Date.now()}` }] });
  const choices = await world.discord.complete({ command: 'card', options: { id: 'ember' }, focused: 'id' });
  expect(choices).toMatchObject([{ value: '2000' }]);
});

scenes([
  [
    'a menu that changes its message in place is handled each time',
    {},
    `settings; until its end; ${['de', 'en', 'de'].map((each) => `choose ${each} as a manager; until an answer`).join('; ')};
      4 ends`,
    Array(4).fill('answered from bot').join(', '),
  ],
  [
    'a group is one place in line, whoever of it asks',
    { service: { ...QUICK, requestsPerMinute: 60, burst: 1 } },
    `card base1-1 in a group; bob: card base1-2 in a group; bob: card base1-3 in a group; chloe: card base1-4; +10 s;
      requested`,
    'base1-1 base1-4 base1-2 base1-3',
  ],
]);

it('an interaction that cannot be read leaves a line in the log', async () => {
  sentWith({ type: ModalSubmit, data: { components: [] } });
  world.usage();
  expect(await logged()).toMatchObject([{ msg: 'interaction cannot be read', level: ERROR }]);
});

it.each([
  ['no locale', undefined],
  ['a locale that is no text', 7],
])('one with %s is answered in English', async (_, locale) => {
  sentWith({ locale, guild_locale: locale });
  const japanese = world.discord.members.find((member) => member.locale === 'ja');
  const memberId = japanese?.id ?? '';
  expect((await world.card('..', {}, { memberId }).settled()).content).toMatch(/^Please type/);
});

it('a member who may not use external apps is answered for all to see where the bot is installed', async () => {
  sentWith({ member: { user: { id: world.alice, username: 'Alice' }, permissions: '0', roles: [] } });
  expect((await world.card('base1-4').settled()).ephemeral).toBe(false);
});

/** Two replies with the same buttons. */
const TWO = 'card base1-4; until its end; card base1-4; until its end; +100 ms; so far';
const PRESS = 'press Other printings of 1';
const TOLD = '+1 s; presses that show something; ends';
const [ONCE, TWICE] = ['1 | answered from bot, pressed twice from bot', '2 | answered from bot, answered from bot'];
const PRIVATE = 'card base1-4 in private; until its end; +100 ms; so far; callback refused unknownInteraction';

it.each<[rule: string, script: string, told: string]>([
  ['pressed twice is handled once', `${TWO}; ${PRESS}; +0 ms; ${PRESS}; ${TOLD}`, ONCE],
  ['pressed again after three seconds is handled again', `${TWO}; ${PRESS}; +3001 ms; ${PRESS}; ${TOLD}`, TWICE],
  ['that two members press is handled for both', `${TWO}; ${PRESS}; bob presses Other printings of 1; ${TOLD}`, TWICE],
  ['of another message is handled at once', `${TWO}; ${PRESS}; press Other printings of 2; ${TOLD}`, TWICE],
  [
    'besides another of the same message is handled at once',
    `${TWO}; ${PRESS}; press Delete of 1; +1 s; gone 1`,
    'yes',
  ],
  ...Object.entries({ 'Other printings': 'bot', 'Show to everyone': 'cache' }).map(
    ([label, source]): [string, string, string] => [
      `that is pressed again because its first answer was too late is handled: ${label}`,
      `${PRIVATE}; press ${label}; +100 ms; press ${label}; +1 s; ends`,
      `too late from bot, answered from ${source}`,
    ],
  ),
  [
    'whose form was closed opens it again at once',
    `${TWO}; press Watch of 1; +100 ms; press Watch of 1; +1 s; ends`,
    'answered from bot, answered from bot',
  ],
  [
    'is not handled twice within three seconds of the press that was answered',
    `${TWO}; callback refused unknownInteraction; ${PRESS}; +2500 ms; ${PRESS}; +1 s; ${PRESS}; +1 s; ends`,
    'too late from bot, answered from bot, pressed twice from bot',
  ],
])('a button %s', async (_, script, told) => expect(await scene({}, script)).toBe(told));

inWorld(
  'while the bot stops a command that came before is answered, and a new one refused in private',
  async (world) => {
    world.cardService.set({ latencyMs: 1_000 });
    const before = world.card('base1-4');
    await world.pass(100);
    const stopped = world.stopBot();
    const after = world.card('base1-5');
    await stopped;
    expect(before.message.embeds).toHaveLength(1);
    const content = errorMessage('en-US', new Stopping());
    expect(after.message).toMatchObject({ ephemeral: true, content });
    expect(world.cardService.requests).toHaveLength(1);
  },
);
