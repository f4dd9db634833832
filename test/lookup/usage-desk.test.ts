import { expect, it, vi } from 'vitest';
import { ServiceDown } from '../../src/errors.ts';
import { LocalReportBoard } from '../../src/lookup/report-board.ts';
import { UsageDesk } from '../../src/lookup/usage-desk.ts';
import { createCardService } from '../../src/sandbox/card-service.ts';
import { SANDBOX_API_KEY } from '../../src/sandbox/embedded-card-service.ts';
import { CardService } from '../../src/service/card-service.ts';
import { fakeTime, lineOver, NOON_MS } from '../support/line.ts';
import { logLines } from '../support/log-lines.ts';

const ALICE = { memberId: 'alice', guildId: 'guild' };

function deskOver(cardService: ReturnType<typeof createCardService>) {
  const { pacer, ledger } = lineOver(cardService);
  const service = new CardService({
    baseUrl: 'http://cards.test',
    cardPath: '/cards/{id}',
    apiKey: SANDBOX_API_KEY,
    timeoutMs: 10_000,
    fetch: cardService.fetch,
    onQuota: (reading) => pacer.hear(reading),
    onNoSuchCard: () => {},
  });
  const board = new LocalReportBoard();
  const desk = new UsageDesk({ service, pacer, ledger, board, log: logLines().log, hasKey: true });
  const known = async () => {
    const { known, newer } = await desk.ask(ALICE);
    await vi.advanceTimersByTimeAsync(0);
    return (await newer) ?? known;
  };
  return { pacer, known };
}

it('says why a report failed only until another may be asked for', async () => {
  fakeTime();
  const cardService = createCardService();
  const { pacer, known } = deskOver(cardService);
  cardService.set({ down: true });

  const failed = { why: 'failed', error: expect.any(ServiceDown), atMs: NOON_MS };
  expect((await known()).missing).toEqual(failed);
  await vi.advanceTimersByTimeAsync(30_000);
  expect((await known()).missing).toEqual(failed);

  cardService.set({ down: false });
  await vi.advanceTimersByTimeAsync(3 * 3_600_000);
  // The service stopped us for another reason since
  const got = await pacer.take('members');
  expect(got.kind).toBe('turn');
  if (got.kind === 'turn') await pacer.settle(got.turn, { kind: 'rate limited', statedMs: 600_000 });
  expect((await known()).missing).toEqual({ why: 'not asked' });

  await vi.advanceTimersByTimeAsync(700_000);
  const probe = await pacer.take('members');
  if (probe.kind === 'turn') await pacer.settle(probe.turn, { kind: 'answered' });
  await vi.advanceTimersByTimeAsync(60_000);
  const { report, missing } = await known();
  expect([report?.usage.plan, missing]).toEqual(['free', undefined]);
});
