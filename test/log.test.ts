import { inspect } from 'node:util';
import { DiscordAPIError } from 'discord.js';
import { describe, expect, it, vi } from 'vitest';
import packageJson from '../package.json' with { type: 'json' };
import { readCardServiceConfig } from '../src/config/config.ts';
import { createLog, Incident, type Logger, redaction } from '../src/log.ts';
import { forTerminal } from '../src/log-terminal.ts';
import { ServiceDown } from '../src/model/errors.ts';
import { commandLogger } from '../src/replies/end.ts';
import { startLines } from '../src/run.ts';
import { settingOf } from './support/described.ts';
import { fakeTimers } from './support/fake-timers.ts';
import { logLines } from './support/log-lines.ts';
import { secretForms } from './support/secret-forms.ts';
import { changed, expectSaid, table } from './table.ts';

type LogOptions = Parameters<typeof createLog>[0];

const TOKEN = 'MTIzNDU2.abc-def.GhIjKl';
const KEY = 'k"e\\y/with+everything&more=';
const INTERACTION_TOKEN = `aW50ZXJhY3Rpb246MTIzNDU2Nzg5${'x'.repeat(120)}`;
const ID = '123456789012345678';

/** The lines of the log, as text. */
function written(write: (log: Logger) => void, options: Partial<LogOptions> = {}): string {
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  write(createLog({ level: 'trace', secrets: [TOKEN, KEY, undefined, ''], destination, ...options }));
  return lines.join('');
}

/** The one line, as it can be read. */
const lineOf = (...given: Parameters<typeof written>) => JSON.parse(written(...given));

function apiError(path: string): DiscordAPIError {
  const body = { files: undefined, body: undefined };
  const unknown = { code: 10015, message: 'Unknown Webhook' };
  return new DiscordAPIError(unknown, 10015, 404, 'PATCH', `https://discord.com/api/v10${path}`, body);
}

describe('a secret in the log', () => {
  const inside = new Error(`refused ${KEY}`);
  it.each<[string, object, string?]>([
    ['a message', {}, `logged in with ${TOKEN} and ${KEY}`],
    ['a field', { authorization: `Bearer ${KEY}`, nested: { list: [TOKEN] } }],
    ['an error', { err: new Error(`token ${TOKEN}`) }],
    ['the cause of an error', { err: new Error('outside', { cause: inside }) }],
    ['an error among several', { err: new AggregateError([inside], 'many') }],
    ['a property of an error', { err: Object.assign(new Error('x'), { headers: { key: KEY } }) }],
    ['an address', { url: `https://cards.test/?key=${encodeURIComponent(KEY)}` }],
    ['JSON', { body: JSON.stringify({ key: KEY }) }],
    ['JSON in JSON', { body: JSON.stringify({ body: JSON.stringify({ key: KEY }) }) }],
    ['an inspected value', {}, inspect({ key: TOKEN })],
    ['the name of a field', { [TOKEN]: 1 }],
  ])('is removed from %s, in a child logger, too', (_, fields, message = 'x') => {
    for (const text of [
      written((log) => log.error(fields, message)),
      written((log) => log.child({ token: TOKEN, ...fields }).info({ key: KEY }, message)),
    ]) {
      expect(text).toContain('[secret]');
      expect(text).not.toContain(TOKEN);
      expect(text).not.toMatch(/with.{0,3}everything/);
      expect(() => JSON.parse(text)).not.toThrow();
    }
  });

  it.each(['1234', '200', '7'])('of digits (%s) is removed from strings, and numbers stay as they are', (secret) => {
    const fieldsWith = (text: string) => ({
      ...{ status: 200, waitMs: 1_234, seventh: 7.25, list: [text, 1_234], [`k ${text}`]: null },
      embedded: JSON.stringify({ key: text, body: JSON.stringify({ again: text }) }),
    });
    const fields = { ...fieldsWith(secret), err: new Error(`key ${secret} refused`) };
    const message = `with ${secret}, ${encodeURIComponent(secret)}`;
    const line = lineOf((log) => log.warn(fields, message), { secrets: [secret] });
    expect(line).toMatchObject({
      ...{ ...fieldsWith('[secret]'), level: 'warn', msg: 'with [secret], [secret]' },
      err: { message: 'key [secret] refused' },
    });
    expect(Math.abs(line.time - Date.now())).toBeLessThan(60_000);
  });

  it.each(secretForms(KEY))('is removed as %s', (form) => {
    expect(lineOf((log) => log.info({ form }, form))).toMatchObject({ form: '[secret]', msg: '[secret]' });
  });

  // Those of fewer than eight characters where they are words, and of several all of each.
  it.each([
    ['secre', 'the secret of secre, secret', 'the secret of [secret], secret'],
    ['t', "it isn't t", "it isn'[secret] [secret]"],
    ['abc', 'a\nabc "abc" \\u001babc', 'a\n[secret] "[secret]" \\u001b[secret]'],
    ['abc', 'key=abc&x=%20abc', 'key=[secret]&x=%20[secret]'],
    ['-ab-', 'x-ab-x', 'x[secret]x'],
    ['12345678', 'x123456789', 'x[secret]9'],
    ['abc abcdef', 'abcdef abc', '[secret] [secret]'],
    ['abc e', 'abc e', '[secret] [secret]'],
    ['', 'as it was', 'as it was'],
  ])('%j is removed from %j', (secrets, text, expected) => {
    const redacted = redaction([...secrets.split(' '), undefined]);
    expect(redacted(text)).toBe(expected);
    expect(redacted(JSON.stringify(text))).toBe(JSON.stringify(expected));
  });
});

