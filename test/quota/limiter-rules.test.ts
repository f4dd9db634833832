import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Planned } from '../support/described.ts';
import { LimiterScript, START_MS, saysUnder, settingIn } from '../support/limiter-script.ts';
import { expectSaid, table } from '../table.ts';

/** The plan's burst less one, and the time that one more takes. */
const TOKENS = 19;
const INTERVAL_MS = 6_000;

const AUTO: Planned = { plan: 'auto' };

/** A table of rules, each with a script that shows it and what it says. @param under the setting where the script names none */
function rules(of: string, under?: string, random?: number) {
  return (...text: Parameters<typeof table>) =>
    it.each(table(...text))(
      `${of}: %s`,
      expectSaid((row) => saysUnder(row, under, random)),
    );
}

/** What is learned a minute before so many quiet minutes are over, and then. */
function afterQuiet(minutes: number) {
  return `+${minutes - 1} min; answered; learned; +1 min; answered; learned`;
}

it('a step that is not known is named', async () => {
  await expect(new LimiterScript().says('ask; jump')).rejects.toThrow('no step: jump');
});

rules('the bucket')`
  gives the burst less one at once, then one each interval | send 20; +5999 ms; ask; +1 ms; ask
    | 19, then 6 s | 0, then 1 ms | 1
  refills by time | send 19; +30 s; send 20 | 19 | 5, then 6 s
  keeps half of it for members | send 20 renewals; send 20 | 10, then 6 s | 9, then 6 s
  has to be full for watches | send 2 watches; send 20 | 1, then 6 s | 18, then 6 s
  says when others have theirs | send 19; next 2; next 1 renewals; next 1 watches | 19 | 6 s, 12 s | 1 min | 114 s
  gives no new burst when the clock is set back | send 19; clock -1 d; send 1; +6 s; send 2
    | 19 | 0, then 6 s | 1, then 6 s
`;

rules('the pace is')`
  Free's | under free: pace; states 40000 of 50000 for 1 h; pace | 6 s | 6 s
  Pro's | under pro: send 200 | 199, then 600 ms
  Free's, while auto has seen no headers | under auto: send 20 | 19, then 6 s
  Pro's by its daily limit | under auto: states 49000 of 50000 for 1 h; pace; send 200 | 600 ms | 199, then 600 ms
  Free's for a daily limit of no plan | under auto: states 900 of 123456 for 2 h; pace | 6 s
  what a report says, until the headers state another day
    | under auto: states 49000 of 50000 for 1 h; plan business; pace; states 900 of 1000 for 1 h; pace
    | 120 ms | 6 s
  what enterprise is set to | under enterprise with requestsPerMinute 600, burst 50: send 50 | 47, then 100 ms
  the plan at another rate | under pro with requestsPerMinute 60: send 200 | 199, then 1 s
  the plan with another burst | under auto with burst 5: states 49000 of 50000 for 1 h; send 5 | 4, then 600 ms
  one token at least, and after a 429 slower by 2 %
    | under free with burst 1: send 2; 429 7 s; wait; ask; +100 ms; answered; ask
    | 1, then 6 s | 1 probe | 0, then 6020 ms
  empty at a slower pace, too | under auto: states 49000 of 50000 for 1 h; send 199; states 900 of 1000 for 1 h; ask
    | 199 | 0, then 6 s
  no token richer at a faster pace | under auto: send 1; states 49000 of 50000 for 1 h; send 200
    | 1 | 189, then 600 ms
  what a report says, after a restart, too
    | under auto: states 40000 of 50000 for 1 h; pace; plan business; answered; pace; restart; pace
    | 600 ms | 120 ms | 120 ms
  the same after a restart | under pro: send 60; +1 min; restart; ask 31 | 60 | 31
`;

const WARNED = 'the daily limit matches';
rules('that a daily limit is of no plan')`
  is said once
    | under auto: states 29000 of 30000 for 2 h; states 29000 of 30000 for 2 h; states 39000 of 40000 for 2 h; log
    | ${WARNED}
  is said although the rate is set | under auto with requestsPerMinute 60: states 29000 of 30000 for 2 h; log
    | ${WARNED}
  is said again after a restart, whatever an Enterprise report names
    | under auto: states 29000 of 30000 for 2 h; plan enterprise; log; restart; log
    | ${WARNED} | ${WARNED}
  is not said when a report names the plan | under auto: states 29000 of 30000 for 2 h; plan pro; log; restart; log
    | ${WARNED}, the plan is pro: | nothing
  is not said of a plan's | under auto: states 49000 of 50000 for 2 h; log | the plan is pro:
  is not said when the plan is set | under free: states 29000 of 30000 for 2 h; log | nothing
  is not said when rate and burst are set
    | under auto with requestsPerMinute 60, burst 30: states 29000 of 30000 for 2 h; log
    | nothing
`;

