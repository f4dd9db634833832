import { describe, expect, it } from 'vitest';
import type { PlanSetting } from '../../src/model/plan.ts';
import { LimiterScript } from '../support/limiter-script.ts';
import { startRedis } from '../support/redis.ts';

const FREE: PlanSetting = { plan: 'free' };

/** The rules of every limiter, wherever its state is stored. */
const RULES: [rule: string, setting: PlanSetting, script: string, said: string][] = [
  ["the plan's burst less one at once, and then says when the next permit is due", FREE, 'send 20', '19, then 6 s'],
  [
    'refills from when the first request of a full bucket has arrived',
    FREE,
    'ask; +100 ms; answered; send 20',
    '1 | 18, then 6 s',
  ],
  ['keeps half the burst for members', FREE, 'send 20 renewals; send 20', '10, then 6 s | 9, then 6 s'],
  [
    'pauses once a 429 is released',
    FREE,
    'ask; 429 1 min & ask & ask 1 renewals; why',
    '1 | 0, then 1 min | 0, then 1 min | paused',
  ],
  [
    'allows one probe after a pause, and everything once it is answered, without a burst',
    FREE,
    '429 300 ms; wait; ask; ask; ask 1 renewals; answered; why; ask',
    '1 probe | 0, then 100 ms | 0, then 100 ms | nothing | 0, then 6 s',
  ],
  [
    'has no more requests under way than are known to remain',
    FREE,
    'send 4; states 3 of 1000 for 1 h after 1 s; ask 2; ask 1 report; ask; ask 1 report',
    '4 | 2 | 1 | 0, then 100 ms | 0, then 100 ms',
  ],
  [
    'has no more under way than remain, however many of them the service has counted',
    FREE,
    'send 4; states 3 of 1000 for 1 h after 1 s; ask 3; states 2 of 1000 for 1 h after 1 s; answered; ask; answered; ask 2',
    '4 | 3 | 0, then 100 ms | 1, then 100 ms',
  ],
  [
    'takes the plan from the daily limit, or from a usage report',
    { plan: 'auto' },
    'states 40000 of 50000 for 1 h; pace; plan business; answered; pace; restart; pace',
    '600 ms | 120 ms | 120 ms',
  ],
  [
    'learns a smaller burst and says so once, however many processes know it',
    FREE,
    '5 x answered; 429 5 s; answered; learned; log; restart; answered; learned; log',
    'burst 9 | the card service asked, the card service takes, requests are sent again | burst 9 | nothing',
  ],
  [
    'gives a restart no new burst',
    FREE,
    'send 20; restart; send 1; restart; send 1',
    '19, then 6 s | 0, then 6 s | 0, then 6 s',
  ],
  [
    'remembers a spent day over a restart, and probes it when it is started with another plan, once',
    FREE,
    'states 0 of 1000 for 2 h; answered; restart; ask; restart as pro; why; ask; 429; ask; restart; ask',
    '0, then day 2 h | nothing | 1 probe | 0, then day 2 h | 1 probe',
  ],
  ['calls its listeners at every outcome', FREE, 'ask; 429; told', '1 | told'],
];

describe.each([
  ['a store of its own', undefined],
  ['a Redis', startRedis],
])('a limiter over %s', (_, start) => {
  it.each(RULES)('%s', async (_, setting, script, said) => {
    expect(await new LimiterScript(setting, 0, await start?.()).says(script)).toBe(said);
  });

  it('gives no permit to one who asked a moment before a probe had ended in a 429, nor after', async () => {
    const script = new LimiterScript(FREE, 0, await start?.());
    const said = await script.says('429 300 ms; wait; ask; ask & 429 1 min & ask');
    expect(said).toMatch(/^1 probe \| 0, .+ \| 0, then 1 min$/);
  });
});
