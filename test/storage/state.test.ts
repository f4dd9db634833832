import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import { Events } from '../../src/model/events.ts';
import { openState, type State } from '../../src/storage/open-state.ts';
import { accountOf } from '../../src/storage/state.ts';
import { fakeTimers } from '../support/fake-timers.ts';
import { ERROR, logLines, WARN } from '../support/log-lines.ts';
import { noRealRedis, startRealRedis, startRedis, type TestRedis } from '../support/redis.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

describe('an account', () => {
  const ADDRESS = 'https://cards.test';

  it.each([
    ['key', ADDRESS, 'other'],
    ['lack of a key', ADDRESS, undefined],
    ['address', 'https://other.test', 'key'],
  ])('differs by its %s', (_, address, key) => {
    expect(accountOf(address, key)).not.toBe(accountOf(ADDRESS, 'key'));
    expect(accountOf(address, key)).toBe(accountOf(address, key));
  });

  it('does not reveal the key', () => {
    expect(accountOf(ADDRESS, 'very-secret-key')).toMatch(/^[0-9a-f]{64}$/);
  });
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
    await expect.poll(() => lines).toMatchObject([{ level: WARN, cure: expect.stringContaining('appendonly yes') }]);
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

/** How a state is opened, several times in the same place. */
const OPENED: [where: string, place: () => Promise<(given: ReturnType<typeof config>) => Promise<State>>][] = [
  ['in files', async () => openState],
  [
    'in Redis',
    async () => {
      const { url, prefix: keyPrefix } = await startRedis();
      return (given) => openState({ ...given, redis: { url, keyPrefix } });
    },
  ],
];

it.each(OPENED)('requests are counted by card service, %s', async (_, place) => {
  const open = await place();
  const DATA_DIR = temporaryFolder();
  const mine = config({ DATA_DIR, CARD_SERVICE: 'lorcast' });
  const others = config({ DATA_DIR });
  const requests = async (state: State) => {
    const { requests } = await state.ledger.memberToday('alice');
    await state.close();
    return requests;
  };
  const counting = await open(mine);
  counting.ledger.spent({ memberId: 'alice', guildId: 'guild' });
  await counting.close();
  expect([await requests(await open(others)), await requests(await open(mine))]).toEqual([0, 1]);
});

/** The service asks for 90 s. */
async function pause({ limiter }: State): Promise<void> {
  const acquired = async () => {
    const given = await limiter.acquire('members');
    return given.kind === 'permit' ? given.permit : undefined;
  };
  const permit = await vi.waitUntil(acquired, 60_000); // over Redis the bucket begins empty
  await limiter.release(permit, { kind: 'rateLimited', statedMs: 90_000 });
}

describe('the limiter of a state', () => {
  it.each(OPENED)('%s refuses members in a pause that is longer than LONGEST_WAIT_SECONDS', async (_, place) => {
    const state = await (await place())(config({ LONGEST_WAIT_SECONDS: '60', CARD_SERVICE_PLAN: 'pro' }));
    await pause(state);
    expect(state.limiter.view().blockedFor('members')?.reason).toBe('pause');
    await state.close();
  });

  it('in files is of its key, and another key begins anew', async () => {
    const DATA_DIR = temporaryFolder();
    const open = (CARD_SERVICE_API_KEY: string) => openState(config({ DATA_DIR, CARD_SERVICE_API_KEY }));
    const old = await open('old');
    await pause(old);
    await old.close();
    for (const [key, reason] of [
      ['new', undefined],
      ['old', 'pause'],
    ] as const) {
      const state = await open(key);
      expect(state.limiter.view().stop?.reason).toBe(reason);
      await state.close();
    }
  });
});
