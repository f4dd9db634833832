import { beforeEach, expect, it, vi } from 'vitest';
import { SETTINGS, SETTINGS_KEPT_MS, SettingsOfServers } from '../../src/members/server-settings.ts';
import { DAY_MS, utcDay } from '../../src/time.ts';
import { fakeTimers } from '../support/fake-timers.ts';
import { inFiles } from '../support/stores.ts';

const MINUTE_MS = 60_000;
const SERVER = { guildId: 'server' };
const NOTHING_SET = { isPrivate: false };
const GERMAN = { language: 'de', isPrivate: false };

beforeEach(() => fakeTimers({ toFake: ['Date'] }));

/** Time passes for the stores and for what is known of them. */
const pass = (ms: number) => void vi.setSystemTime(Date.now() + ms);

/** The settings of servers, as at a start. */
async function opened() {
  const { settings, rows } = await (await inFiles())();
  await settings.renew();
  return { settings, rows, kept: async () => (await rows.read(SETTINGS)) ?? new Map<string, string>() };
}

it('the settings of a server are those that were set last, each by itself, also after a restart', async () => {
  const open = await inFiles();
  const [{ settings: alice }, { settings: bob }] = [await open(), await open()];
  expect(await alice.of(SERVER)).toEqual(NOTHING_SET);
  expect(await bob.of(SERVER)).toEqual(NOTHING_SET);
  expect(await alice.change('server', { language: 'de' })).toEqual(GERMAN);
  // Who chose before they saw the other change loses nothing of it.
  expect(await bob.change('server', { isPrivate: true })).toEqual({ ...GERMAN, isPrivate: true });
  expect(await bob.change('server', { language: 'fr' })).toEqual({ language: 'fr', isPrivate: true });
  const { settings: restarted } = await open();
  expect(await restarted.of(SERVER)).toEqual({ language: 'fr', isPrivate: true });
  expect(await restarted.of({ guildId: 'another' })).toEqual(NOTHING_SET);
  expect(await restarted.of({ guildId: undefined })).toEqual(NOTHING_SET);
  expect(await restarted.of({ ...SERVER, isInstalled: false })).toEqual(NOTHING_SET);
});

it('the settings of a server leave nothing behind when all is as at first', async () => {
  const { settings, kept } = await opened();
  for (const each of [{ language: 'de' }, { isPrivate: true }, { language: undefined }] as const)
    await settings.change('server', each);
  expect(await settings.change('server', { isPrivate: false })).toEqual(NOTHING_SET);
  expect(await kept()).toEqual(new Map());
});

it('the settings of a server are read once a minute, with the next look, and known at once where they are changed', async () => {
  const open = await inFiles();
  const [{ settings }, { settings: before }] = [await open(), await open()];
  await settings.of(SERVER);
  await before.change('server', { language: 'de' }); // by a process that had the server before
  pass(MINUTE_MS - 1);
  expect(await settings.of(SERVER)).toEqual(NOTHING_SET);
  pass(1);
  expect(await settings.of(SERVER)).toEqual(GERMAN);
  await settings.change('server', { isPrivate: true });
  expect(await settings.of(SERVER)).toEqual({ ...GERMAN, isPrivate: true });
  await before.renew();
  expect(await before.of(SERVER)).toEqual({ ...GERMAN, isPrivate: true });
});

it('the settings of a server are kept for a year after the last use', async () => {
  const { settings, kept } = await opened();
  for (const guildId of ['used', 'left']) await settings.change(guildId, { language: 'de' });
  const usedDays = async () => [...(await kept()).values()].map((json) => JSON.parse(json).usedDay);
  const [first] = await usedDays();
  pass(DAY_MS);
  for (const guildId of ['used', 'nothing-set']) settings.used(guildId);
  await expect.poll(usedDays).toContain(utcDay(Date.now()));
  expect((await usedDays()).toSorted()).toEqual([first, utcDay(Date.now())]);
  pass(SETTINGS_KEPT_MS - DAY_MS);
  await settings.renew();
  expect(await settings.of({ guildId: 'left' })).toEqual(GERMAN);
  pass(DAY_MS);
  await settings.renew();
  expect(await settings.of({ guildId: 'left' })).toEqual(NOTHING_SET);
  expect(await settings.of({ guildId: 'used' })).toEqual(GERMAN);
  await expect.poll(async () => [...(await kept()).keys()]).toEqual(['used']);
});

it('settings that cannot be read are those that were known last, and a change that is not kept is told', async () => {
  const { rows, settings } = await opened();
  await settings.change('server', { language: 'de' });
  const away = { read: vi.spyOn(rows, 'read'), write: vi.spyOn(rows, 'write') };
  for (const spy of Object.values(away)) spy.mockResolvedValue(undefined);
  pass(MINUTE_MS);
  expect(await settings.of(SERVER)).toEqual(GERMAN);
  expect(await settings.of({ guildId: 'unknown' })).toEqual(NOTHING_SET);
  expect(await settings.change('server', { isPrivate: true })).toBeUndefined();
  expect(await settings.of(SERVER)).toEqual(GERMAN);
  for (const spy of Object.values(away)) spy.mockRestore();
  await new SettingsOfServers(rows).change('server', { language: 'fr' });
  expect(await settings.of(SERVER)).toEqual({ language: 'fr', isPrivate: false });
});

it('many who look at once, a minute after the last look, cost one read', async () => {
  const { rows, settings } = await opened();
  const read = vi.spyOn(rows, 'read');
  pass(MINUTE_MS);
  await Promise.all(Array.from({ length: 100 }, () => settings.of(SERVER)));
  expect(read).toHaveBeenCalledOnce();
});

it('a slow read does not replace what was changed meanwhile', async () => {
  const { rows, settings } = await (await inFiles())();
  const slow = Promise.withResolvers<void>();
  const read = rows.read.bind(rows);
  vi.spyOn(rows, 'read').mockImplementationOnce(async (part) => {
    const found = await read(part);
    await slow.promise;
    return found;
  });
  const reading = settings.of(SERVER);
  await settings.change('server', { language: 'de' });
  slow.resolve();
  await reading;
  expect(await settings.of(SERVER)).toEqual(GERMAN);
});