rules('requests under way')`
  are two before the first answer | ask 3 | 2, then 100 ms
  are one more after each prompt answer | ask 2; answered; ask 5 | 2 | 2, then 100 ms
  are as many as remain | states 1 of 1000 for 1 h; ask 2 | 1, then 100 ms
  are no more than remain, however many of them the service has counted
    | send 4; states 3 of 1000 for 1 h after 1 s; ask 3; states 2 of 1000 for 1 h after 1 s; answered; ask; answered;
      ask 2
    | 4 | 3 | 0, then 100 ms | 1, then 100 ms
  are two again while the service may be down | send 5; ask 2; down; +1 s; ask 2; answered; ask 3
    | 5 | 2 | 1, then 100 ms | 3
  become free as soon as the last answers came | ask; +4 s; answered; next 6 | 1 | now, now, 4 s, 4 s, 4 s, 4 s
  become free as late as one that takes longer | ask; +10 s; next 3 | 1 | now, 10 s, 10 s
`;

it.each([
  ['free', '4500 ms', '1 min', 6],
  ['free', '4501 ms', '1 min', 3],
  ['pro', '4 s', '9 min', 6],
  ['pro', '4001 ms', '9 min', 3],
  ['pro', '5 s', '10 min', 6],
])('under %s, four answers that take %s, %s after prompt ones, leave %3$i under way', async (plan, took, ago, most) => {
  const said = await new LimiterScript({ plan }).says(`send 9; +${ago}; ask 4; +${took}; 4 x answered; ask 9`);
  expect(said).toContain(`9 | 4 | ${most},`);
});

rules('where the burst is small')`
  no more are under way than that
    | under free with burst 4: ${'send 3; +18 s; '.repeat(2)}ask 3; +18 s; ask; answered; +18 s; ask 2
    | 3 | 3 | 3 | 1 | 1, then 100 ms
  the second 429 makes the pace 10 % slower, and so each more, to twice
    | under free with burst 1: ${'429 1 s; answered; '.repeat(2)}pace; ${'429 1 s; answered; '.repeat(8)}pace
    | 6732 ms | 12 s
  a 429 pauses for two intervals, doubling in a row
    | under free with burst 1: 429 1 s; breaker; wait; 429 1 s; breaker
    | pause 12240 ms, 1 in a row | pause 24480 ms, 2 in a row
`;

rules('a pause')`
  leaves one token an interval | 429 7 s; next 3 | 7 s, 13 s, 19 s
  is a second when nothing is stated | 429; breaker | pause 1 s, 1 in a row
  is a quarter of one when no time is stated | 429 0 s; breaker | pause 250 ms, 1 in a row
  may be longer than anybody waits | 429 5 min; why; restart; why; 429 301 s; why | paused | paused | pause 301 s
  is ended by no renewal without its token, and by nothing that nobody waits for
    | 429 7 s; +7 s; ask 1 renewals; ask 1 watches; ask 1 report
    | 0, then 18 s | 0, then 100 ms | 0, then 100 ms
  is longer than stated after the fifth | 5 x 429 1 s; breaker | pause 16 s, 5 in a row
  is as long as stated, if that is longer | 429; 429 30 s; breaker | pause 30 s, 2 in a row
  is an hour at most | 20 x 429; breaker | pause 1 h, 20 in a row
  is probed by the next when its probe was not sent | 429; wait; ask; abandoned; ask | 1 probe | 1 probe
  is as long as the longest of those that left before it | ask 2; 429 2 s; 429 9 s; breaker
    | 2 | pause 9 s, 1 in a row
  is no shorter | ask 2; 429 20 s; 429 9 s; breaker | 2 | pause 20 s, 1 in a row
  is followed by a token each interval, also where its 429 is understood later
    | send 3; ask 2; 429 7 s; wait; ask; first answered; answered; ask; +6 s; ask 2
    | 3 | 2 | 1 probe | 0, then 6 s | 1, then 6 s
  gives no second token when one ends beside its probe
    | send 3; ask 2; 429 2 min; wait; ask; first answered; answered; ask; +6 s; ask 2
    | 3 | 2 | 1 probe | 0, then 6 s | 1, then 6 s
  gives none when one was not sent beside its probe either, but to the next probe where that was not sent
    | send 3; ask 2; 429 2 min; wait; ask; first abandoned; abandoned; ask; ask; answered; ask
    | 3 | 2 | 1 probe | 1 probe | 0, then 100 ms | 0, then 6 s
  is longer beside its probe, which still counts | ask 2; 429 2 s; wait; ask; first 429 9 s; breaker; ask
    | 2 | 1 probe | pause 9 s, 1 in a row | 0, then 9 s
  outlasts a restart; a probe that was lost with it needs a token
    | 429 7 s; restart; ask; wait; ask; restart; ask; restart; ask; wait; ask
    | 0, then 7 s | 1 probe | 0, then 6 s | 0, then 6 s | 1 probe
  is no longer when the clock is set back | 429 7 s; clock -1 d; restart; ask; +7 s; ask | 0, then 7 s | 1 probe
  is told to operators, after a restart, too
    | states 9 of 10 for 2 h; 429 7 s; breaker; least; log; restart; breaker; least; log
    | pause 7 s, 1 in a row | 9 of 10 a day 2 h | the card service asked, the card service takes | pause 7 s,
      1 in a row | 9 of 10 a day 2 h | the card service asked
`;

