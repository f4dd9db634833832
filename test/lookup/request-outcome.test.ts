import { describe, expect, it } from 'vitest';
import { KeyRefused, RateLimited, ServiceDown, Stopping, UnexpectedAnswer } from '../../src/errors.ts';
import { inTurn } from '../../src/lookup/request-outcome.ts';
import { LocalPacer } from '../../src/quota/local-pacer.ts';
import type { RequestOutcome, Turn } from '../../src/quota/pacer.ts';
import { LONGEST_WAIT_MS } from '../support/line.ts';

/** A pacer that only remembers how turns ended. */
class Settled extends LocalPacer {
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

  override async settle(_: Turn, outcome: RequestOutcome): Promise<void> {
    this.outcomes.push(outcome);
  }
}

const TURN = { probe: false, afterFailure: 0 };

describe('a turn', () => {
  it('ends with its answer', async () => {
    const pacer = new Settled();
    expect(await inTurn(pacer, TURN, async () => 'card')).toBe('card');
    expect(pacer.outcomes).toEqual([{ kind: 'answered' }]);
  });

  it.each<[Error, RequestOutcome]>([
    [new RateLimited({ seconds: 5.5, source: 'body' }), { kind: 'rate limited', statedMs: 5_500 }],
    [new RateLimited({ seconds: undefined, source: 'none' }), { kind: 'rate limited', statedMs: undefined }],
    [new ServiceDown('it answered 503'), { kind: 'down' }],
    [new ServiceDown('it answered 503', { retryAfterMs: 30_000 }), { kind: 'down', statedMs: 30_000 }],
    [new KeyRefused(403), { kind: 'key refused' }],
    [new UnexpectedAnswer('name'), { kind: 'answered' }],
    [new Stopping(), { kind: 'abandoned' }],
    [new TypeError('a bug'), { kind: 'abandoned' }],
  ])('ends with what the error says of the service: %s', async (error, outcome) => {
    const pacer = new Settled();
    await expect(inTurn(pacer, TURN, () => Promise.reject(error))).rejects.toBe(error);
    expect(pacer.outcomes).toEqual([outcome]);
  });

  it('ends as answered with an error that is an answer to this request', async () => {
    const pacer = new Settled();
    const refused = new KeyRefused(401);
    await expect(
      inTurn(
        pacer,
        TURN,
        () => Promise.reject(refused),
        (error) => error === refused,
      ),
    ).rejects.toBe(refused);
    expect(pacer.outcomes).toEqual([{ kind: 'answered' }]);
  });
});
