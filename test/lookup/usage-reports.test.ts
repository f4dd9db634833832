import { expect, it, vi } from 'vitest';
import { EmbeddedCardService, SANDBOX_API_KEY } from '../../sandbox/card-service.ts';
import { type SharedReport, type UsageReport, UsageReports } from '../../src/lookup/usage-reports.ts';
import { LocalClaims } from '../../src/model/claims.ts';
import { KeyRefused, ServiceDown, Stopping } from '../../src/model/errors.ts';
import { Events } from '../../src/model/events.ts';
import { ERROR, logLines } from '../support/log-lines.ts';
import { fakeTime, lookupQueueOver, NOON_MS } from '../support/lookup-queue.ts';

const ALICE = { memberId: 'alice', guildId: 'guild' };

/** What several processes keep together. */
class Shared implements SharedReport {
  report: UsageReport | undefined;
  read = async () => this.report;
  async write(report: UsageReport): Promise<void> {
    this.report = report;
  }
}

function reportsOver(
  cardService: EmbeddedCardService,
  { claims = new LocalClaims(), shared }: { claims?: LocalClaims; shared?: SharedReport } = {},
) {
  const {
    limiter,
    ledger,
    client: service,
  } = lookupQueueOver(cardService, { plan: 'auto' }, { apiKey: SANDBOX_API_KEY });
  const { log, lines } = logLines();
  const reports = new UsageReports({
    service,
    limiter,
    ledger,
    claims,
    sharedReport: shared,
    events: new Events(),
    log,
    offer: 'available',
  });
  const known = async () => {
    const asked = reports.ask(ALICE, 1_000);
    await vi.advanceTimersByTimeAsync(0);
    return (await asked).now;
  };
  return { limiter, service, known, reports, lines };
}

it('says why a report failed only until another may be asked for', async () => {
  fakeTime();
  const cardService = new EmbeddedCardService();
  const { limiter, known } = reportsOver(cardService);
  cardService.set({ down: true });

  const failed = { error: expect.any(ServiceDown), atMs: NOON_MS };
  expect((await known()).missing).toEqual(failed);
  await vi.advanceTimersByTimeAsync(30_000);
  expect((await known()).missing).toEqual(failed);

  cardService.set({ down: false });
  await vi.advanceTimersByTimeAsync(3 * 3_600_000);
  // The service stopped us for another reason since
  const got = await limiter.acquire('members');
  expect(got.kind).toBe('permit');
  if (got.kind === 'permit') await limiter.release(got.permit, { kind: 'rateLimited', statedMs: 600_000 });
  expect((await known()).missing).toBe('notRequested');

  await vi.advanceTimersByTimeAsync(700_000);
  const probe = await limiter.acquire('members');
  if (probe.kind === 'permit') await limiter.release(probe.permit, { kind: 'answered' });
  await vi.advanceTimersByTimeAsync(60_000);
  const { report, missing } = await known();
  expect([report?.usage.plan, missing]).toEqual(['free', undefined]);
});

it('is asked for as soon as there is a permit, though there was none within the last minute', async () => {
  fakeTime();
  const { limiter, known } = reportsOver(new EmbeddedCardService());
  const got = await limiter.acquire('members');
  if (got.kind !== 'permit') throw new Error(got.kind);
  await limiter.release(got.permit, { kind: 'rateLimited', statedMs: 10_000 });
  expect((await known()).missing).toBe('notRequested');
  await vi.advanceTimersByTimeAsync(15_000);
  const probe = await limiter.acquire('members');
  if (probe.kind === 'permit') await limiter.release(probe.permit, { kind: 'answered' });
  await vi.advanceTimersByTimeAsync(10_000);
  expect((await known()).report?.atMs).toBe(Date.now());
});

it('says of a key that it may not read the report; that key may still look up cards', async () => {
  fakeTime();
  const { service, known, lines, limiter } = reportsOver(new EmbeddedCardService());
  vi.spyOn(service, 'usage').mockRejectedValue(new KeyRefused({ status: 403 }));
  expect((await known()).missing).toEqual({ error: expect.any(KeyRefused), atMs: NOON_MS });
  expect(limiter.view().breaker.state).toBe('closed');
  expect(lines.at(-1)).toMatchObject({ level: ERROR, msg: 'usage report failed', err: { status: 403 } });
});

it('may name no plan, and is logged with who asked for it', async () => {
  fakeTime();
  const { service, known, lines } = reportsOver(new EmbeddedCardService());
  vi.spyOn(service, 'usage').mockResolvedValue({ requests: { used: 1, limit: 1_000, remaining: 999 } });
  expect((await known()).report?.usage.requests?.used).toBe(1);
  expect(lines.map(({ msg, member }) => [msg, member])).toEqual([['usage report requested', 'alice']]);
});