rules('with jitter, which only adds,', 'free', 1)`
  a stated wait is a fifth longer | 429 5 s; ask | 0, then 6 s
  a long one two seconds | 429 1 min; ask | 0, then 62 s
  an outage a fifth | 3 x down; ask | 0, then 6 s
`;

rules('failures')`
  hold requests back for a second, then for two, then open the breaker | down; ask; down; ask; down; ask; breaker
    | 0, then 1 s | 0, then 2 s | 0, then 5 s | outage 5 s, 3 in a row
  are forgotten after an answer | 2 x down; answered; breaker; down; breaker
    | closed now, 0 in a row | closed 1 s, 1 in a row
  are as many after a request that was not sent | 2 x down; wait; ask; abandoned; down; breaker
    | 1 | outage 5 s, 3 in a row
  of the same moment are one | ask 2; 2 x down; breaker | 2 | closed 1 s, 1 in a row
  that were long in coming are not waited after | ask; +10 s; down; breaker; 1 x down; wait; ask; +10 s; down; breaker
    | 1 | closed now, 1 in a row | 1 | outage now, 3 in a row
  are waited after no longer when the clock is set back | ask; clock -5 min; down; breaker
    | 1 | closed 1 s, 1 in a row
  after a pause begin anew | 2 x 429; down; breaker; down; down; breaker
    | closed 1 s, 1 in a row | outage 5 s, 3 in a row
  of a card count once until it is answered | down; down again; breaker; down; breaker
    | closed now, 1 in a row | closed 2 s, 2 in a row
  of a card count once while others are answered | down; answered; down again; breaker | closed now, 0 in a row
`;

rules('an outage')`
  is first sat out; then all are told | 3 x down; why; wait; ask; ask; down; why; log
    | nothing | 1 probe | 0, then 100 ms | outage 10 s | the card service is
  is a minute at most | 33 x down; breaker | outage 1 min, 33 in a row
  ends with the first answer | 4 x down; log; answered; breaker; log
    | the card service is | closed now, 0 in a row | requests are sent again
  is probed by no report | 3 x down; wait; ask 1 report; ask 1 watches | 0, then 100 ms | 0, then 100 ms
  is longer after a probe, also of a card that counted | 3 x down; wait; ask; down again; ask
    | 1 probe | 0, then outage 10 s
  is stated when it is over a minute | down 60001 ms; breaker; why | outage 60001 ms, 3 in a row | outage 60001 ms
  is not when it is a minute | down 60 s; breaker | closed 1 s, 1 in a row
  is stated again | 3 x down; down 10 min; breaker | outage 10 min, 4 in a row
  is stated after a pause | 2 x 429; down 10 min; breaker | outage 10 min, 3 in a row
  is shortened by nothing | ask 2; down 10 min; down 2 min; breaker | 2 | outage 10 min, 3 in a row
  lengthens a pause | ask 2; 429 5 s; down 2 min; breaker | 2 | pause 2 min, 1 in a row
  is lengthened by a 429 | ask 2; down 61 s; 429 2 min; breaker | 2 | outage 2 min, 3 in a row
`;

rules('a refused key or plan')`
  stops lookups for a minute, and no report | key refused; ask; ask 1 report; breaker
    | 0, then key 1 min | 1 | key 1 min, 1 in a row
  is told so | plan refused; ask; ask 1 report; log | 0, then plan 1 min | 1 | the plan does not
  is asked about once a minute | 6 x key refused; breaker; answered; breaker
    | key 1 min, 6 in a row | closed now, 0 in a row
  is no outage that began earlier | 3 x down; key refused; +10 s; log; answered; log
    | the card service is, the card service refuses | requests are sent again
`;

