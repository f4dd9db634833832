import { describe, expect, it, onTestFinished } from 'vitest';
import type { ScriptedFault } from '../../sandbox/discord/faults.ts';
import { startApp } from '../../src/app.ts';
import { readConfig } from '../../src/config/config.ts';
import { startWebhookServer } from '../operations/webhook-server.ts';
import { startAppBot, startBackends } from '../support/backends.ts';
import { rateLimited, refused, serverError } from '../support/fault-forms.ts';
import { logLines } from '../support/log-lines.ts';
import { finalAnswer, startWorld } from '../support/world.ts';

const route = 'gateway/bot';
const HOUR_MS = 3_600_000;

/** Starts the bot in this process while Discord has these faults. */
async function startsInto(...faults: ScriptedFault[]) {
  const { discord, env, card } = await startBackends();
  discord.faults.script(...faults);
  const { log, lines } = logLines();
  const bot = await startApp(readConfig(env), log);
  onTestFinished(() => bot.stop());
  const logged = (msg: string) => expect.poll(() => lines).toContainEqual(expect.objectContaining({ msg }));
  return { discord, card, bot, lines, logged };
}

function logins(remaining: number, shards = 1): ScriptedFault {
  const session_start_limit = { total: 1_000, remaining, reset_after: HOUR_MS, max_concurrency: 1 };
  return { route, answer: { status: 200, body: { url: 'ws://127.0.0.1:9', shards, session_start_limit } } };
}

describe('a login', () => {
  async function succeedsAfter(fault: ScriptedFault): Promise<void> {
    const { discord, card, bot, lines } = await startsInto(fault);

    await bot.ready;
    await discord.gateway.whenReady();
    expect(await finalAnswer(card('base1-4'))).toBe('Emberwing Drake');
    await bot.stop();

    const failures = lines.filter(({ msg }) => /^discord (cannot be reached|asks to wait before logging in)/.test(msg));
    expect(failures).toHaveLength(1);
    await expect.poll(() => discord.gateway.sessions).toBe(0); // the bot sees the close before Discord does
    expect(discord.gateway.identifies).toBe(1);
  }

  it('is retried when Discord is down, answers nonsense or is busy, and then the bot works', async () => {
    const faults: ScriptedFault[] = [
      serverError(route, { status: 500, times: 4 }),
      { route, answer: 'close' },
      { route, answer: 'stall' },
      { route, answer: { status: 200, body: '<html>Welcome</html>' } },
      logins(1_000, 0),
      refused(route, 'blockedUserAgent'),
      rateLimited({ route, retryAfterSeconds: 1 }),
    ];
    await Promise.all(faults.map(succeedsAfter));
  });

  const limited = (hours: number) => rateLimited({ route, retryAfterSeconds: hours * 3_600 });
  const WAITS = 'discord asks to wait before logging in';
  it.each<[string, ScriptedFault, number, string]>([
    ['a 429 with 23 hours', limited(23), 23, WAITS],
    ['a 429 with a year, of which a week', limited(366 * 24), 7 * 24, WAITS],
    ['a day with no logins left', logins(0), 1, "discord's daily login limit is reached"],
  ])('that meets %s waits as long as stated, logs it, and does not delay a stop', async (_, fault, hours, message) => {
    const { discord, bot, lines, logged } = await startsInto(fault);
    await logged(message);
    await bot.stop();
    expect(lines.find(({ msg }) => msg === message)?.waitMs).toBeGreaterThanOrEqual(hours * HOUR_MS);
    expect(discord.requests.filter(({ path }) => path.endsWith('/gateway/bot'))).toHaveLength(1);
    expect(discord.gateway.identifies).toBe(0);
  });

  it('that hangs does not delay a stop and does not succeed after it', async () => {
    const { discord, bot, lines } = await startsInto({ route, answer: 'hang', times: 9 });
    await expect.poll(() => discord.faults.met).toBe(1);
    await bot.stop();
    await expect(bot.ready).rejects.toThrow('stopping');
    await bot.registered;
    expect(lines.filter(({ msg }) => /registered/.test(msg))).toEqual([]);
    expect(discord.gateway.identifies).toBe(0);
  });
});

it('a bot whose token is revoked tells its operator before it ends', async () => {
  const { url, messages } = await startWebhookServer();
  const world = await startWorld({ env: { ALERT_WEBHOOK_URL: url } });
  world.discord.revokeToken();
  await expect.poll(() => messages).toContainEqual(expect.stringContaining('Discord refuses the bot token'));
});

it('a bot whose token is refused at its start tells its operator before it ends', async () => {
  const { url, messages } = await startWebhookServer();
  const { discord, env } = await startBackends({}, { ALERT_WEBHOOK_URL: url });
  discord.revokeToken();
  const bot = await startAppBot(env);
  await expect.poll(() => messages).toContainEqual(expect.stringContaining('Discord refuses the bot token'));
  await bot.stop();
});
