import { beforeEach, describe, expect, it } from 'vitest';
import { KnownPacing } from '../../src/quota/known-pacing.ts';
import type { PlanSetting } from '../../src/quota/pace.ts';
import { FIRST_PACING, type PacingState } from '../../src/quota/pacing.ts';

const SETTING: PlanSetting = { plan: 'free', requestsPerMinute: 6, burst: 20 };
const NOBODY = { politeMs: 0, underWay: 0, isUnheard: false };
const PRO: PacingState = { ...FIRST_PACING, plan: 'pro' };
const down = (state: PacingState): PacingState => ({
  ...state,
  gate: { ...state.gate, failures: state.gate.failures + 1 },
});

let known: KnownPacing;
beforeEach(() => {
  known = new KnownPacing(SETTING, 4);
});

function drain(): number {
  let turns = 0;
  while (known.takeAlone('members', NOBODY).kind === 'turn') turns++;
  return turns;
}

describe('what a process knows', () => {
  it('is its own at first, with one turn', () => {
    expect(known).toMatchObject({ isAlone: true, everJoined: false, setting: { processes: 4 } });
    expect(drain()).toBe(1);
    expect(known.spentAlone).toBe(1);
  });

  it('is what all know once it has joined, with its own changes that they have not heard of', () => {
    known.join(FIRST_PACING);
    known.change(down);
    known.change(down);
    known.hear(PRO);
    expect(known.state).toMatchObject({ plan: 'pro', gate: { failures: 2 } });
  });

  it('lets no larger burst leave than that of Free before its first answer, whatever plan it has heard of', () => {
    known = new KnownPacing({ plan: 'auto' }, 1);
    known.join(PRO);
    known.part(1);
    expect(known.takeAlone('members', { ...NOBODY, underWay: 18, isUnheard: true }).kind).toBe('turn');
    expect(known.takeAlone('members', { ...NOBODY, underWay: 19, isUnheard: true }).kind).toBe('wait');
    expect(known.takeAlone('members', { ...NOBODY, underWay: 19 }).kind).toBe('turn');
  });

  it('gives its changes away once, as one', () => {
    known.join(FIRST_PACING);
    known.change(down);
    known.change(down);
    const unshared = known.takeUnshared();
    expect(unshared?.before.gate.failures).toBe(0);
    expect(unshared?.change(PRO)).toMatchObject({ plan: 'pro', gate: { failures: 2 } });
    expect(known.takeUnshared()).toBeUndefined();
  });

  it('is its own part again when it parts, and what all know says nothing then', () => {
    known.join(FIRST_PACING);
    known.part(4);
    expect(known.hear(PRO)).toBe(false);
    expect(known.state.plan).toBeUndefined();
    expect(drain()).toBe(4);
    known.charged();
    expect(known.spentAlone).toBe(0);
  });

  it('says whether turns come at other times than it seemed', () => {
    known.join(FIRST_PACING);
    const paused: PacingState = { ...FIRST_PACING, gate: { ...FIRST_PACING.gate, why: 'minute', untilMs: 5_000 } };
    expect(known.hear(paused)).toBe(true);
    expect(known.hear({ ...paused, gate: { ...paused.gate, untilMs: 5_002 } })).toBe(false);
    expect(known.hear(FIRST_PACING)).toBe(true);
  });

  it("claims no probe of another's as its own", () => {
    known.join({ ...FIRST_PACING, gate: { why: 'minute', sinceMs: 0, untilMs: 1, probing: true, failures: 1 } });
    expect(known.state.gate.probing).toBe(true);
    expect(known.own.gate.probing).toBe(false);
    known.holdsProbe = true;
    expect(known.own.gate.probing).toBe(true);
  });
});