const stops = ['429 7 s', 'down 61 s', 'key refused'];
const ends = ['answered', 'down', 'key refused', 'abandoned'];

it.each(stops.flatMap((stop) => ends.map((end) => [stop, end])))(
  'what left before requests were stopped by %s changes nothing when it is %s, before the probe and beside it',
  async (stop, end) => {
    const before = await new LimiterScript().says(`ask 2; ${stop}; breaker; ${end}; breaker`);
    const [, opened, still] = before.split(' | ');
    expect(still).toBe(opened);
    const beside = await new LimiterScript().says(`ask 2; ${stop}; wait; ask; first ${end}; ask`);
    expect(beside).toMatch(/^2 \| 1 probe \| 0, then/);
  },
);

it('429s that state no wait cost 35 requests in a day, not one every five minutes', async () => {
  const script = new LimiterScript();
  while (Date.now() < START_MS + 24 * 3_600_000) await script.says('429; wait');
  expect(script.departures).toHaveLength(35);
});

rules('what answers teach')`
  is a smaller burst, which the log says once, also over a restart
    | 5 x answered; 429 5 s; answered; learned; log; restart; answered; learned; log
    | burst 6 | the card service asked, the card service takes, requests are sent again | burst 6 | nothing
  is nothing more by a 429 to a probe | 2 x 429 5 s; learned | burst 6
  is a window, which the log says once it is certain | 10 x answered; 429 1 s; learned; log; wait; answered; log
    | 10 a minute | the card service asked, the card service takes | requests are sent again
  is a window after a penalty, too | 10 x answered; 429 2 min; learned | 10 a minute
  is nothing by a longer wait, though another request is under way | send 3; ask 3; 429 2 min; 2 x answered; learned
    | 3 | 3 | nothing
  is a smaller burst where one of those that were refused together is to wait no longer than a minute
    | send 3; ask 3; 429 1 min; 429 61 s; answered; learned
    | 3 | 3 | burst 6
  is a window that is as long when the clock is set back
    | 10 x answered; 429 1 s; +2 min; answered; send 9; clock -1 d; ask; +61 s; send 10
    | 9 | 0, then 61 s | 10
  is a window that holds after a kill, too, with what was under way
    | 10 x answered; 429 1 s; +2 min; answered; send 5; ask 2; restart; ask 9
    | 5 | 2 | 2, then 61 s
  is a silence after timeouts while others were answered, and no failure
    | send 9; +1 min; ask 4; answered; +10 s; 3 x first down; breaker; wait; ask; answered; breaker
    | 9 | 4 | pause 18 s, 1 in a row | 1 probe | closed now, 0 in a row
  is the same within the time of a token after an answer | answered; +5999 ms; ask; +10 s; down; breaker
    | 1 | pause 6 s, 1 in a row
  is not later | answered; +6 s; ask; +10 s; down; breaker | 1 | closed now, 1 in a row
  is doubted, a step each, after 2, 4, 8 and 15 quiet minutes
    | ${'429 1 s; answered; '.repeat(4)}pace; +2 min; answered; pace; ${[4, 8, 15].map(afterQuiet).join('; ')}
    | 6120 ms | 6 s | burst 1 | burst 2 | burst 2 | burst 6 | burst 6 | nothing
  is doubted after two minutes again once the plan was in force
    | 429 1 s; answered; +2 min; answered; learned; 429 1 s; answered; learned; +2 min; answered; learned
    | nothing | burst 6 | nothing
  is a window for a quarter of an hour | 10 x answered; 429 1 s; ${afterQuiet(15)} | 10 a minute | nothing
  is not doubted while bursts are used up | send 3; 429 1 s; answered; ${'+1 min; send 6; '.repeat(3)}+1 min; learned
    | 3 | 6 | 6 | 6 | burst 6
`;

rules('what answers teach')`
  is nothing after a start under another plan | under free: 429; learned; restart as pro; learned | burst 6 | nothing
  is nothing once headers name another | under auto: 429; learned; states 9 of 50000 for 2 h; learned
    | burst 6 | nothing
  is the same where another has no other pace
    | under auto with requestsPerMinute 10, burst 20: 429; learned; states 9 of 50000 for 2 h; learned
    | burst 6 | burst 6
`;

