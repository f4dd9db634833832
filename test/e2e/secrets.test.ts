import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { observe } from '../../sandbox/discord/observation.ts';
import { startPageServer } from '../../sandbox/page/page-server.ts';
import { type Backends, startAppBot, startBackends } from '../support/backends.ts';
import { type BotProcess, startBotProcess } from '../support/bot-process.ts';
import { INTERACTION_TOKEN_START, secretsIn } from '../support/secret-forms.ts';
import { IDS, isFinal, isThinking, startWorld } from '../support/world.ts';

/** Contains every character that is escaped in JSON or in a URL. */
const API_KEY = String.raw`k"e\y/with+everything&more=100%`;

/** The environment of a bot that logs at level `trace`, and all its secrets. */
async function startVerbose() {
  const backends = await startBackends({ apiKey: API_KEY, requestsPerMinute: 6_000, burst: 100 });
  /** The interaction tokens that the bot has received so far. */
  const tokens = new Set<string>();
  observe({
    event: ({ type, json }) => type === 'INTERACTION_CREATE' && tokens.add(JSON.parse(json).token),
    exchange() {},
  });
  const env = {
    ...backends.env,
    CARD_SERVICE_API_KEY: API_KEY,
    CARD_SERVICE_TIMEOUT_MS: '1500', // a busy machine may need a second, and a request that takes longer counts as an outage
    LOG_LEVEL: 'trace',
  };
  return { ...backends, env, tokens, secrets: () => [env.DISCORD_TOKEN, API_KEY, ...tokens] };
}

describe('no secret leaks', () => {
  it('from a bot that meets many faults and hostile ids', async () => {
    const verbose = await startVerbose();
    const { discord, cardService, env, tokens, card: lookUp, usage } = verbose;
    const down = { status: 502, body: '<html>Bad Gateway</html>' };
    discord.faults.script({ route: 'gateway/bot', times: 4, answer: down }); // discord.js sends it again three times
    const bot = await startAppBot(env);
    await bot.wrote('discord cannot be reached');
    await bot.wrote('gateway ready');
    const broken = { code: 0, message: `500: ${API_KEY}` };

    cardService.script(
      { path: IDS[0] ?? '', body: API_KEY },
      { path: IDS[1] ?? '', body: { _tag: 'Echo', message: `Bearer ${API_KEY}`, name: API_KEY } },
      { path: IDS[2] ?? '', fault: 'stall', body: API_KEY },
      { path: IDS[3] ?? '', status: 429, headers: { 'retry-after': API_KEY }, body: API_KEY },
      { path: encodeURIComponent(API_KEY), status: 418, body: API_KEY },
      { path: '/v1/usage', status: 401, body: { _tag: 'Unauthorized', message: API_KEY } },
    );
    await Promise.all(IDS.slice(0, 4).map((id) => lookUp(id).until(isFinal)));
    await usage().settled();
    await lookUp(API_KEY).settled();
    await lookUp(env.DISCORD_TOKEN).settled();
    await lookUp(`${INTERACTION_TOKEN_START}${'x'.repeat(60)}`).settled();

    discord.faults.script({ route: 'edit', times: 4, answer: { status: 500, body: broken } });
    discord.faults.script({
      route: 'edit',
      answer: { status: 404, body: { code: 10008, message: 'Unknown Message' } },
    });
    await lookUp(IDS[10] ?? '').until(isThinking);
    await bot.wrote('"outcome":"deleted"');
    discord.faults.script({ route: 'callback', times: 2, answer: 'reset' });
    await lookUp(IDS[11] ?? '').until(isFinal);
    discord.faults.script({
      route: 'callback',
      answer: { status: 401, body: { code: 0, message: '401: Unauthorized' } },
    });
    await lookUp(IDS[12] ?? '').until(isFinal);
    cardService.set({ latencyMs: 5_000 });
    await lookUp(IDS[13] ?? '').until(isThinking); // deferred when the bot stops
    await bot.stop();

    expect(tokens.size).toBeGreaterThanOrEqual(10);
    expect(bot.output().match(/\[token\]/g)?.length).toBeGreaterThanOrEqual(2);
    expect(bot.output()).toContain('[secret]');
    expect(secretsIn(bot.output(), verbose.secrets())).toEqual([]);
  });

  it.each([
    ['uncaughtException', 'throw error'],
    ['unhandledRejection', 'Promise.reject(error)'],
  ])('from a bot that ends with an %s, although its journal contains them', async (event, explode) => {
    const verbose = await startVerbose();
    const { card, cardService, env } = verbose;
    cardService.set({ latencyMs: 60_000 });
    const bot = startWithBomb({ ...env, CARD_SERVICE_TIMEOUT_MS: '60000' }, explode);
    await bot.wrote('gateway ready');
    await card('base1-4').until(isThinking);

    bot.child.kill('SIGUSR2');

    expect(await bot.ended).toBe(1);
    expect(bot.output()).toContain(`"msg":"${event}"`);
    expect(secretsIn(bot.output(), verbose.secrets())).toEqual([]);
    const journal = readdirSync(env.DATA_DIR).filter((name) => name.startsWith('state.sqlite'));
    const written = journal.map((name) => readFileSync(join(env.DATA_DIR, name), 'latin1')).join('\n');
    expect(secretsIn(written, [...verbose.tokens]).length).toBeGreaterThan(1);
  });

  it('through the page of the sandbox', async () => {
    const { discord, cardService, config, card, usage } = await startWorld();
    const server = await startPageServer({ port: 0, discord, cardService });
    onTestFinished(() => server.close());
    await card('base1-4').settled();
    await usage().settled();

    let sent = '';
    for (const path of ['/', '/page.js', '/page.css']) sent += await (await fetch(server.url + path)).text();
    const { body } = await fetch(`${server.url}/api/events`);
    for await (const chunk of body?.pipeThrough(new TextDecoderStream()) ?? []) {
      sent += chunk;
      if (sent.endsWith('\n\n')) break; // all that there is so far
    }
    expect(sent).toContain('Emberwing Drake');
    expect(secretsIn(sent, [config.discord.token, config.cardService.apiKey ?? ''])).toEqual([]);
  });
});

/** Starts a bot that throws an error with all secrets in it on SIGUSR2. */
function startWithBomb(env: Backends['env'], explode: string): BotProcess {
  const bomb = `process.once('SIGUSR2', () => {
    const { DISCORD_TOKEN: token, CARD_SERVICE_API_KEY: key, SPY: spy } = process.env;
    const cause = Object.assign(new Error(key), { headers: { authorization: 'Bot ' + token }, url: spy });
    const error = new AggregateError([cause], token + encodeURIComponent(key), { cause });
    ${explode};
  });`;
  const SPY = `/webhooks/1180000000000000001/${INTERACTION_TOKEN_START}${'x'.repeat(100)}/messages/@original`;
  return startBotProcess({
    ...env,
    SPY,
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(bomb)}`,
  });
}
