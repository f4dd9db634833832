import { expect, it } from 'vitest';
import { Stopping } from '../../src/model/errors.ts';
import { errorMessage } from '../../src/render/messages.ts';
import { scene } from '../support/scene-script.ts';
import { inWorld } from '../support/world.ts';

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

inWorld('a menu that changes its message in place is handled each time', async (world) => {
  const { messageId = '' } = await world.type('settings', {}, { manageGuild: true }).settled();
  for (const value of ['de', 'en', 'de'])
    await world.discord
      .choose({ messageId, customId: 'settings:language', values: [value], manageGuild: true })
      .settled();
  expect(await world.commandLines(4)).toMatchObject(Array(4).fill({ outcome: 'answered' }));
});

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