rules('a day')`
  that is spent stops all lookups until its reset; a report may ask at any time, once
    | states 0 of 1000 for 1 h; ask; ask 1 renewals; ask 1 report; ask 1 report
    | 0, then day 1 h | 0, then day 1 h | 1 probe | 0, then day 1 h
  is over later where a wait that outlasts it is stated
    | ask 2; states 0 of 1000 for 1 h; 429 2 h; answered; why; ask; +1 h; why; ask; +1 h; ask 2
    | 2 | day 1 h | 0, then day 1 h | pause 1 h | 0, then pause 1 h | 1, then 100 ms
  that a report finds larger goes on at once, although the service asked for a wait until its reset
    | ask; states 0 of 1000 for 2 h; 429 2 h; ask 1 report; states 49000 of 50000 for 2 h; answered; ask; +6 s; ask
    | 1 | 1 probe | 1 | 1
  is over at its reset | states 0 of 1000 for 1 h; wait; why; ask; ask | nothing | 1 | 1
  is as long when the clock is set back | states 0 of 1000 for 1 h; clock -1 d; why; least
    | day 1 h | 0 of 1000 a day 1 h
  keeps 5 % for members
    | states 2499 of 50000 for 12 h; why renewals; why watches; why; states 2500 of 50000 for 12 h; why renewals
    | reserve 12 h | reserve 12 h | nothing | nothing
  keeps 20 at least | states 19 of 200 for 12 h; why renewals; states 20 of 200 for 12 h; why renewals
    | reserve 12 h | nothing
  keeps a tenth of fewer than 200 | states 18 of 190 for 12 h; why renewals; states 19 of 190 for 12 h; why renewals
    | reserve 12 h | nothing
  keeps 20 of an unknown number | states 19 for 12 h; why renewals; states 20 for 12 h; why renewals
    | reserve 12 h | nothing
  keeps nothing while what remains is unknown | states of 1000 for 12 h; why renewals; ask | nothing | 1
`;

rules('what answers state of a day: it believes')`
  a later one | states 500 of 1000 for 1 h; states 499 of 1000 for 1 h; left; states 900 of 1000 for 1 h; left
    | 499 of 1000 a day 1 h | 900 of 1000 a day 1 h
  a later one of an earlier window | states 500 of 1000 for 4 h; states 7 of 1000 for 2 h; left | 7 of 1000 a day 2 h
  the lower of those that overlap
    | states 500 of 1000 for 1 h; states 498 of 1000 for 1 h after 1 s; states 499 of 1000 for 1 h after 1 s; left
    | 498 of 1000 a day 1 h
  the lower, though the reset is a minute off
    | states 5 of 1000 for 1 h; states 6 of 1000 for 61 min after 1 s; left; states 4 of 1000 for 1 h after 1 s; left
    | 5 of 1000 a day 61 min | 4 of 1000 a day 1 h
  the lower, where no reset is stated | states 500 of 1000 for 1 h; states 501 of 1000 after 1 s; left
    | 500 of 1000 a day 1 h
  the later window of those that overlap
    | states 500 of 1000 for 1 h; states 999 of 1000 for 25 h after 1 s; states 1 of 1000 for 1 h after 1 s; left
    | 999 of 1000 a day 25 h
  the known window of those that overlap | states 500 of 1000 for 1 h; states 1 of 1000 for 3539999 ms after 1 s; left
    | 500 of 1000 a day 1 h
  one of another plan, although they overlap
    | states 500 of 1000 for 1 h; states 49000 of 50000 for 1 h after 1 s; left
    | 49000 of 50000 a day 1 h
  what was known, where one is silent
    | states 500 of 1000 for 1 h; states; left; states of 1000 after 1 s; left; states of 1000; left
    | 500 of 1000 a day 1 h | 500 of 1000 a day 1 h | 500 of 1000 a day 1 h
  nothing of a day that is over but its size | states 500 of 1000 for 1 h; +3599999 ms; left; +1 ms; left
    | 500 of 1000 a day 1 ms | - of 1000 a day never
  until 00:00 UTC where no reset is stated | states 500 of 1000; +43199999 ms; left; +1 ms; left
    | 500 of 1000 a day never | - of 1000 a day never
`;