describe('an interaction token in the log', () => {
  it.each([
    ['an edit', `/webhooks/${ID}/${INTERACTION_TOKEN}/messages/%40original`],
    ['a callback', `/interactions/${ID}/${INTERACTION_TOKEN}/callback?with_response=false`],
    ['an encoded address', encodeURIComponent(`/webhooks/${ID}/${INTERACTION_TOKEN}`)],
  ])('is removed from an error of discord.js about %s', (_, path) => {
    const text = written((log) => {
      log.error({ err: apiError(path) }, 'reply cannot be edited');
      log.error({ err: new Error('outside', { cause: apiError(path) }) }, 'failed');
      log.warn(String(apiError(path).url));
    });
    expect(text).toContain('[token]');
    expect(text).toContain(ID);
    expect(text).not.toContain(INTERACTION_TOKEN.slice(0, 20));
    expect(text).not.toContain('xxxx');
  });

  it.each([
    ['by itself', INTERACTION_TOKEN],
    ['as part of a rate limit', `${ID}/${INTERACTION_TOKEN}`],
    ['in JSON in JSON', JSON.stringify(JSON.stringify({ token: INTERACTION_TOKEN }))],
  ])('is removed %s', (_, text) => {
    const line = written((log) => log.warn({ majorParameter: text }, text));
    expect(line).toContain('[token]');
    expect(line).not.toContain('xxxx');
    expect(() => JSON.parse(line)).not.toThrow();
  });

  it('leaves the rest of a URL as it is', () => {
    const url = `https://discord.com/api/v10/applications/${ID}/commands`;
    expect(written((log) => log.info({ url }, 'x'))).toContain(url);
  });
});

describe('createLog', () => {
  it('writes one line of JSON per event, from its level on', () => {
    const write = (log: Logger) => {
      log.info('quiet');
      log.warn({ member: ID }, 'loud');
    };
    const line = { level: 'warn', time: expect.any(Number), member: ID, msg: 'loud' };
    expect(lineOf(write, { level: 'warn' })).toEqual(line);
  });

  /** What a terminal shows. */
  function shownOf(write: (log: Logger) => void): string[] {
    const texts: string[] = [];
    written(write, { destination: forTerminal({ write: (text: string) => texts.push(text) }) });
    return texts.join('').trimEnd().split('\n');
  }

  it.each(table`
    card="base1-4"; source="cache" | /card base1-4 · cache · 5 ms
    waitMs=6000; tookMs=6240 | /card · service · waited 6.0 s · 6.2 s
    source="bot"; outcome="Busy" | /card · Busy · 5 ms
    shown=3; asked=4 | /card · service · 3 of 4 cards · 5 ms
  `)('tells a command on a terminal in one line: %s', (changes, shown) => {
    const event = { command: 'card', guildId: '1', memberId: '2', source: 'service', outcome: 'answered' };
    const ended = changed({ ...event, waitMs: 0, tookMs: 5 }, changes);
    expect(shownOf((log) => commandLogger(log)(ended))).toEqual([expect.stringContaining(`INFO: ${shown}`)]);
  });

  it('prints one line per event on a terminal', () => {
    const lines = shownOf((log) => log.info({ shard: 5 }, 'gateway ready'));
    expect(lines).toEqual([expect.stringMatching(/gateway ready.*shard.*5/)]);
  });

  const withCode = (code: string, error = new Error('x')) => Object.assign(error, { code });
  it.each<[string, Error, boolean]>([
    ['a bug', new TypeError('x is not a function'), true],
    ['a wrong call of Node', withCode('ERR_INVALID_ARG_TYPE', new TypeError('x')), true],
    ['a bug within an error', new Error('outside', { cause: new RangeError('inside') }), true],
    ['an error of the card service', new ServiceDown({ reason: 'silence' }), false],
    ['an error of Discord', apiError('/x'), false],
    ['a refused connection', withCode('ECONNREFUSED'), false],
    ['one that fetch hides', new TypeError('fetch failed', { cause: withCode('ECONNRESET') }), false],
    ['a full disk', withCode('ERR_SQLITE_ERROR'), false],
  ])('shows the stack of what is our fault alone: %s', (_, err, hasStack) => {
    const line = lineOf((log) => log.error({ err }, 'x'));
    expect(line.err.message).not.toBe('');
    expect('stack' in line.err).toBe(hasStack);
  });

  it('logs a timeout without the constants of DOMException', () => {
    const err = new DOMException('too slow', 'TimeoutError');
    expect(lineOf((log) => log.error({ err }, 'x')).err).toEqual({
      type: 'TimeoutError',
      message: 'too slow',
      code: 23,
    });
  });
});

