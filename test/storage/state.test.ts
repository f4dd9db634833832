import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import { Events } from '../../src/model/events.ts';
import { accountOf, openState } from '../../src/storage/open-state.ts';
import { fakeTimers } from '../support/fake-timers.ts';
import { ERROR, logLines, WARN } from '../support/log-lines.ts';
import { noRealRedis, startRealRedis, type TestRedis } from '../support/redis.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

it('an account differs by its address, its key and the lack of one, and does not reveal the key', () => {
  const address = 'https://cards.test';
  const accounts = [accountOf(address, 'very-secret-key'), accountOf('https://other.test', 'very-secret-key')];
  accounts.push(accountOf(address, 'other'), accountOf(address, undefined));
  expect(new Set(accounts).size).toBe(4);
  for (const account of accounts) expect(account).toMatch(/^[0-9a-f]{64}$/);
  expect(accountOf(address, 'very-secret-key')).toBe(accounts[0]);
});

const config = (more: Record<string, string>) => ({
  ...readConfig({
    DISCORD_TOKEN: 'none',
    CARD_SERVICE_URL: 'http://127.0.0.1:1',
    DATA_DIR: temporaryFolder(),
    ...more,
  }),
  ...logLines(),
  events: new Events(),
});

it('what is deleted leaves nothing of it in the file', async () => {
  const given = config({});
  const state = await openState(given);
  const row = { part: 'lists:alice', key: 'pasted' };
  for (const value of ['4 Emberwing Drake', undefined]) await state.rows.write([{ ...row, value }], { keepMs: 60_000 });
  await state.close();
  expect(readFileSync(join(given.dataDir, 'state.sqlite'), 'latin1')).not.toContain('Emberwing');
});

/** After this a ping is under way: a connection sends one a second. */
const PING_UNDER_WAY_MS = 1_300;

describe.skipIf(noRealRedis('a state in a Redis that hangs, or has other settings'))('a state in Redis', () => {
  const openedIn = async ({ url, prefix }: TestRedis) => {
    const given = config({ REDIS_URL: url, REDIS_KEY_PREFIX: prefix });
    return { state: await openState(given), lines: given.lines };
  };

  // An error event without a listener fails a run of Vitest, and would end the process of a bot.
  it('closes while that hangs, although a ping is unanswered', async () => {
    const redis = await startRealRedis();
    const { state } = await openedIn(redis);
    redis.pause();
    await sleep(PING_UNDER_WAY_MS);
    await expect(state.close()).resolves.toBeUndefined();
  });

  it('warns at the start of settings that may lose replies', async () => {
    const { state, lines } = await openedIn(await startRealRedis({ appendonly: 'no' }));
    const warned = () => lines.filter(({ cure }) => cure);
    await expect.poll(warned).toMatchObject([{ level: WARN, cure: expect.stringContaining('appendonly yes') }]);
    await state.close();
  });
});

it('after state.sqlite was deleted the bot ends with a sentence; cards.sqlite is only missed', async () => {
  fakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const given = config({});
  const state = await openState(given);
  onTestFinished(() => state.close());
  for (const name of ['state.sqlite', 'cards.sqlite']) rmSync(join(given.dataDir, name));
  vi.advanceTimersByTime(120_000);
  expect((await state.refused).message).toMatch(/state\.sqlite was deleted.*backups/);
  const errors = given.lines.filter(({ level }) => level === ERROR);
  expect(errors).toMatchObject([{ msg: expect.stringContaining('cards.sqlite was deleted') }]);
});

it('requests are counted by card service', async () => {
  const DATA_DIR = temporaryFolder();
  const counting = await openState(config({ DATA_DIR, CARD_SERVICE: 'lorcast' }));
  counting.ledger.spent({ memberId: 'alice', guildId: 'guild' });
  await counting.close();
  const counted: number[] = [];
  for (const CARD_SERVICE of ['', 'lorcast']) {
    const state = await openState(config({ DATA_DIR, CARD_SERVICE }));
    counted.push((await state.ledger.memberToday('alice')).requests);
    await state.close();
  }
  expect(counted).toEqual([0, 1]);
});

it('a limiter refuses members in a pause that is longer than LONGEST_WAIT_SECONDS, is of its key, and another key begins anew', async () => {
  const DATA_DIR = temporaryFolder();
  const more = { DATA_DIR, LONGEST_WAIT_SECONDS: '60', CARD_SERVICE_PLAN: 'pro' };
  const open = (CARD_SERVICE_API_KEY: string) => openState(config({ ...more, CARD_SERVICE_API_KEY }));
  const old = await open('old');
  const given = await old.limiter.acquire('members');
  if (given.kind !== 'permit') expect.fail('no permit');
  await old.limiter.release(given.permit, { kind: 'rateLimited', statedMs: 90_000 });
  await old.close();
  const reasons: unknown[] = [];
  for (const key of ['new', 'old']) {
    const state = await open(key);
    reasons.push(state.limiter.view().blockedFor('members')?.reason);
    await state.close();
  }
  expect(reasons).toEqual([undefined, 'pause']);
});