rules('headers are of the day')`
  whose reset is far | states 0 of 10 for 2 h; left | 0 of 10 a day 2 h
  whose limit is the known one, whatever the reset | states 9 of 5000 for 10 h; states 0 of 5000 for 1 min; left
    | 0 of 5000 a day 1 min
  whose limit is the known one, on a new day | states 9 of 5000 for 2 h; +2 h; states 0 of 5000 for 1 min; left
    | 0 of 5000 a day 1 min
  whose limit is a plan's, as the day ends, in the very first answer | states 0 of 1000 for 5 min; left
    | 0 of 1000 a day 5 min
  whose limit is another plan's, as the known day ends | states 9 of 1000 for 5 min; states 0 of 50000 for 5 min; left
    | 0 of 50000 a day 5 min
  whose limit is another plan's, once the day is over
    | states 9 of 1000 for 5 min; +5 min; states 0 of 50000 for 5 min; left
    | 0 of 50000 a day 5 min
  whose limit is a plan's, with a reset that is past | states 0 of 1000 for -1 min; left | - of 1000 a day never
  without a limit, as the known day ends | states 9 of 1000 for 5 min; states 0 for 5 min; left
    | 0 of 1000 a day 5 min
  without a reset, of a service that never states one | states 9 of 1000; states 0 of 50000; left
    | 0 of 50000 a day never
  without a reset, in the very first answer | states 0 of 5000; left | 0 of 5000 a day never
  without a reset, of the smallest plan's limit, in the very first answer | states 0 of 1000; left
    | 0 of 1000 a day never
`;

const KNOWN = 'states 9 of 1000 for 10 h';
const OF_ANOTHER = table`
  of another limit and a near reset, though it is a plan's | states 9 of 50000 for 10 h | states 0 of 1000 for 1 min
  of another limit and a reset within the hour | ${KNOWN} | states 0 of 100 for 61 min
  of a near reset in the very first answer | ask | states 0 of 10 for 1 min
  of a near reset on a new day | states 9 of 1000 for 5 min; +5 min | states 0 of 10 for 1 min
  of a near reset in the last minutes of the day | states 9 of 1000 for 5 min | states 0 of 10 for 1 min
  of a reset that is past | ${KNOWN} | states 0 of 10 for -1 s
  of a near reset and no limit | ${KNOWN} | states 0 for 1 min
  of a near reset and no limit, in the very first answer | ask | states 0 for 1 min
  of another limit without a reset, when the day has one | ${KNOWN} | states 0 of 50000
  of less than any plan's day without a reset, in the very first answer | ask | states 0 of 10
`;
it.each(OF_ANOTHER)('headers are of another window: those %s', async (_, known, stated) => {
  const script = new LimiterScript();
  await script.says(known);
  const before = await script.says('left');
  expect(await script.says(`${stated}; left`)).toBe(before);
});

rules('the log')`
  says once that 80 % of a day are used
    | states 201 of 1000 for 9 h; log; states 200 of 1000 for 9 h; log; states 51 of 1000 for 9 h; log
    | nothing | 80 % of today's | nothing
  says once that 95 and 100 % of it are
    | states 50 of 1000 for 9 h; log; states 0 of 1000 for 9 h; states 0 of 1000 for 9 h; log
    | 95 % of today's | today's requests are used
  says it of each day | states 150 of 1000 for 9 h; log; states 150 of 1000 for 33 h; log
    | 80 % of today's | 80 % of today's
  says the largest share alone | states 40 of 1000 for 9 h; log; states 60 of 1000 for 9 h; log
    | 95 % of today's | nothing
  says nothing of a share while the limit is unknown | states 1 for 9 h; log | nothing
  says nothing of what is sent for watches
    | states 201 of 1000 for 9 h; send 1 watches; states 200 of 1000 for 9 h; log; states 199 of 1000 for 9 h; log
    | 1 | nothing | 80 % of today's
  says it once, although the reset moves by half a minute
    | states 100 of 1000 for 9 h; log; states 99 of 1000 for 32430 s; log
    | 80 % of today's | nothing
`;

rules('a limiter of hours and days', 'free of requestsPerHour 100, requestsPerDay 1000')`
  counts what nobody states | 4 x answered; left | 96 of 100 a hour? 1 h, 996 of 1000 a day? 12 h
  believes what answers state | answered; states 50 of 90 a hour; states 700 of 1000; left
    | 50 of 90 a hour 1 h, 700 of 1000 a day never
  believes it less what has left since without a word of it
    | states 50 of 90 a hour; states 1 of 1000 for 2 h; answered; left; +1 s; answered; left
    | 50 of 90 a hour 1 h, 1 of 1000 a day 2 h | 49 of 90 a hour 3599 s, 0 of 1000 a day 7199 s
  counts a new window, of the size that was stated | answered; states 50 of 90 a hour; +1 h; left; +11 h; left
    | 90 of 90 a hour? 1 h, 999 of 1000 a day? 11 h | 90 of 90 a hour? 1 h, 1000 of 1000 a day? 1 d
  goes by the window that leaves least | 2 x answered; least; why renewals | 98 of 100 a hour? 1 h | nothing
  ends an hour after its first request | answered; +30 min; answered; left; +30 min; answered; left
    | 98 of 100 a hour? 30 min, 998 of 1000 a day? 690 min | 99 of 100 a hour? 1 h, 997 of 1000 a day? 11 h
  ends it then although one in its middle is stated | answered; +30 min; states 98 of 100 a hour; least
    | 98 of 100 a hour 30 min
  ends it then as it was stated first | states 99 of 100 a hour; +30 min; states 98 of 100 a hour; least
    | 98 of 100 a hour 30 min
  keeps a tenth of the hour for members | states 10 of 100 a hour; why renewals; states 9 of 100 a hour; why renewals
    | nothing | reserve 1 h
`;