describe('the first lines', () => {
  const cardService = readCardServiceConfig({ CARD_SERVICE: 'scryfall' });
  const OWN = { ...cardService.description, name: 'Mine', ends: '2027-03-01' };
  const [CARDBOT, PLAN] = [
    `cardbot ${packageJson.version} on Node ${process.versions.node}`,
    settingOf({ plan: 'auto' }),
  ];
  const [AUTO, FILES] = ['plan: auto, as the card service says', 'state: files in ./data'];
  const redis = { url: 'redis://user:sesame@redis.test:6380/1', keyPrefix: 'cardbot' };

  it.each<[string, Partial<Parameters<typeof startLines>[0]>, string[]]>([
    ['say which version runs, by which plan, and where its state is', {}, [CARDBOT, AUTO, FILES]],
    [
      'name a plan with your own rate',
      { plan: { ...PLAN, plan: 'pro', burst: 50 } },
      [CARDBOT, 'plan: pro, with your own rate or burst', FILES],
    ],
    [
      'name a card service that the operator described, with its host, and say when one ends',
      { cardService: { ...cardService, description: OWN, isShipped: false } },
      [
        ...[CARDBOT, AUTO, 'card service: Mine at api.scryfall.com, by your own description', FILES],
        'Mine ends on 2027-03-01: choose another card service before that',
      ],
    ],
    ['name Redis without its password', { redis }, [CARDBOT, AUTO, 'state: Redis at redis.test:6380']],
  ])('%s', (_, more, expected) => {
    const lines = startLines({ plan: PLAN, dataDir: './data', redis: undefined, cardService, ...more });
    expect(lines.map(([, text]) => text)).toEqual(expected);
    expect(JSON.stringify(lines)).not.toContain('sesame');
  });
});

const MESSAGES = { level: 'warn', begins: 'broken', ends: 'repaired' } as const;

/** What is logged of failures (`x`) and successes (`.`), each so many seconds after the one before: `0x 60.` */
function logged(steps: string): string {
  const { log, lines } = logLines();
  fakeTimers({ toFake: ['Date'] });
  const incident = new Incident(log, MESSAGES);
  const told = [...steps.matchAll(/(\d+)([x.])/g)].flatMap(([, afterSeconds, what]) => {
    vi.advanceTimersByTime(Number(afterSeconds) * 1_000);
    if (what === 'x') incident.failed({ err: new Error('full') });
    else incident.succeeded();
    return lines
      .splice(0)
      .map(({ msg, failures, lastedMs }) => (msg === 'broken' ? msg : `${msg} ${failures} ${lastedMs}`));
  });
  return told.join(', ');
}

it.each(table`
  nothing without a failure | 0. 9. |
  its begin, and not each failure | 0x 1x 300x | broken
  its end, with the number of failures | 0x 1x 2. 3. | broken, repaired 2 3000
  the next one after a minute | 0x 1. 60x | broken, repaired 1 1000, broken
  the first of several in a minute | 0x 1. 1x 1. | broken, repaired 1 1000
  one soon after another if it lasts, with the failures that were not logged | 0x 1. 1x 1. 1x 58x 2.
    | broken, repaired 1 1000, broken, repaired 3 2000
`)('Incident logs %s', expectSaid(logged));