it('names the plan whose rate counts, however it is written', async () => {
  fakeTime();
  const { service, known, limiter } = reportsOver(new EmbeddedCardService());
  const hundredthAtMs = () => limiter.view().forecast('members', 100);
  const freeAtMs = hundredthAtMs();
  vi.spyOn(service, 'usage').mockResolvedValue({ plan: 'Pro' });
  await known();
  expect(hundredthAtMs()).toBeLessThan(freeAtMs);
});

it('says no longer why a report failed once the next one is under way', async () => {
  fakeTime();
  const cardService = new EmbeddedCardService();
  const { known, reports } = reportsOver(cardService);
  cardService.set({ down: true });
  await known();
  await vi.advanceTimersByTimeAsync(60_000);
  cardService.set({ down: false, latencyMs: 2_000 });

  const asked = reports.ask(ALICE, 1_500);
  await vi.advanceTimersByTimeAsync(1_500);
  expect((await asked).now).toEqual({ report: undefined, missing: undefined });
});

it('shows the last report once it has waited, and the new one when it comes', async () => {
  fakeTime();
  const cardService = new EmbeddedCardService();
  const { known, reports } = reportsOver(cardService);
  const first = await known();
  await vi.advanceTimersByTimeAsync(60_000);
  cardService.set({ latencyMs: 2_000 });

  const asked = reports.ask(ALICE, 1_500);
  await vi.advanceTimersByTimeAsync(1_500);
  const { now, later } = await asked;
  expect(now).toEqual(first);

  const joined = reports.ask(ALICE, 1_500);
  await vi.advanceTimersByTimeAsync(500);
  expect(await joined).toEqual({ now: await later });
  expect((await later)?.report?.atMs).toBe(NOON_MS + 62_000);
  expect(cardService.requests).toHaveLength(2);
});

it('is shown once its request is counted', async () => {
  fakeTime();
  const { limiter, reports } = reportsOver(new EmbeddedCardService());
  const counted = Promise.withResolvers<void>();
  vi.spyOn(limiter, 'release').mockReturnValue(counted.promise);
  const asked = reports.ask(ALICE, 1_000);
  await vi.advanceTimersByTimeAsync(1_000);
  const { now, later } = await asked;
  expect(now.report).toBeUndefined();
  counted.resolve();
  expect((await later)?.report).toBeDefined();
});

it('is given up when the process ends', async () => {
  fakeTime();
  const cardService = new EmbeddedCardService();
  const { reports } = reportsOver(cardService);
  cardService.set({ latencyMs: 5_000 });
  const asked = reports.ask(ALICE, 10_000);
  await vi.advanceTimersByTimeAsync(1_000);
  reports.close();
  await vi.advanceTimersByTimeAsync(0);
  expect((await asked).now.missing).toEqual({ error: expect.any(Stopping), atMs: NOON_MS + 1_000 });
});

it('is one of all processes in a minute, and each shows it', async () => {
  fakeTime();
  const cardService = new EmbeddedCardService();
  const sharing = { claims: new LocalClaims(), shared: new Shared() };
  const claim = vi.spyOn(sharing.claims, 'claim');
  const [one, other] = [reportsOver(cardService, sharing), reportsOver(cardService, sharing)];
  const first = await one.known();
  expect(first.report?.atMs).toBe(NOON_MS);
  await vi.advanceTimersByTimeAsync(59_999);
  expect(await other.known()).toEqual(first);
  await vi.advanceTimersByTimeAsync(1);
  expect((await other.known()).report?.atMs).toBe(NOON_MS + 60_000);
  expect((await one.known()).report?.atMs).toBe(NOON_MS + 60_000);
  expect(claim).toHaveBeenCalledWith('report', { ttlMs: 60_000, endsWithOwner: false }); // a restart asks no sooner
  expect(cardService.requests).toHaveLength(2);
});

it.each([
  ['the later one, in whatever order they come', 1_000, NOON_MS + 1_000],
  ['not one that was noted before the clock was set back', 3_600_000, NOON_MS],
])('shows of two reports %s', async (_, laterMs, shownMs) => {
  fakeTime();
  const shared = new Shared();
  const { known } = reportsOver(new EmbeddedCardService(), { shared });
  shared.report = { usage: {}, atMs: NOON_MS + laterMs };
  expect((await known()).report?.atMs).toBe(shownMs);
  expect(shared.report?.atMs).toBe(shownMs);
});