rules('a month', 'free of requestsPerMonth 1100')`
  leaves a day twice what remains of it, divided by the days left | left; 4 x answered; left
    | 1100 of 1100 a month? 252 h, 200 of 200 a day? 12 h | 1096 of 1100 a month? 252 h, 196 of 200 a day? 12 h
  leaves a day 20 at least, as long as it has them | states 30 of 1100 a month; left; states 7 of 1100 a month; least
    | 30 of 1100 a month 252 h, 20 of 20 a day? 12 h | 7 of 1100 a month 252 h
  that ends in the middle of a day leaves that day its share, too | states 100 of 1100 a month for 30 h; left
    | 100 of 1100 a month 30 h, 100 of 100 a day? 12 h
  leaves its last day all that remains | +251 h; left | 1100 of 1100 a month? 1 h, 2200 of 2200 a day? 1 h
  that is named by a 429 stops requests until it ends, as it was stated
    | states 500 of 1100 a month for 2 h; 429 a month; breaker
    | month 2 h, 1 in a row
`;

it('a month that has begun ends as it was to, although months begin on another day by now', async () => {
  const script = new LimiterScript(settingIn('free of requestsPerMonth 1100'));
  await script.says('answered');
  script.setting = settingIn('free with monthBegins 28 of requestsPerMonth 1100');
  const said = await script.says('restart; left; +252 h; answered; left');
  expect(said).toBe(
    '1099 of 1100 a month? 252 h, 199 of 200 a day? 12 h | 1099 of 1100 a month? 27 d, 80 of 81 a day? 1 d',
  );
});

rules('a month of the default service', 'pro')`
  is unknown until it is stated | left | unknown
  that was stated is whole when the next begins, and leaves a day its share
    | states 7 of 1000 a month for 252 h; +253 h; left
    | - of 1000 a month never, 64 of 64 a day? 23 h
  stops a day that has had its share | states 999 of 1000 a month; +1 s; 181 x answered; why | day 43199 s
`;

rules('a window')`
  of a month is counted to 95 % where more costs money, and never to more
    | under free with isBilled 1 of requestsPerMonth 1001: left
    | 950 of 950 a month? 252 h, 172 of 172 a day? 12 h
  of a month is that of the variable | under free with requestsPerMonth 330: answered; left
    | 329 of 330 a month? 252 h, 59 of 60 a day? 12 h
  of a month begins on a later day of this one | under free with monthBegins 28 of requestsPerMonth 1100: left
    | 1100 of 1100 a month? 180 h, 275 of 275 a day? 12 h
  of a month begins on this day | under free with monthBegins 20 of requestsPerMonth 1100: left
    | 1100 of 1100 a month? 708 h, 73 of 73 a day? 12 h
  of a day that is spent stops requests until it ends | under free of requestsPerDay 3: 3 x answered; breaker
    | day 12 h, 1 in a row
  of a month that is spent is told to end with itself | under free of requestsPerMonth 3: 3 x answered; why
    | month 252 h
  of a month that is spent together with the share of this day is told to end with itself
    | under free of requestsPerMonth 20: 20 x answered; why
    | month 907194 s
  that is spent by what a kill has lost stops all, a report too
    | under free of requestsPerMonth 2: ask 2; restart; ask; ask 1 renewals; ask 1 report; breaker
    | 2 | 0, then month 252 h | 0, then month 252 h | 0, then month 252 h | month 252 h, 1 in a row
  that is spent outlasts a pause | under free of requestsPerMonth 2: ask 2; 429 counted 7 s; restart; ask
    | 2 | 0, then month 252 h
  that is spent like another is told to end with that which ends last
    | under free of requestsPerHour 3, requestsPerDay 3: 3 x answered; why
    | day 12 h
  counts what was under way when the process was killed, once
    | under free of requestsPerDay 99: ask; least; restart; least; answered; ask; restart; least; restart; least
    | 1 | 99 of 99 a day? 12 h | 98 of 99 a day? 12 h | 1 | 96 of 99 a day? 12 h | 96 of 99 a day? 12 h
  of a minute has no bucket | under free of isWindow 1, requestsPerMinute 3: ask 2; next 5
    | 2 | 100 ms, 61 s, 61 s, 61 s, 122 s
  of a minute is none after a 429: requests go evenly spaced
    | under free of isWindow 1, requestsPerMinute 3: 429 7 s; next 5; learned
    | 40 s, 1 min, 80 s, 100 s, 2 min | burst 1
`;

