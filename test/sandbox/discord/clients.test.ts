import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import type { TypedCommand } from '../../../sandbox/discord/chat.ts';
import type { TypedInteraction } from '../../../sandbox/discord/typed-interaction.ts';
import { openDiscord } from '../../support/backends.ts';
import { startScript } from '../../support/bot-process.ts';

/** Longer than Discord's limits, because a busy machine starts processes slowly and no test here is about time. */
const TIMEOUT_MS = 60_000;
const PATIENT = { ackMs: TIMEOUT_MS, tokenMs: 2 * TIMEOUT_MS };

const TRANSCRIPT = [
  'ready as cards',
  'in Collectors as cards',
  'in Trading Post as cards',
  'application Cards of Alice',
  'set now, later, find, spare',
  'got spare: Says spare',
  'edited spare: Says nothing',
  'left now, later, find, bye',
  'followed up with more',
  'answered later',
  'resumed',
  'resumed',
  'again as cards',
];

// Every other test has a client of discord.js.
it('serves another library unmodified, in a process of its own: commands, every kind of answer, resumes', async () => {
  const discord = await openDiscord({ lifetimes: PATIENT });
  const program = startScript(fileURLToPath(new URL('oceanic-client.ts', import.meta.url)), {
    DISCORD_API_URL: discord.apiUrl,
    DISCORD_TOKEN: discord.botToken,
  });
  const died = program.ended.then(() => Promise.reject(new Error(program.output())));
  died.catch(() => undefined); // the test ends the process itself
  const settled = (typed: TypedInteraction) => Promise.race([typed.settled(TIMEOUT_MS), died]);
  const answer = (typed: TypedCommand) => settled(discord.type(typed));
  await program.wrote('left ');

  const now = await answer({ command: 'now' });
  expect(now).toMatchObject({ state: 'answered', content: 'now' });
  await settled(discord.click({ messageId: now.messageId ?? '', customId: 'again' }));
  expect(discord.message(now.interactionId)).toMatchObject({ content: 'now, again', components: [] });

  const find = { command: 'find', options: { text: 'so' } };
  expect(await discord.complete({ ...find, focused: 'text' })).toEqual([{ name: 'Some text', value: 'some' }]);
  expect(await answer({ ...find, guildId: null })).toMatchObject({ content: 'found so' });

  expect(await answer({ command: 'later' })).toMatchObject({ content: 'later' });
  await program.wrote('answered later');
  expect(discord.messages().at(-1)).toMatchObject({ content: 'later', followUps: [] });

  discord.gateway.requestReconnect();
  await program.wrote('resumed');
  discord.gateway.drop(1_006);
  expect(await answer({ command: 'now' })).toMatchObject({ content: 'now' }); // typed while no client was connected
  expect(discord.gateway).toMatchObject({ resumes: 2, identifies: 1 });

  expect(await answer({ command: 'bye' })).toMatchObject({ content: 'bye' });
  expect(await program.ended, program.output()).toBe(0);
  expect(program.output().trim().split('\n')).toEqual(TRANSCRIPT);
  expect(discord.requests.filter(({ status }) => status >= 300)).toEqual([]);
});
