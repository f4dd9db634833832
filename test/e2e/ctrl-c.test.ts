import { describe, expect, it } from 'vitest';
import { startBackends } from '../support/backends.ts';
import { startUnderNpm } from '../support/bot-process.ts';
import { finalAnswer } from '../support/final-answers.ts';

/** Long enough for a request to be under way when the signal arrives. */
const SLOW_MS = 1_200;

describe('Ctrl-C, which npm delivers twice within milliseconds,', () => {
  it('stops the bot with exit code 0 after the lookup in progress is answered', async () => {
    const { discord, cardService, env } = await startBackends({ latencyMs: SLOW_MS });
    const npm = startUnderNpm(['start'], env);
    await npm.wrote('gateway ready');
    const typed = discord.type({ command: 'card', options: { id: 'base1-4' } });
    await expect.poll(() => cardService.requests).toHaveLength(1);

    npm.ctrlC();

    expect(await finalAnswer(typed)).toBe('Emberwing Drake');
    expect(await npm.ended, npm.output()).toBe(0);
    expect(npm.output()).toContain('"msg":"stopped"');
    expect(cardService.requests).toHaveLength(1);
  });

  it('stops the sandbox in the same way', async () => {
    const npm = startUnderNpm(['run', 'sandbox', '--', '--port', '0']);
    await npm.wrote('and type: /card');
    const page = /http:\/\/\S+/.exec(npm.output())?.[0] ?? expect.fail(npm.output());
    const post = (path: string, body: object) =>
      fetch(new URL(path, page), {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin: new URL(page).origin },
        body: JSON.stringify(body),
      });
    await post('/api/switches', { latencyMs: SLOW_MS });
    const typed = { command: 'card', options: { id: 'base1-4' }, memberId: '1180000000000000101', guildId: null };
    const events = await fetch(new URL('/api/events', page));
    expect((await post('/api/commands', { ...typed, manageGuild: false })).status).toBe(200);
    await reads(events, '/cards/base1-4?');

    npm.ctrlC();

    expect(await npm.ended, npm.output()).toBe(0);
    expect(npm.output()).toContain('"outcome":"answered"');
  });
});

async function reads({ body }: Response, text: string): Promise<void> {
  let read = '';
  for await (const chunk of body?.pipeThrough(new TextDecoderStream()) ?? []) {
    read += chunk;
    if (read.includes(text)) return;
  }
  expect.fail(`the page never received ${text}`);
}
