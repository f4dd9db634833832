import { describe, expect, it } from 'vitest';
import { withPermit } from '../../src/lookup/permitted-request.ts';
import { KeyRefused, RateLimited, ServiceDown, Stopping, UnexpectedAnswer } from '../../src/model/errors.ts';
import type { Permit, RequestOutcome } from '../../src/quota/limiter.ts';
import { LocalLimiter } from '../../src/quota/local-limiter.ts';
import { LONGEST_WAIT_MS } from '../support/lookup-queue.ts';

/** A pacer that only remembers how turns ended. */
class Settled extends LocalLimiter {
  readonly outcomes: RequestOutcome[] = [];

  constructor() {
    super({
      setting: { plan: 'free' },
      longestWaitMs: LONGEST_WAIT_MS,
      warn: () => {},
      warnOfLimit: () => {},
      save: () => {},
    });
  }

  override async release(_: Permit, outcome: RequestOutcome): Promise<void> {
    this.outcomes.push(outcome);
  }
}

const TURN = { probe: false, afterFailure: 0 };

describe('a turn', () => {
  it('ends with its answer', async () => {
    const limiter = new Settled();
    expect(await withPermit(limiter, TURN, async () => 'card')).toBe('card');
    expect(limiter.outcomes).toEqual([{ kind: 'answered' }]);
  });

  it.each<[Error, RequestOutcome]>([
    [new RateLimited({ seconds: 5.5, source: 'body' }), { kind: 'rateLimited', statedMs: 5_500 }],
    [new RateLimited({ seconds: undefined, source: 'none' }), { kind: 'rateLimited', statedMs: undefined }],
    [new ServiceDown('it answered 503'), { kind: 'serviceDown' }],
    [new ServiceDown('it answered 503', { retryAfterMs: 30_000 }), { kind: 'serviceDown', statedMs: 30_000 }],
    [new KeyRefused(403), { kind: 'keyRefused' }],
    [new UnexpectedAnswer('name'), { kind: 'answered' }],
    [new Stopping(), { kind: 'abandoned' }],
    [new TypeError('a bug'), { kind: 'abandoned' }],
  ])('ends with what the error says of the service: %s', async (error, outcome) => {
    const limiter = new Settled();
    await expect(withPermit(limiter, TURN, () => Promise.reject(error))).rejects.toBe(error);
    expect(limiter.outcomes).toEqual([outcome]);
  });

  it('ends as answered with an error that is an answer to this request', async () => {
    const limiter = new Settled();
    const refused = new KeyRefused(401);
    await expect(
      withPermit(
        limiter,
        TURN,
        () => Promise.reject(refused),
        (error) => error === refused,
      ),
    ).rejects.toBe(refused);
    expect(limiter.outcomes).toEqual([{ kind: 'answered' }]);
  });
});
