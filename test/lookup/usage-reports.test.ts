import { expect, it, vi } from 'vitest';
import { EmbeddedCardService, SANDBOX_API_KEY } from '../../sandbox/service/service.ts';
import { UsageReports } from '../../src/lookup/usage-reports.ts';
import { KeyRefused, type RequestOutcome, ServiceDown } from '../../src/model/errors.ts';
import { Events } from '../../src/model/events.ts';
import { Claims } from '../../src/model/store/claims.ts';
import type { Rows } from '../../src/model/store/rows.ts';
import { fakeTimers } from '../support/fake-timers.ts';
import { ERROR, logLines } from '../support/log-lines.ts';
import { lookupQueueOver, NOON_MS } from '../support/lookup-queue.ts';
import { rowsInFile } from '../support/stores.ts';

const ALICE = { memberId: 'alice', guildId: 'guild' };

const later = (ms: number) => vi.advanceTimersByTimeAsync(ms);

function reportsOver({ claims = new Claims(), rows }: { claims?: Claims; rows?: Rows } = {}) {
  fakeTimers({ now: NOON_MS });
  const cardService = new EmbeddedCardService();
  const over = lookupQueueOver(cardService, { plan: 'auto' }, { apiKey: SANDBOX_API_KEY });
  const { limiter, ledger, client: service } = over;
  const { log, lines } = logLines();
  const reports = new UsageReports({
    ...{ service, limiter, ledger, claims, log },
    rows: rows ?? rowsInFile().rows,
    account: 'account',
    events: new Events(),
    offer: 'available',
  });
  const ask = async (waitMs: number, passMs = waitMs) => {
    const asked = reports.ask(ALICE, waitMs);
    await later(passMs);
    return asked;
  };
  const known = async () => (await ask(1_000, 0)).now;
  /** Of a member's request. */
  const ends = async (outcome: RequestOutcome) => {
    const got = await limiter.acquire('members');
    if (got.kind !== 'permit') throw new Error(got.kind);
    await limiter.release(got.permit, outcome);
  };
  return { limiter, service, cardService, known, ask, ends, lines };
}

it('says why a report failed only until another may be asked for', async () => {
  const { cardService, known, ends } = reportsOver();
  cardService.set({ down: true });

  const failed = { error: expect.any(ServiceDown), atMs: NOON_MS };
  expect((await known()).missing).toEqual(failed);
  await later(30_000);
  expect((await known()).missing).toEqual(failed);

  cardService.set({ down: false });
  await later(3 * 3_600_000);
  // The service stopped us for another reason since
  await ends({ kind: 'rateLimited', statedMs: 600_000 });
  expect((await known()).missing).toBe('notRequested');

  await later(700_000);
  await ends({ kind: 'answered' });
  await later(60_000);
  const { report, missing } = await known();
  expect([report?.usage.plan, missing]).toEqual(['free', undefined]);
});

it('is asked for as soon as there is a permit, though there was none within the last minute', async () => {
  const { known, ends } = reportsOver();
  await ends({ kind: 'rateLimited', statedMs: 10_000 });
  expect((await known()).missing).toBe('notRequested');
  await later(15_000);
  await ends({ kind: 'answered' });
  await later(10_000);
  expect((await known()).report?.atMs).toBe(Date.now());
});

it('says of a key that it may not read the report; that key may still look up cards', async () => {
  const { service, known, lines, limiter } = reportsOver();
  vi.spyOn(service, 'usage').mockRejectedValue(new KeyRefused({ status: 403 }));
  expect((await known()).missing).toEqual({ error: expect.any(KeyRefused), atMs: NOON_MS });
  expect(limiter.view().stop).toBeUndefined();
  expect(lines.at(-1)).toMatchObject({ level: ERROR, msg: 'usage report failed', err: { status: 403 } });
});

it('may name no plan, and is logged with who asked for it', async () => {
  const { service, known, lines } = reportsOver();
  vi.spyOn(service, 'usage').mockResolvedValue({ requests: { used: 1, limit: 1_000, remaining: 999 } });
  expect((await known()).report?.usage.requests?.used).toBe(1);
  expect(lines.map(({ msg, member }) => [msg, member])).toEqual([['usage report requested', 'alice']]);
});

it('names the plan whose rate counts, however it is written', async () => {
  const { service, known, limiter } = reportsOver();
  const hundredthAtMs = () => limiter.view().forecast('members', 100);
  const freeAtMs = hundredthAtMs();
  vi.spyOn(service, 'usage').mockResolvedValue({ plan: 'Pro' });
  await known();
  expect(hundredthAtMs()).toBeLessThan(freeAtMs);
});

it('says no longer why a report failed once the next one is under way', async () => {
  const { cardService, known, ask } = reportsOver();
  cardService.set({ down: true });
  await known();
  await later(60_000);
  cardService.set({ down: false, latencyMs: 2_000 });
  expect((await ask(1_500)).now).toEqual({ report: undefined, missing: undefined });
});

it('shows the last report once it has waited, and the new one when it comes', async () => {
  const { cardService, known, ask } = reportsOver();
  const first = await known();
  await later(60_000);
  cardService.set({ latencyMs: 2_000 });
  const asked = await ask(1_500);
  expect(asked.now).toEqual(first);
  expect(await ask(1_500, 500)).toEqual({ now: await asked.later });
  expect((await asked.later)?.report?.atMs).toBe(NOON_MS + 62_000);
  expect(cardService.requests).toHaveLength(2);
});

it('is shown once its request is counted', async () => {
  const { limiter, ask } = reportsOver();
  const counted = Promise.withResolvers<void>();
  vi.spyOn(limiter, 'release').mockReturnValue(counted.promise);
  const asked = await ask(1_000);
  expect(asked.now.report).toBeUndefined();
  counted.resolve();
  expect((await asked.later)?.report).toBeDefined();
});

it('is one of all processes in a minute, and each shows it', async () => {
  const sharing = { claims: new Claims(), rows: rowsInFile().rows };
  const claim = vi.spyOn(sharing.claims, 'claim');
  const [one, other] = [reportsOver(sharing), reportsOver(sharing)];
  const first = await one.known();
  expect(first.report?.atMs).toBe(NOON_MS);
  await later(59_999);
  expect(await other.known()).toEqual(first);
  await later(1);
  expect((await other.known()).report?.atMs).toBe(NOON_MS + 60_000);
  expect((await one.known()).report?.atMs).toBe(NOON_MS + 60_000);
  expect(claim).toHaveBeenCalledWith('report', { ttlMs: 60_000, endsWithOwner: false }); // a restart asks no sooner
  expect([one, other].flatMap(({ cardService }) => cardService.requests)).toHaveLength(2);
});

it.each([
  ['the later one, in whatever order they come', 1_000, NOON_MS + 1_000],
  ['not one that was noted before the clock was set back', 3_600_000, NOON_MS],
])('shows of two reports %s', async (_, laterMs, shownMs) => {
  const { rows } = rowsInFile();
  const { known } = reportsOver({ rows });
  const [part, key, value] = ['report:account', 'last', JSON.stringify({ usage: {}, atMs: NOON_MS + laterMs })];
  await rows.write([{ part, key, value }], { keepMs: 3_600_000 });
  expect((await known()).report?.atMs).toBe(shownMs);
  expect(JSON.parse((await rows.read(part))?.get(key) ?? '')).toMatchObject({ atMs: shownMs });
});
