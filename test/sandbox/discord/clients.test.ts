import { fileURLToPath } from 'node:url';

import { it } from 'vitest';

import { type EmulatedDiscord, startEmulatedDiscord } from '../../../src/sandbox/discord/emulated-discord.ts';
import { spawnScript } from '../../support/spawn-bot.ts';

/** Nothing here is about time, and a busy machine starts a process slowly. */
const TIMEOUT_MS = 60_000;
const PATIENT = { ackMs: TIMEOUT_MS, tokenMs: 2 * TIMEOUT_MS };

const CLIENTS = ['discord-js', 'discordjs-core', 'oceanic'];

const TRANSCRIPT = [
  'ready as cards',
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

/** What the bot answers in the end, as the chat shows it. */
async function answer(discord: EmulatedDiscord, command: string, options: Record<string, string> = {}) {
  return discord
    .type({ command, options })
    .until(({ state }) => state === 'answered' || state === 'failed', TIMEOUT_MS);
}

it.concurrent.for(CLIENTS)(
  'serves %s unmodified, in a process of its own: commands, every kind of answer, resumes',
  { timeout: TIMEOUT_MS },
  async (client, { expect }) => {
    await using stack = new AsyncDisposableStack();
    const discord = await startEmulatedDiscord({ lifetimes: PATIENT });
    stack.defer(() => discord.close());
    const program = spawnScript(fileURLToPath(new URL(`clients/${client}.ts`, import.meta.url)), {
      DISCORD_API_URL: discord.apiUrl,
      DISCORD_TOKEN: discord.botToken,
    });
    stack.defer(() => void program.child.kill('SIGKILL'));
    await program.wrote('left ');

    expect(await answer(discord, 'now')).toMatchObject({ state: 'answered', content: 'now' });
    expect(await answer(discord, 'find', { text: 'some' })).toMatchObject({ content: 'found some' });
    expect(await answer(discord, 'later')).toMatchObject({ content: 'later' });
    await program.wrote('answered later');
    expect(discord.messages().at(-1)).toMatchObject({ content: 'later', followUps: [] });

    discord.gateway.requestReconnect();
    await expect.poll(() => discord.gateway.resumes, { timeout: TIMEOUT_MS }).toBe(1);
    discord.gateway.drop(1_006);
    expect(await answer(discord, 'now')).toMatchObject({ content: 'now' }); // typed while nobody was connected
    expect(discord.gateway).toMatchObject({ resumes: 2, identifies: 1 });

    expect(await answer(discord, 'bye')).toMatchObject({ content: 'bye' });
    expect(await program.ended, program.output()).toBe(0);
    expect(program.output().trim().split('\n')).toEqual(TRANSCRIPT);
    expect(discord.requests.filter(({ status }) => status >= 300)).toEqual([]);
  },
);
