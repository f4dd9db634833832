import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { SETTINGS_KEPT_MS, SettingsOfServers } from '../../src/settings/server-settings.ts';
import { settingsKey } from '../../src/storage/redis/server-settings.ts';
import { DAY_MS } from '../../src/time/utc-day.ts';
import { inFiles, inRedis, PLACES } from '../support/stores.ts';

const MINUTE_MS = 60_000;
const SERVER = { guildId: 'server' };
const NOTHING_SET = { isPrivate: false };

/** The clock that the stores and what is known of them go by. */
function clock(): { pass(ms: number): void } {
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  return { pass: (ms) => void vi.setSystemTime(Date.now() + ms) };
}

describe.each(PLACES)('the settings of a server, %s', (_, place) => {
  it('are those that were set last, each by itself, also after a restart', async () => {
    const open = await place();
    const [{ settings: alice }, { settings: bob }] = [await open(), await open()];
    expect(await alice.of(SERVER)).toEqual(NOTHING_SET);
    expect(await bob.of(SERVER)).toEqual(NOTHING_SET);
    expect(await alice.change('server', { language: 'de' })).toEqual({ language: 'de', isPrivate: false });
    // Who chose before they saw the other change loses nothing of it.
    expect(await bob.change('server', { isPrivate: true })).toEqual({ language: 'de', isPrivate: true });
    expect(await bob.change('server', { language: 'fr' })).toEqual({ language: 'fr', isPrivate: true });
    const { settings: restarted } = await open();
    expect(await restarted.of(SERVER)).toEqual({ language: 'fr', isPrivate: true });
    expect(await restarted.of({ guildId: 'another' })).toEqual(NOTHING_SET);
    expect(await restarted.of({ guildId: undefined })).toEqual(NOTHING_SET);
    expect(await restarted.of({ ...SERVER, isInstalled: false })).toEqual(NOTHING_SET);
  });

  it('are read where anything is set, which is known of other processes with the next look, and here at once', async () => {
    const open = await place();
    const [{ settings: alice }, { settings: bob }] = [await open(), await open()];
    await alice.renew();
    expect(alice.servers).toEqual(new Set());
    await alice.change('server', { language: 'de' });
    expect(alice.servers).toEqual(new Set(['server']));
    expect(bob.servers).toBeUndefined();
    await bob.renew();
    expect(bob.servers).toEqual(new Set(['server']));
  });

  it('leave nothing behind when all is as at first', async () => {
    const { settings, settingsStore } = await (await place())();
    await settings.change('server', { language: 'de' });
    await settings.change('server', { isPrivate: true });
    await settings.change('server', { language: undefined });
    expect(await settings.change('server', { isPrivate: false })).toEqual(NOTHING_SET);
    expect(await settingsStore.read('server')).toEqual({});
  });

  it('are read once a minute, and known at once where they are changed', async () => {
    const { pass } = clock();
    const { settings, settingsStore } = await (await place())();
    await settings.of(SERVER);
    await settingsStore.write('server', 'language', 'de'); // as by a process that had the server before
    pass(MINUTE_MS - 1);
    expect(await settings.of(SERVER)).toEqual(NOTHING_SET);
    pass(1);
    expect(await settings.of(SERVER)).toEqual({ language: 'de', isPrivate: false });
    await settings.change('server', { isPrivate: true });
    expect(await settings.of(SERVER)).toEqual({ language: 'de', isPrivate: true });
  });
});

describe('the settings of a server are kept for a year after the last use', () => {
  it('in files', async () => {
    const { pass } = clock();
    const { database, settings } = await (await inFiles())();
    await settings.change('used', { language: 'de' });
    await settings.change('left', { language: 'de' });
    pass(DAY_MS);
    await settings.of({ guildId: 'used' });
    pass(SETTINGS_KEPT_MS);
    await settings.renew();
    expect(await settings.of({ guildId: 'used' })).toEqual({ language: 'de', isPrivate: false });
    expect(database.prepare('SELECT guild FROM server_settings').all()).toEqual([{ guild: 'used' }]);
  });

  it('in Redis', async () => {
    const { pass } = clock();
    const { link, settings } = await (await inRedis())();
    await settings.change('server', { language: 'de' });
    const key = settingsKey(link.prefix, 'server');
    const keptMs = () => link.read((client) => client.pTTL(key));
    expect(await keptMs()).toBeGreaterThan(SETTINGS_KEPT_MS - DAY_MS);
    // Longer than what passes: a stand-in for Redis in this process goes by this clock, too.
    await link.run((client) => client.pExpire(key, 2 * DAY_MS));
    pass(MINUTE_MS);
    await settings.of(SERVER);
    expect(await keptMs()).toBeLessThanOrEqual(2 * DAY_MS); // counted as used on this day already
    pass(DAY_MS);
    await settings.of(SERVER);
    await expect.poll(keptMs).toBeGreaterThan(SETTINGS_KEPT_MS - DAY_MS);
  });
});

it('settings that cannot be read are those that were known last, and a change that is not kept is told', async () => {
  const { pass } = clock();
  const { database, settings, settingsStore } = await (await inFiles())();
  await settings.change('server', { language: 'de' });
  database.exec('ALTER TABLE server_settings RENAME TO away');
  pass(MINUTE_MS);
  expect(await settings.of(SERVER)).toEqual({ language: 'de', isPrivate: false });
  expect(await settings.of({ guildId: 'unknown' })).toEqual(NOTHING_SET);
  expect(await settings.change('server', { isPrivate: true })).toBeUndefined();
  database.exec('ALTER TABLE away RENAME TO server_settings');
  await settingsStore.write('server', 'language', 'fr');
  expect(await settings.of(SERVER)).toEqual({ language: 'fr', isPrivate: false });
});

it('a slow read does not replace what was changed meanwhile', async () => {
  const { settingsStore: kept } = await (await inFiles())();
  const slow = Promise.withResolvers<void>();
  let reads = 0;
  const settings = new SettingsOfServers({
    ...kept,
    async read(guildId) {
      const found = await kept.read(guildId);
      if (++reads === 1) await slow.promise;
      return found;
    },
  });
  const read = settings.of(SERVER);
  await settings.change('server', { language: 'de' });
  slow.resolve();
  await read;
  expect(await settings.of(SERVER)).toEqual({ language: 'de', isPrivate: false });
});
