import { describe, expect, it } from 'vitest';
import { CLOSED_BREAKER } from '../../src/model/quota.ts';
import { ALERT_TIMES, ALERTS, type Alert, type Watched } from '../../src/operations/alert-table.ts';

const NOW_MS = Date.parse('2026-11-22T12:00:00Z');
const RESET_MS = Date.parse('2026-11-23T00:00:00Z');
const WELL: Watched = {
  quota: { limit: 1_000, remaining: 900, resetsAtMs: RESET_MS, receivedAtMs: NOW_MS },
  breaker: CLOSED_BREAKER,
  hasWorked: true,
};

function left(remaining: number): Watched {
  return { ...WELL, quota: { limit: 1_000, remaining, resetsAtMs: RESET_MS, receivedAtMs: NOW_MS } };
}

function open(reason: 'pause' | 'day' | 'outage' | 'key' | 'plan', untilMs = RESET_MS): Watched {
  return { ...WELL, breaker: { state: 'open', reason, sinceMs: NOW_MS, untilMs, failures: 1 } };
}

function dueAlerts(watched: Watched, nowMs: number) {
  return Object.fromEntries(
    Object.entries(ALERTS).map(([alert, { isDue }]) => [alert, isDue(watched, nowMs, ALERT_TIMES)]),
  );
}

function due(watched: Watched, nowMs = NOW_MS): Alert[] {
  const all = dueAlerts(watched, nowMs);
  return (Object.keys(all) as Alert[]).filter((alert) => all[alert]);
}

describe('what is due', () => {
  it.each<[string, Watched, Alert[]]>([
    ['nothing while all is well', WELL, []],
    ['nothing at 79.9 %', left(201), []],
    ['80 % of the day', left(200), ['day80']],
    ['95 % of the day', left(50), ['day80', 'day95']],
    ['the whole day', left(0), ['day80', 'day95', 'day100']],
    ['the whole day when the service says so although something seems left', open('day'), ['day80', 'day95', 'day100']],
    ['nothing for a pause', open('pause'), []],
    ['a refused key at once', open('key'), ['keyRefused']],
    ['a plan that is too small at once', open('plan'), ['planRefused']],
    ['nothing for an outage that began now', { ...open('outage'), serviceDownSinceMs: NOW_MS }, []],
    ['an outage of five minutes', { ...open('outage'), serviceDownSinceMs: NOW_MS - 300_000 }, ['serviceDown']],
    ['nothing for a Redis that restarts', { ...WELL, redisAwaySinceMs: NOW_MS - 59_999 }, []],
    ['a Redis that is away for a minute', { ...WELL, redisAwaySinceMs: NOW_MS - 60_000 }, ['redisAway']],
    ['a gateway that is away for five minutes', { ...WELL, gatewayAwaySinceMs: NOW_MS - 300_000 }, ['gatewayAway']],
    [
      'a refusal at once',
      { ...WELL, refusal: 'Discord refuses the bot token.', gatewayAwaySinceMs: NOW_MS },
      ['refused'],
    ],
  ])('is %s', (_, watched, alerts) => {
    expect(due(watched)).toEqual(alerts);
  });

  it('is nothing of the day any more once its window is over', () => {
    expect(due(left(0), RESET_MS - 1)).toContain('day100');
    expect(dueAlerts(left(0), RESET_MS)).toMatchObject({ day80: false, day95: false, day100: false });
    expect(dueAlerts(open('day', RESET_MS), RESET_MS)).toMatchObject({ day100: false });
  });

  it('is not over for the day while probes after the stated reset are refused', () => {
    const refused = open('day', RESET_MS + 120_000);
    const watched = { ...refused, breaker: { ...CLOSED_BREAKER, ...refused.breaker, sinceMs: RESET_MS + 60_000 } };
    expect(dueAlerts(watched, RESET_MS + 60_000)).toMatchObject({ day100: true });
    expect(dueAlerts(watched, RESET_MS + 120_000)).toMatchObject({ day100: undefined });
    expect(dueAlerts({ ...watched, breaker: CLOSED_BREAKER }, RESET_MS + 120_000)).toMatchObject({ day100: false });
  });

  it('is not over for the key when a probe failed for another reason', () => {
    expect(dueAlerts(open('key'), NOW_MS)).toMatchObject({ keyRefused: true });
    for (const breaker of [{ ...CLOSED_BREAKER, failures: 1 }, open('pause').breaker, open('outage').breaker])
      expect(dueAlerts({ ...WELL, breaker }, NOW_MS)).toMatchObject({ keyRefused: undefined });
    expect(dueAlerts(WELL, NOW_MS)).toMatchObject({ keyRefused: false });
  });

  it('is not over for key and service before a lookup was answered, as with a new key', () => {
    const begun = { ...WELL, hasWorked: false };
    expect(dueAlerts(begun, NOW_MS)).toMatchObject({ keyRefused: undefined, serviceDown: undefined, day80: false });
    expect(dueAlerts(WELL, NOW_MS)).toMatchObject({ keyRefused: false, serviceDown: false });
    expect(dueAlerts({ ...begun, breaker: open('key').breaker }, NOW_MS)).toMatchObject({ serviceDown: false });
  });

  it('cannot be said before anything is known, or while something is away for a short time', () => {
    expect(dueAlerts({ gatewayAwaySinceMs: NOW_MS, redisAwaySinceMs: NOW_MS }, NOW_MS)).toEqual({
      day80: undefined,
      day95: undefined,
      day100: undefined,
      keyRefused: undefined,
      serviceDown: undefined,
      redisAway: undefined,
      gatewayAway: undefined,
      refused: undefined,
    });
  });
});