rules('a window counts a request', 'free of requestsPerDay 9')`
  that was answered | answered; least | 8 of 9 a day? 12 h
  that was not | down counted; least | 8 of 9 a day? 12 h
  that never left | down uncounted; least | 9 of 9 a day? 12 h
  that was refused | 429 uncounted; least | 9 of 9 a day? 12 h
  that was not sent | abandoned; least | 9 of 9 a day? 12 h
`;

rules('a window that a 429 names stops requests until it ends, and teaches nothing', 'free of requestsPerMonth 1100')`
  an hour | 10 x answered; 429 a hour 1 s; breaker; learned | hour 1 h, 1 in a row | nothing
  a day | 10 x answered; 429 a day 1 s; breaker; learned | day 12 h, 1 in a row | nothing
  a month | 10 x answered; 429 a month 1 s; breaker; learned | month 252 h, 1 in a row | nothing
`;

rules('a window of ten leaves half to members for renewals, and all but one for watches', 'free of isWindow 1')`
  when none is taken | ask 1 watches; ask 1 renewals; ask | 1 | 1 | 0, then 100 ms
  when four are taken | send 4; ask 1 watches; ask 1 renewals; ask | 4 | 0, then 61 s | 1 | 1
  when five are taken | send 5; ask 1 watches; ask 1 renewals; ask | 5 | 0, then 61 s | 0, then 61 s | 1
  when nine are taken | send 9; ask 1 watches; ask 1 renewals; ask | 9 | 0, then 61 s | 0, then 61 s | 1
  when all are taken | send 10; ask 1 watches; ask 1 renewals; ask
    | 10 | 0, then 61 s | 0, then 61 s | 0, then 61 s
`;

const ANY_STEP = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('ask 5', 'ask 2 renewals', 'ask 1 watches', 'send 9') },
  { weight: 4, arbitrary: fc.nat(20_000).map((ms) => `+${ms} ms`) },
  { weight: 4, arbitrary: fc.constantFrom('answered', 'down', 'down again', 'down 2 min', 'abandoned', 'key refused') },
  { weight: 2, arbitrary: fc.constantFrom('429', '429 9 s', '429 9 s', '429 10 min') },
  { weight: 1, arbitrary: fc.constantFrom('restart', 'clock -1 h', '+2 min') },
);
const ANY_NEWS = fc.constantFrom(
  ...['ask 1 report', '429 a hour', 'plan pro', 'restart as pro', 'restart as free', 'states 30 of 1000 for 2 h'],
  ...['states 0 of 1000 for 1 min', 'states 40000 of 50000 for 2 h after 1 s'],
);

it('whatever happens, the forecast is now exactly when a permit is given, and no later place is sooner', async () => {
  const steps = fc.array(fc.oneof({ weight: 3, arbitrary: ANY_STEP }, ANY_NEWS), { minLength: 1, maxLength: 60 });
  await fc.assert(
    fc.asyncProperty(steps, async (steps) => {
      await new LimiterScript(AUTO).says(steps.join('; '));
    }),
  );
});

it('whatever happens, no more leave than the bucket holds and time adds, and none before a pause is over', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(ANY_STEP, { maxLength: 60 }), async (steps) => {
      const script = new LimiterScript();
      const startMs = performance.now();
      let untilMs = 0;
      for (const step of steps) {
        const known = script.departures.length;
        await script.says(step);
        for (const { atMs } of script.departures.slice(known)) expect(atMs).toBeGreaterThanOrEqual(untilMs);
        if (step === '429 9 s') untilMs = performance.now() + 9_000;
      }
      const withToken = script.departures.filter(({ isProbe }) => !isProbe);
      expect(withToken.length).toBeLessThanOrEqual(TOKENS + (performance.now() - startMs) / INTERVAL_MS);
    }),
  );
});
