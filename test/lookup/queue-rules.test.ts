import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { queueScript } from '../support/queue-script.ts';
import { expectSaid, table } from '../table.ts';

const says = (script: string) => queueScript()(script);

/** A table of rules, each with a script that shows it and what that tells. @param before said at the beginning of each */
function rules(about: string, before = '') {
  return (...text: Parameters<typeof table>) =>
    describe(about, () =>
      it.each(table(...text))(
        '%s',
        expectSaid((script) => says(before + script)),
      ),
    );
}

const FAST = '60 a minute, burst 9; ';
const HALF = 'plan free; wait at most 30 s; ';
const LISTS = '600 a minute, burst 20; lists of 20; service latencyMs 50; ';
const AT_FAULT = 'bulk requests at CARD_SERVICE_BULK_PATH do not work';
const FREE = 'plan free; lists of 20; service latencyMs 50; ';
const SIXTY = 'service latencyMs 50; m1-60: c1-60; +1.5 s; at most 6 requests; count';
const PRO = 'plan pro; service latencyMs 10; ';

rules('The fair order')`
  alternates between members who want several cards | a: a1-3; b: b1-3; next 6 | a1 b1 a2 b2 a3 b3
  lets a later burst alternate with what is left of an earlier one | early: e1-4; next 2; late: l1-2; next 4
    | e1 e2 | l1 e3 l2 e4
  forgets a burst once it is served | a: a1-20; +19 s; requests; b: b1-2; a: c1-2; next 4 | 20 | b1 c1 b2 c2
  forgets what was served before others came
    | regular: r1; next 1; regular: r2; next 1; regular: r3; next 1; regular: r4; new: n; next 2
    | r1 | r2 | r3 | r4 n
  puts what a member adds behind what they wait for already | eager: a b c; eager: d; next 4 | a b c d
  counts direct messages as a server of their own | m1-20@large: c1-20; next 5; direct@: d; d is among the next 2
    | c1 c2 c3 c4 c5 | yes
  counts each foreign server by itself, although they share a budget
    | x: z; sent; a1-3@busy!: a1-3; d@quiet!: d; d is among the next 2
    | z | yes
  lets a server that comes later alternate with what is left of the crowd of another
    | l1-10@large: l1-10; next 5; s1-3@small: s1-3; next 6
    | l1 l2 l3 l4 l5 | s1 l6 s2 l7 s3 l8
  does not count the servers of one round in the next
    | c1-50@large: c1-50 d1-50; +50 s; requests; late@small: l; l is among the next 2
    | 51 | yes
  puts members before renewals, and books them when they join one
    | 60 a minute, burst 6; x: z1-5; told; requests; reader renew: r1-2 o; member: m; joiner: o; +20 s; sent;
      booked joiner
    | x z1, x z2, x z3, x z4, x z5 | 5 | m o r1 r2 | 1, 0 saved
  gives a card the best place among its waiters
    | x: z; sent; eager: e1-10 w; other: w; w is among the next 2; +1 s; booked eager; booked other
    | z | yes | 3, 0 saved | 0, 1 saved
  puts a card whose place a joiner improves behind all that already wait at that place
    | x: z; sent; eager: e1-3 w; first@b: f; friend@c: w; next 3
    | z | e1 f w
  gives a card its old place again when one with a better place leaves
    | x: z; sent; eager: e1-3 w; friend@c: w; friend@c cancel: w; next 4
    | z | e1 e2 e3 w
  counts what a member joined like what they were first to want
    | x: z; sent; eager: e1-10; joiner@b: e1-10; joiner@b: o; newcomer@c: n1-3; next 8
    | z | e1 n1 e2 n2 e3 n3 e4 e5
  puts nobody behind for cards that were under way already when they asked
    | 60 a minute, burst 4; x: z; +5 s; service latencyMs 500; sent; carol: a b c; alice: a b c; sent; alice: d;
      bob: e; next 2
    | z | a b | c e
  puts nobody behind for what they have given up
    | x: z; sent; alice: a b c; alice cancel: a b c; alice: d; bob: e; next 2
    | z | d e
  puts no newcomer behind a burst of which a later card was started before the others
    | alice reserve: a b c d; alice start: d; sent; alice start: a b c; newcomer: n; next 4
    | d | a n b c
  lets no burst overtake that waits again after a 429
    | 60 a minute, burst 4; x: z; +5 s; service latencyMs 500; sent; answer 429 for 5 s, 2 times; eager: e1-6;
      late: l; sent; +1 s; l is among the next 2
    | z | e1 e2 | yes
  puts every newcomer before a burst that is a little late
    | answer 429 for 10 s; eager: e1-6; +9 s; sent; b1-3: b1-3; next 5
    | e1 | e1 b1 b2 b3 e2
  puts them before it as long as a round has been open for less than 15 s
    | answer 429 for 15 s; eager: e1-6; +14.9 s; sent; b1-3: b1-3; next 5
    | e1 | e1 b1 b2 b3 e2
  puts who comes later into the next round, behind the burst
    | answer 429 for 15.1 s; eager: e1-6; +15 s; sent; b1-3: b1-3; next 6
    | e1 | e1 e2 b1 b2 b3 e3
  keeps a round open for longer until as many were served as it had when it began
    | 10 a minute, burst 2; m1-5: a1-5 b1-5; +20 s; sent; n: n; next 3; l: l; next 4
    | a1 a2 a3 a4 | a5 n b1 | b2 b3 b4 b5
  gives nobody a second card before the first of all who came for the round, however late these are
    | service latencyMs 9; answer 429 for 60 s; twice: t1-5; b1-5: b1-5; +1 s; service latencyMs 0; +58 s; sent;
      next 10
    | t1 | t1 b1 b2 b3 b4 b5 t2 t3 t4 t5
  and within a list
    | lists of 6; service latencyMs 9; answer 429 for 60 s; x: x; twice: t1-4; +1 s; service latencyMs 0; +57 s; sent;
      b c: b c; +15 s; sent
    | x | x t1+t2+b+c+t3+t4
  lets a server that comes later alternate with the newcomers of another in a round that closes
    | answer 429 for 60 s; eager: e1-10; +59 s; sent; b1-9: b1-9; next 6; late@far: l; l is among the next 2
    | e1 | e1 e2 b1 b2 b3 b4 | yes
  puts watches behind renewals, and lifts a card to the best of those who want it
    | 60 a minute, burst 6; x: z1-5; sent; watches: v w; reader renew: w r; +1 min; sent; booked reader
    | z1 z2 z3 z4 z5 | w r v | 2, 0 saved
  has a card in the lane of a renewal again when the member leaves who lifted it
    | x: z; sent; reader renew: r; bob: r; bob cancel: r; alice: a b; next 2
    | z | a b
`;

rules('Beside other processes, a permit is expected')`
  one after the other where there are none | x: z; a: a1-3; +10 ms; news a3 | 0 s in 3 s
  no later for idle ones | elsewhere wait 0 0; x: z; a: a1-3; +10 ms; news a3 | 0 s in 3 s
  after the first of each other | elsewhere wait 50 1 0; x: z; a: a; +10 ms; news a | 0 s in 3 s
  after no more turns of a short queue than it has lookups | elsewhere wait 2 50; x: z; a: a1-5; +10 ms; news a5
    | 0 s in 12 s
  as often as the others', where queues are equal | elsewhere wait 50; x: z; a: a1-50; +10 ms; news a50 | 0 s in 100 s
  behind all of them for what a member adds, which is refused where that takes too long
    | wait at most 30 s; elsewhere wait 50 1; x: z; told; new: n1-2; other: o; told; +10 ms; news n1; news o
    | x z | new n2 Busy 23 s | 0 s in 3 s | 0 s in 5 s
`;

rules('Admission', HALF)`
  takes as many as get a permit in time, who all get it
    | eager reserve: a1-80; count; +300 ms; eager start: a1-80; +30 s; count
    | 56 Busy | 24 shown
  takes as many of members of several servers | m1-20@g m21-40@h m41-60@i m61-80@j: a1-80; +30 s; count
    | 56 Busy, 24 shown
  takes who was refused at the time that the refusal named
    | eager: a1-24; count; eager: b; told; +6 s; count; eager: b; +30 s; told
    | 19 shown | eager b Busy 36 s | 1 shown | eager a21, eager a22, eager a23, eager a24, eager b
  has a place for the first card of others in a queue that one has filled; a further one has to fit behind all
    | eager reserve: a1-60; count; late reserve: b1-2; later@far reserve: c; told
    | 36 Busy | late b2 Busy 12 s
  has a place for whoever joins a card in it | eager reserve: a1-60; count; friend reserve: a1-2; told | 36 Busy |
`;

rules('Admission')`
  takes what has a permit now, even if the clock ticks while that is decided and nobody may wait
    | wait at most 0 s; clock ticks 1 ms; alice: a; clock stands; told
    | alice a
  takes who joins a request under way, though the day is spent since and so is their budget
    | memberDaily 1; 60 a minute, burst 4; service latencyMs 5000; alice: a; service latencyMs 0; carol: c; spent day;
      bob: b; told; carol: a; carol: d; told; +5 s; told
    | carol c, bob b QuotaSpent 43200 s day | carol d QuotaSpent 43200 s day | alice a, carol a
  refuses all that wait once the day is spent, and who would join them
    | service latencyMs 500; spent day; x: z; alice: a; +500 ms; bob: a; count; requests
    | 3 QuotaSpent | 1
  names what blocks all before the budget
    | memberDaily 1; 60 a minute, burst 4; alice: a; spent day; bob: b; alice: c; told
    | alice a, bob b QuotaSpent 43200 s day, alice c QuotaSpent 43200 s day
  leaves the budget aside for who joins a card that waits
    | memberDaily 1; x: z; alice: a; bob: b; bob: a c; told; +5 s; told
    | x z, bob c BudgetSpent member 43200 s | alice a, bob a, bob b
  counts a renewal that a member lifts against their budget
    | memberDaily 1; x: z; told; carol renew: r; bob: b; bob: r; told
    | x z | bob r BudgetSpent member 43200 s
  counts no watches against a budget | 60 a minute, burst 8; guildDaily 1; watches: v w; +20 s; told
    | watches v, watches w
  keeps the reserve from renewals and watches, but not from those that join a member's card
    | 20 of 1000 left today; x: z; told; reader renew: r; watches: w; alice: a; reader renew: a; told; +5 s; told
    | x z | reader r KeptInReserve 43200 s, watches w KeptInReserve 43200 s | alice a, reader a
  promises a renewal no time, so that it is not refused for that
    | wait at most 1 s; x: z; eager: e; other: f; reader renew: r; told; +20 s; told
    | x z, other f Busy 2 s | eager e, reader r
  names a pause as the reason of a long wait | wait at most 30 s; answer 429 for 60 s; alice: a; bob: b; told
    | alice a Busy 60 s paused, bob b Busy 60 s paused
  refuses a card that is left alone for longer than one may wait, and no other
    | wait at most 30 s; answer 503 for 50 s to a; alice: a; +1 s; bob: a c; told
    | bob a ServiceDown 49 s, bob c
`;

rules('A place in the queue')`
  is told to the other processes until it is given up or has its permit, unless it is a renewal's
    | gone reserve: a; stays reserve: b; reader renew: c; length told; stays start: b; +1 s; length told;
      gone cancel: a; length told
    | 2 | 1 | 0
  costs no request before it is started, and delays nobody | slow reserve: a; quick: b; requests; told | 1 | quick b
  has the answer that came for others meanwhile, and its cost
    | slow reserve: a; quick: a; slow start: a; told; requests; cost of slow
    | quick a, slow a | 1 | 1
  is free for another once it is given up
    | plan free; wait at most 30 s; eager reserve: a1-24; eager: b; told; eager cancel: a1; eager reserve: c;
      eager cancel: a2-24; told; length
    | eager b Busy 36 s |  | 1
  that is given up while it waits for its permit costs nothing
    | plan free; wait at most 30 s; eager: a1-24; requests; length; eager cancel: a1-24; length; eager reserve: b;
      count; +30 s; requests; booked
    | 19 | 5 | 0 | 19 shown | 0 | 19, 0 saved
  that is given up leaves the card to the others who want it, booked on the first of them
    | x: z; told; alice: a; bob: a; carol: a; alice cancel: a; +1 s; told; booked alice; booked bob; booked carol
    | x z | bob a, carol a | 0, 0 saved | 1, 0 saved | 0, 1 saved
  that was started and given up since leaves nothing to be sent where another is only reserved
    | x: z; slow reserve: a; bob: a; bob cancel: a; +5 s; sent; slow start: a; sent
    | z | a
  that is given up while its request is under way keeps the answer, but is not requested again without one
    | 60 a minute, burst 4; service latencyMs 1000; answer silence to b; eager: a b; +500 ms; eager cancel: a b;
      +60 s; stored; requests; booked; length
    | a 6 | 2 | 2, 0 saved | 0
  has one request with all who want the card, booked on the first; the others are saved one
    | x: z; told; alice: a; bob: a; carol renew: a; +1 s; told; requests; booked alice; booked bob; booked carol
    | x z | alice a, bob a, carol a | 2 | 1, 0 saved | 0, 1 saved | 0, 1 saved
  has the same error as all who want the card, which is logged once
    | service latencyMs 100; answer nonsense; alice: a; bob: a; +100 ms; told; log
    | alice a UnexpectedAnswer, bob a UnexpectedAnswer | card request failed
  ends when the queue closes, and no other is made
    | eager reserve: a b; close within 0 s; eager start: a; eager: c; told; length; requests
    | closed, eager a Stopping, eager c Stopping | 0 | 0
`;

rules('A budget', FAST)`
  of a member counts what was admitted in the same moment, until it is given up
    | memberDaily 3; eager reserve: a1-5; count; eager cancel: a1; eager reserve: b1-2; count; eager start: a2-3 b1;
      count; eager: c; told
    | 2 BudgetSpent | 1 BudgetSpent | 3 shown | eager c BudgetSpent member 43200 s
  of a member holds in foreign servers, too
    | memberDaily 3; foreignDaily 50; eager@far!: a1-5; count; eager@off!: b; told
    | 2 BudgetSpent, 3 shown | eager@off! b BudgetSpent member 43200 s
  of a server counts all of its members | guildDaily 3; m1-5: a1-5; count; m1-5@far: b1-5; count; m1: c; told
    | 2 BudgetSpent, 3 shown | 2 BudgetSpent, 3 shown | m1 c BudgetSpent server 43200 s
  of foreign places counts all of them together
    | guildDaily 1; foreignDaily 3; m1@a! m2@b! m3@c!: a1-3; count; m1@d!: b; told
    | 3 shown | m1@d! b BudgetSpent foreign 43200 s
  does not hold for what was admitted before a restart | memberDaily 1; alice resume: a b; told | alice a, alice b
`;

rules('A budget')`
  counts what waits once per card, of the member and of the server
    | memberDaily 2; guildDaily 3; x@far: z; told; alice: a; bob: a b; alice@else: c; alice: d; bob: e; carol: f; told
    | x@far z | alice d BudgetSpent member 43200 s, carol f BudgetSpent server 43200 s
  counts what leaves the queue while the books are read
    | memberDaily 1; 60 a minute, burst 9; link of 200 ms; eager reserve: a; +200 ms; eager start: a; +250 ms;
      eager: b; +1 s; told; requests
    | eager a, eager b BudgetSpent member 43199.15 s | 1
`;

rules('Cards go together')`
  as one request, best first, as many as one may carry | 60 a minute, burst 10; lists of 2; alice: a b c; sent | a+b c
  of members and of renewals | lists of 20; x: z; sent; alice: a b; reader renew: c d; next 1 | z | a+b+c+d
  but for a card that no list can name, which goes alone
    | 60 a minute, burst 10; lists of 20; alice: a,b c d; alice: e f,g h; +1 s; sent
    | a,b c+d e+h f,g
  as many as the longest address holds
    | 60 a minute, burst 10; lists of 200; service latencyMs 100;
      alice: averylongstemthatfillsanaddresssoonerorlater1-200; +1 ms; sizes
    | 167
  in the order in which they would go singly | lists of 3; x: z; sent; a: a1-5; b: b1-3; next 3
    | z | a1+b1+a2 b2+a3+b3 a4+a5
  and are told one time, that of their permit | lists of 3; x: z; a: a1-7; +10 ms; news a1; news a3; news a4; news a7
    | 0 s in 1 s | 0 s in 1 s | 0 s in 2 s | 0 s in 3 s
  no more than this process's part of what remains of the day
    | 60 a minute, burst 20; lists of 90; 100 of 1000 left today; elsewhere wait 0 3; service latencyMs 100; x: z;
      +100 ms; alice: a1-60; sizes
    | 1 33 1
  no more than remain of the day, where each may be counted
    | 600 a minute, burst 20; lists of 8; 12 of 12 left today; service bulkCost each; x: z; m1-30: c1-30; +10 s; sizes
    | 1 8 3
  within 250 ms while a request is under way
    | 600 a minute, burst 20; lists of 20; x: z; service latencyMs 5000; alice: a; +100 ms; bob: b; +200 ms; carol: c;
      +200 ms; sent; when b
    | z a b+c | 0.35 s
  or until one has returned
    | 600 a minute, burst 20; lists of 20; x: z; service latencyMs 100; alice: a; +50 ms; bob: b; +20 ms; carol: c;
      +80 ms; sent; when b
    | z a b+c | 0.1 s
  or until no more fit in
    | 600 a minute, burst 20; lists of 2; x: z; service latencyMs 5000; alice: a; +50 ms; bob: b; +20 ms; carol: c;
      +1 ms; sent
    | z a b+c
  within 250 ms anew after those who waited have left
    | 600 a minute, burst 20; lists of 20; x: z; service latencyMs 5000; alice: a; +100 ms; bob: b; +100 ms;
      bob cancel: b; +1 s; carol: c; +100 ms; dave: d; +1 s; sent
    | z a c+d
  within 250 ms anew after one has returned for which nothing waited
    | 600 a minute, burst 20; lists of 20; x: z; service latencyMs 500; alice: a; +10 ms; bob: b; +400 ms; +100 ms;
      carol: c; +100 ms; dave: d; +1 s; sent; when c
    | z a b c+d | 0.76 s
  but one alone where it is to tell whether requests flow again
    | lists of 20; answer 429 for 5 s; alice: a; bob: b c d; +20 s; sent
    | a a b+c+d
  and no more than so many lists a second, the others wait for their turn
    | 600 a minute, burst 20; lists of 3, 2 a second; service latencyMs 50; m1-18: c1-18; +5 s; when; count
    | 0 s, 0.55 s, 1.1 s, 1.65 s, 2.2 s, 2.75 s | 18 shown
  but a card by itself waits for none
    | 600 a minute, burst 20; lists of 3, 2 a second; service latencyMs 50; a: a; +100 ms; b: b; +100 ms; c: c; when
    | 0 s, 0.1 s, 0.2 s
  with a renewal, whose own permit would come too late
    | 10 a minute, burst 20; lists of 20; service latencyMs 50; m: c1-20 every 100 ms; requests;
      watches: w within 1 min; +10 ms; m: d; +10 s; sent
    | 19 | c20+d+w
  so that more are taken who have to wait
    | 600 a minute, burst 20; lists of 20; answer 429 for 299 s; x: z; +100 ms; m1-100 reserve: c1-100; told
    | 
`;

rules('Sixty members who ask at once for sixty cards')`
  wait at most 1.5 s and cost at most six requests | 600 a minute, burst 20; lists of 20; ${SIXTY} | yes | 60 shown
  wait at most 1.5 s and cost at most six requests by POST | 600 a minute, burst 20; lists of 20 by POST; ${SIXTY}
    | yes | 60 shown
`;

rules('A list')`
  is booked on who is first, and the others are saved one, as who is first is for other cards
    | lists of 20; alice bob alice carol: a b c d; alice: e; sent; booked alice; booked bob; booked carol; events; log
    | a+b+d+c | 1, 1 saved | 0, 1 saved | 0, 1 saved | cards answered |
  waits for the next permit as a whole after a 429, and is not booked
    | lists of 20; answer 429 for 5 s; alice bob: a b; length; booked; events; +20 s; told
    | 2 | 0, 0 saved, 1 refused | cards RateLimited, 429 pause | alice a, bob b
  goes without what another process asks for, which is looked at again soon
    | link of 0 ms; lists of 20; 600 a minute, burst 20; elsewhere has b; alice bob: a b; sent; news b;
      elsewhere has no more b; +60 ms; sent; news b
    | a | 0 s asked elsewhere | b | 0 s asked elsewhere, 0 s in 0.05 s, 0.05 s asked
  goes without what became known, which is saved
    | lists of 20; x: z; sent; alice bob: a b; a is known; next 1; told; booked alice; booked bob; events
    | z | b | x z, alice a, bob b | 0, 1 saved | 1, 0 saved | card answered, card answered
  is booked on the first who may still spend what they agreed to
    | lists of 20; alice may spend 0; x: z; told; alice bob: a b; +1 s; told; booked alice; booked bob
    | x z | alice a, bob b | 0, 1 saved | 1, 0 saved
  ends for who may spend nothing more, without a request; others wait for the same again
    | 60 a minute, burst 9; x: z; told; sent; alice may spend 0; alice: a; told; sent; bob: b; sent
    | x z | z | alice a CeilingReached |  | b
  is left to others by who may spend nothing more
    | x: z; told; sent; alice may spend 0; alice: a; carol: a; +1 s; told; +2 s; told; sent; booked carol
    | x z | z | alice a CeilingReached | carol a | a | 1, 0 saved
  keeps what is known of the past of its prices
    | lists of 20; x: z; a is known at 5 since 7 h; alice: a b; +1 s; stored
    | z 6,a 5 6,b 6
`;

rules('A list', LISTS)`
  in the form "by id" brings all but what does not exist, which is asked for alone
    | service lists by id; m1-10: c1-9 none; +10 s; count; sizes
    | 9 shown, 1 missing | 10 1
  that leaves cards out costs a request for each of them
    | service lists without every third; m1-10: c1-9 none; +10 s; count; sizes
    | 9 shown, 1 missing | 10 1 1 1 1
  with one broken card is asked for that alone
    | service lists with a broken card; m1-10: c1-9 none; +10 s; count; sizes; log
    | 9 shown, 1 missing | 10 1 1 |
  that is too long is halved | service lists no more than 5; m1-10: c1-9 none; +10 s; count; sizes
    | 9 shown, 1 missing | 10 5 5 1
  that is refused for every id is asked for one by one
    | service lists never: 405; m1-10: c1-9 none; +10 s; count; sizes
    | 9 shown, 1 missing | 10 1 1 1 1 1 1 1 1 1 1
  costs what it was said to | price of c1-45; m1-45: c1-45; +10 s; sizes | 3, 0.1 s | 20 20 5
  costs what it was said to with two that no list can name
    | price of a,b c1-20 c,d; m1-22: a,b c1-20 c,d; +10 s; sizes
    | 3, 0.1 s | 1 20 1
  is tried twice where none are listed, and then each quarter of an hour, which the log says once
    | service lists never: 405; m: a1-4; +10 s; m: b1-4; +14 min; sizes; m: c1-4; +2 min; sizes; m: d1-4; +14 min;
      m: e1-4; +2 min; service lists as it should; m: f1-4; +1 s; sizes; log
    | 4 1 1 1 1 4 1 1 1 1 | 1 1 1 1 | 4 1 1 1 1 1 1 1 1 4 | ${AT_FAULT}, bulk requests work again
  is tried again after an odd answer | m: c1-4; +10 s; answer 405 to lists; m: d1-4; +10 s; m: e1-4; +10 s; sizes; log
    | 4 4 1 1 1 1 4 |
  is halved where a firewall blocks one of its ids
    | m: c1-10; +10 s; answer a page to d4, 99 times; m: d1-10; +10 s; sizes; count
    | 10 10 5 5 2 2 1 1 1 | 19 shown, 1 UnexpectedAnswer
  that comes empty is tried twice in a quarter of an hour, and the log says so once
    | service lists no card; m: a1-4; +10 s; m: b1-4; +10 s; m: c1-4; +10 s; m: d1-4; +10 s; sizes; log
    | 4 1 1 1 1 4 1 1 1 1 1 1 1 1 1 1 1 1 | ${AT_FAULT}
  is sent one by one for a quarter of an hour after two 429s between which one card is answered
    | answer 429 for 1 s to lists, 2 times; m: a1-4; +10 s; m: b1-4; +14 min; sizes; +1 min; m: c1-4; +10 s; sizes;
      log bulk
    | 4 1 3 1 1 1 1 1 1 1 | 4 | ${AT_FAULT}, bulk requests work again
`;

rules('A list of ten on the Free plan', FREE)`
  loses no card in half a second of failures
    | service down true; in 0.5 s service down false; m: c1-10; +5 min; count; sizes
    | 10 shown | 10 1 9
  loses no card in 2.9 s of failures | service down true; in 2.9 s service down false; m: c1-10; +5 min; count; sizes
    | 10 shown | 10 1 1 9
  loses no card in 2.9 s of failures, after others that worked
    | m: z1-10; +1 min; sizes; service down true; in 2.9 s service down false; m: c1-10; +5 min; count; sizes
    | 10 | 20 shown | 10 1 1 9
  is refused within 15 s where nothing is answered
    | m: z1-10; +1 min; count; sizes; service down true; m: c1-10; +15 s; count; at most 6 requests
    | 10 shown | 10 | 10 ServiceDown | yes
  is refused within 15 s where nothing is answered, also with two cards
    | m: z1-2; +1 min; count; sizes; service down true; m: c1-2; +15 s; count; at most 6 requests
    | 2 shown | 2 | 2 ServiceDown | yes
  comes singly where lists alone fail
    | service lists never: 500; m: c1-10; +5 min; count; sizes; m: d1-10; +5 min; count; at most 13 requests
    | 10 shown | 10 1 9 1 1 1 1 1 1 1 1 1 | 10 shown | yes
  comes singly where lists alone fail, after others that worked
    | m: z1-10; +1 min; count; sizes; service lists never: 500; m: c1-10; +5 min; count; sizes; m: d1-10; +5 min;
      count; at most 13 requests
    | 10 shown | 10 | 10 shown | 10 1 9 1 1 1 1 1 1 1 1 1 | 10 shown | yes
  loses no card but the one that makes every list with it fail
    | m: z1-10; +1 min; count; sizes; answer 503 to c4, 99 times; m: c1-10; +5 min; count; at most 14 requests
    | 10 shown | 10 | 9 shown, 1 ServiceDown | yes
`;

rules('A list of ten on the Free plan')`
  loses no card in 5 s of failures, after others that worked
    | plan free; lists of 20; m: z1-10; +1 min; sizes; service down true; in 5 s service down false; m: c1-10; +5 min;
      count; sizes
    | 10 | 20 shown | 10 1 1 1 9
  loses no card in 7 s of failures
    | plan free; lists of 20; service down true; in 7 s service down false; m: c1-10; +5 min; count; sizes
    | 10 shown | 10 1 1 1 9
  of two that fails is followed by each card by itself
    | lists of 20; answer 503, 99 times; alice bob: a b; +1 min; sizes; told
    | 2 1 1 1 1 | bob b ServiceDown 4 s, alice a ServiceDown 4 s
  that fails is followed by cards by themselves until one is answered
    | lists of 20; answer 503, 99 times; alice bob: a b c d; +1 min; sizes; count
    | 4 1 1 1 | 4 ServiceDown
  that fails again after another card is answered comes singly, without the one that fails alone
    | 600 a minute, burst 20; lists of 20; service latencyMs 50; z: z1-3; +1 s; answer 503 to c1, 99 times; m: c1-4;
      +0.5 s; y: y; +0.1 s; y: y1; +2 s; y: y2; +2 s; y: y3; +2 s; y: y4; +10 s; count; sizes; when c1
    | 11 shown, 1 ServiceDown | 3 4 1 5 1 1 1 1 1 1 1 1 | 1 s, 2.05 s, 4.1 s
`;

rules('A hiccup of the service', PRO)`
  of 1.5 s loses nobody | service down true; in 1.5 s service down false; m1-60: c1-60 every 23 ms; +10 min; count
    | 60 shown
  of 2.9 s loses nobody | service down true; in 2.9 s service down false; m1-60: c1-60 every 23 ms; +10 min; count
    | 60 shown
  of 6 s loses the three at most that have shown it
    | service down true; in 6 s service down false; m1-60: c1-60 every 23 ms; +10 min; count
    | 60 shown
  that begins while many requests are under way loses nobody either, and costs few
    | in 0.5 s service down true; in 2 s service down false; m1-60: c1-60 every 23 ms; +10 min; count;
      at most 74 requests
    | 60 shown | yes
`;

const BAD = [1, 2, 3].map((card) => `answer 503 to b${card}, 99 times`).join('; ');
const ROUNDS = Array.from({ length: 45 }, (_, round) => `alice: b1-3; bob: g${round + 1}; +2 s`).join('; ');

rules('An outage', PRO)`
  of a single card refuses nobody else, however often it is asked for
    | answer 503 to b, 99 times; alice: b; bob: c; +5 s; alice: b; bob: d; +60 s; alice: b; bob: e; +5 s; count;
      when b
    | 3 shown, 3 ServiceDown | 0 s, 1.01 s, 3.02 s, 65 s
  of three cards refuses nobody else either, and costs three requests for each of them
    | ${BAD}; ${ROUNDS}; +1 min; count; requests
    | 45 shown, 135 ServiceDown | 54
  that three bad cards look like ends with the next other card | ${BAD}; alice: b1-3 every 3.1 s; bob: g; +10 s; told
    | alice b1 ServiceDown 4 s, bob g, alice b2 ServiceDown 300 s, alice b3 ServiceDown 300 s
  that three bad cards look like ends with another card, also when one of the three is asked for again first
    | ${BAD}; alice: b1-3 every 3.1 s; +1 min; count; requests; alice bob: b1 g; +1 s; sent
    | 3 ServiceDown | 7 | g b1
`;

rules('An outage')`
  that one member alone meets is told after three attempts at their card
    | plan free; service latencyMs 10; service down true; alice: a; +5 s; told; when a
    | alice a ServiceDown 4 s | 0 s, 1.01 s, 3.02 s
  whose end is stated sends no request for that card before, for anybody, and announces when
    | plan free; service down true; service downRetryAfterSeconds 30; alice: a; +1 min; told; when a; +10 s;
      service down false; bob: a; +19.999 s; told; +1 ms; told
    | alice a ServiceDown 30 s | 0 s, 30 s, 60 s |  | bob a
  is logged once, and so is its end
    | plan free; service down true; alice: a; +20 s; service down false; bob: b; +1 min; told; log
    | alice a ServiceDown 4 s, bob b | the card service is failing, the card service answers again
`;

rules('After an error a card is left alone')`
  for five minutes, where the answer was nonsense
    | answer nonsense to a, 9 times; alice: a; bob: a; +299 s; bob: a; count; +1 s; bob: a; when a
    | 3 UnexpectedAnswer | 0 s, 300 s
  for a minute, where the key was refused for it alone
    | x: z; answer no such key to odd, 9 times; +1 s; alice: odd a; +59.999 s; bob: odd; told; +1 ms; carol: odd;
      when odd
    | x z, alice odd KeyRefused 403, alice a, bob odd KeyRefused 403 | 1 s, 61 s
  for five minutes, where a firewall blocked it, and no other
    | x: z; answer a page to odd, 9 times; +1 s; alice: odd a; +299.999 s; bob: odd; count; +1 ms; carol: odd;
      when odd
    | 2 shown, 2 UnexpectedAnswer | 1 s, 301 s
`;

rules('After an error a card is left alone', FAST)`
  for one second, then two, then five minutes where others are answered
    | answer 503 to a, 9 times; alice: a; +0.5 s; bob: b; +10 s; told; bob: a; +287 s; bob: a; told; +5 s; bob: a;
      +1 s; when a
    | bob b, alice a ServiceDown 300 s | bob a ServiceDown 292.5 s, bob a ServiceDown 5.5 s | 0 s, 1 s, 3 s
  as long as the service says
    | x: z; answer 503 for 30 s to a; alice: a; +40 s; when a; answer 503 for 55 s to b; bob: b; +100 s; when b; told
    | 0 s, 30 s | 40 s, 95 s | x z, alice a, bob b
  where the service says a minute at most; of a longer time nothing else is requested, either
    | x: z; answer 503 for 60 s to a; alice: a; bob: b; +1 s; told; +60 s; answer 503 for 61 s to c; alice: c; +1 s;
      bob: d; told; sent
    | x z, bob b | alice a, alice c ServiceDown 61 s, bob d ServiceDown 60 s | z a b a c
  until it is answered
    | answer 503 to a, 2 times; alice: a; +10 s; when a; told; answer 503 to a, 2 times; bob: a; told
    | 0 s, 1 s, 3 s | alice a | bob a
  and is waited for by who asks again meanwhile
    | answer 503 to a; alice: a; +0.5 s; bob: a; news a; +1 s; told; when a
    | 0 s asked, 0 s asked / nothing | alice a, bob a | 0 s, 1 s
`;

rules('A request')`
  is booked as it leaves | service latencyMs 1000; alice: a; booked alice; +1 s; booked alice; told
    | 1, 0 saved | 1, 0 saved | alice a
  that was reset is booked | answer a reset; alice: a; booked alice; events; log
    | 1, 0 saved | card ServiceDown | the card service is failing
  that fails counts towards what was agreed to, but not one that gets a 429
    | 60 a minute, burst 9; service latencyMs 50; x: z; +50 ms; alice may spend 2; answer 429 for 1 s; answer 503;
      alice: a b c; +1 min; told; booked alice; when
    | x z, alice a, alice c CeilingReached, alice b CeilingReached | 2, 0 saved, 1 refused | 0 s, 0.05 s, 0.05 s,
      1.1 s
  that a service refuses for its hour is told and counted as such
    | 60 a minute, burst 4; x: z; told; events; answer a spent hour; alice: a; bob: b; count; events; booked alice
    | x z | card answered | 2 QuotaSpent | card RateLimited, 429 hour | 0, 0 saved, 1 refused
  that a service refuses for its day is told and counted as such
    | 60 a minute, burst 4; x: z; told; events; spent day; alice: a; bob: b; count; events; booked alice
    | x z | card answered | 2 QuotaSpent | card RateLimited, 429 day | 0, 0 saved, 1 refused
  that a service refuses for its month is told and counted as such
    | 60 a minute, burst 4; x: z; told; events; answer a spent month; alice: a; bob: b; count; events; booked alice
    | x z | card answered | 2 QuotaSpent | card RateLimited, 429 month | 0, 0 saved, 1 refused
  that a service refuses for a pause is counted as such
    | answer 429 for 1 s; alice: a; events; booked alice; +5 s; told
    | card RateLimited, 429 pause | 0, 0 saved, 1 refused | alice a
  without a key it takes is told to all | answer no such key; alice: a; bob: b; told; events
    | alice a KeyRefused 403, bob b KeyRefused 401 | card KeyRefused
  that the plan has not is told to all | answer no such plan; alice: a; bob: b; told; events
    | alice a PlanRefused, bob b PlanRefused | card PlanRefused
  of two spellings counts once | answer card a to A; alice: A a; +3 s; told; sent; cost of alice
    | alice A, alice a | A | 1
`;

rules('What a reply cost', FAST)`
  is one for each card, also for who joins those under way
    | service latencyMs 50; alice: a b; +10 ms; bob: a b; +1 s; cost of alice; cost of bob; requests
    | 2 | 2 | 2
  is one for all cards of a list, also for who joins it
    | lists of 9; service latencyMs 50; alice: a b; +10 ms; bob: a b; +1 s; cost of alice; cost of bob; requests
    | 1 | 1 | 1
  has the requests of another process, one for each time of an answer
    | link of 0 ms; elsewhere has a b c; alice: a b c d; a is known; b is known; +10 ms; c is known;
      elsewhere has no more a b c; +1 s; told; sent; cost of alice
    | alice d, alice a, alice b, alice c | d | 3
`;

rules('What a reply cost')`
  leaves out a 429, which the service does not count | answer 429 for 1 s; alice: a; +9 s; cost of alice; requests
    | 1 | 2
  has a failure that the service counts | answer 500; alice: a; +9 s; cost of alice; requests | 2 | 2
`;

rules('A permit')`
  comes at the rate of the plan though the clock is set back
    | plan free; m: a1-30; +1 s; clock back 1 h; requests; +1 min; requests
    | 19 | 9
  comes when a retry is due, though the clock is set back
    | answer 503 for 30 s to a; alice: a; clock back 1 h; +29 s; sent; +2 s; sent; told
    | a | a | alice a
  is announced to who waits, and again only while it is to come
    | 10 a minute, burst 2; alice: a; bob: b; +10 s; news b
    | 0 s in 6 s, 6 s asked
  is announced once a second, however many come
    | 10 a minute, burst 2; alice: a; bob: b; +100 ms; carol: c; +2 s; news c
    | 1 s in 11 s
  is announced anew where it moves | 60 a minute, burst 2; x: z; eager: e1-3; +10 ms; m1-3@far: m1-3; +3 s; news e3
    | 0 s in 3 s, 1 s in 5 s
  is not announced before a retry | 60 a minute, burst 9; answer 503 for 20 s to a; alice: a; +1 s; news a
    | 0 s asked, 0 s asked
  is not announced for a renewal | 10 a minute, burst 2; alice: a; bob renew: b; +5 s; news b | nothing
  that comes sooner by news of the plan is used at once
    | plan free; m: a1-20; length; plan becomes business; +1 s; length
    | 1 | 1
  is not waited for by who cannot, while others of the card wait on
    | 10 a minute, burst 2; x: z; told; bob: b; alice: a within 5 s; bob: a; +100 ms; told; +20 s; told
    | x z | alice a Busy 12 s | bob b, bob a
  is not waited for by watches beyond their minute, as they leave the burst to members
    | plan free; m: a1-20; +8 s; count; watches: w within 1 min; +2 s; told; length; +4 min; requests
    | 20 shown | watches w Busy 112 s | 0 | 20
  that is refused for the moment of one lookup keeps no other waiting
    | limiter says outage for 1 min; alice: a; +1 s; told
    | alice a
  that only the reserve is left for, as the limiter learns, is refused to a renewal, and not to members
    | 20 of 1000 left today; service latencyMs 100; x: z; reader renew: r; alice: a; +5 s; told
    | reader r KeptInReserve 43200 s, x z, alice a
  is asked for before the time that was told where the limiter says that something has changed
    | plan business; limiter says wait for 1 min; alice: a; +1 s; sent; plan becomes business; sent
    | | a
  is there for each of sixty that a slow service is asked for, and none is asked for in vain
    | plan pro; service latencyMs 4000; m1-60: c1-60; +5 min; count; acquired
    | 60 shown | 60 permit
  that an error keeps from coming is waited for until somebody else asks, and the error is logged
    | limiter breaks; alice: a; +1 min; log; sent; bob: b; +5 s; told
    | lookup queue failed |  | alice a, bob b
`;

rules('Where the day ends')`
  three of fifteen have what remains, and no request gets a 429
    | plan free; 4 of 4 left today; x: z; service latencyMs 50; told; m1-15: a1-15; +1 s; count; booked
    | x z | 3 shown, 12 QuotaSpent | 4, 0 saved
  thirty of sixty have what remains on the Business plan
    | plan business; 31 of 31 left today; x: z; service latencyMs 50; told; m1-60: a1-60; +1 s; count; requests;
      booked
    | x z | 30 shown, 30 QuotaSpent | 31 | 31, 0 saved
  a limiter before the service with figures of its own ends no day
    | plan free; m: a1; limiter in front of 10 a minute; m: b1-24; +5 min; count; alice: c; told
    | 25 shown | alice c
`;

rules('Who watches')`
  is told how many cards wait
    | 60 a minute, burst 3; m reserve: a1-5; length; m start: a1-5; +100 ms; length | 5 | 3
  is told whether one waits, here or elsewhere
    | elsewhere wait 0 0; isWanted; elsewhere wait 0 1; isWanted; elsewhere wait 0; alice: a b; isWanted
    | false | true | true
  is told how many cards go together: one | mostTogether | 1
  is told how many cards go together: as many as a list takes | lists of 7; mostTogether | 7
  is told how long the last of more cards would wait
    | plan free; 10 a minute, burst 4; alice reserve: a; price of b; price of b1-3; price of b1-4
    | 1, 0 s | 3, 6 s | 4, 12 s
`;

rules('Over a slow link')`
  cards are served one after the other, in their order
    | plan business; link of 20 ms; eager: e1-4; late: l; +1 s; sent; acquired
    | e1 l e2 e3 e4 | 5 permit
  a card that is refused while it is claimed leaves nothing behind
    | plan business; link of 200 ms; x: z; answer no such key; +100 ms; alice: a; +250 ms; told; +1 s; told; sent;
      acquired
    | | alice a KeyRefused 401, x z KeyRefused 403 | z | 1 permit
  cards that turn out to be known give their places to others at once
    | 1 a minute, burst 3; link of 200 ms; eager: a b c; a is known; b is known; +2 s; sent; told
    | a c | eager b, eager a, eager c
  nothing is sent after the queue has closed
    | plan business; link of 200 ms; m1-3: a1-3; +220 ms; close within 0 s; +1 s; told; sent; acquired
    | m1 a1 Stopping, m2 a2 Stopping, m3 a3 Stopping, closed |  | 1 permit
  a queue that closes waits for the permit it is asking for, and no longer
    | plan business; link of 200 ms; limiter says wait for 1 min; alice: a; +300 ms; close within 0 s; +50 ms; told;
      +100 ms; told
    | alice a Stopping | closed
  a queue that closes waits until it is noted how a request has ended
    | link of 200 ms; alice: a; +400 ms; sent; close within 1 s; +199 ms; told; +1 ms; told
    | a |  | alice a, closed
  who wants prices is not given a card that was read without them
    | link of 200 ms; alice skip prices: a; a is known; +100 ms; bob: a; +1 s; told; sent
    | alice a, bob a | a
`;

rules('Over Redis that is away')`
  a card waits, for no time that is told, and leaves when Redis is back
    | over Redis; +1 ms; Redis is away; alice: a; +29 s; told; requests; news a; Redis is usable; +1 s; told; requests
    | | 0 | 0.001 s in 0 s | alice a | 1
  a card that has waited for half a minute is refused, as is each that comes later
    | over Redis; +1 ms; Redis is away; alice: a; +20 s; bob: b; +10 s; carol: c; reader renew: d; watches: e; told;
      Redis is usable; +1 s; bob: b; +1 s; told; requests
    | alice a StoreAway, bob b StoreAway, carol c StoreAway, reader d StoreAway, watches e StoreAway | bob b | 1
`;

rules('A queue that closes')`
  waits for the request under way as long as it may, and for no permit
    | service latencyMs 500; alice: a; bob: b; +100 ms; close within 1 s; +300 ms; told; +200 ms; told
    | bob b Stopping | alice a, closed
  gives a silent service up after that
    | service latencyMs 5000; alice: a; close within 1 s; +999 ms; told; +1 ms; told; booked
    | | alice a Stopping, closed | 1, 0 saved
  refuses what a list leaves out, too
    | lists of 3; service latencyMs 500; service lists without every third; m: a b c; close within 1 s; +1 s; told;
      sent
    | m a, m b, m c Stopping, closed | a+b+c
`;

it.each([1, 5, 10, 15, 20, 25, 30, 40, 50])(
  'a card that becomes due while the queue looks for one is served, though each look at the clock takes %i ms',
  async (ms) => {
    const looks = `link of 0 ms; elsewhere has a; clock ticks ${ms} ms; alice: a; clock stands`;
    expect(await says(`plan free; ${looks}; elsewhere has no more a; +1 s; told`)).toBe('alice a');
  },
);

it('cards go together in the order in which they are asked for one by one', async () => {
  const owners = [50, 30, 9, 3, 3, 1, 1, 1].flatMap((cards, member) => Array.from({ length: cards }, () => member));
  const members = owners.map((member) => `m${member}@g${member % 3}`).join(' ');
  const asked = `${members}: c1-${owners.length}`;
  const sent = (most: number) =>
    says(`600 a minute, burst 20; lists of ${most}; service latencyMs 50; ${asked}; +1 min; sent`);
  const [singly, together] = [await sent(1), await sent(20)];
  expect(singly.split(' ')).toHaveLength(owners.length);
  expect(together.split(' ').length).toBeLessThan(owners.length / 10);
  expect(together.replaceAll('+', ' ')).toBe(singly);
});

it.each(
  ['pro 60', 'free 10', 'free 25'].flatMap((whose) => [
    [whose, 'service latencyMs 10; service down true', 15],
    [whose, 'answer silence, 99 times', 45],
  ]),
)('an outage is found out with few requests, and told in time: %s, %s', async (whose, outage, seconds) => {
  const [plan, members] = String(whose).split(' ');
  const asked = `plan ${plan}; ${outage}; m1-${members}: c1-${members}`;
  const told = await says(`${asked}; +${seconds} s; count; +10 min; at most 12 requests`);
  expect(told).toBe(`${members} ServiceDown | yes`);
});

it.each([3, 8, 15])(
  'an outage of an hour costs few requests, although the same %i cards are asked for all the time',
  async (cards) => {
    const steps = Array.from({ length: 720 }, (_, at) => `m1-${Math.ceil(cards / 4)}: ${cardsFrom(at, cards)}; +5 s`);
    const requests = await says(`plan pro; service latencyMs 10; service down true; ${steps.join('; ')}; requests`);
    // One a minute, but where too few have failed to tell an outage from bad cards.
    expect(Number(requests)).toBeLessThan(180);
  },
);

/** Every fourth of so many cards, turned by one each time. */
function cardsFrom(at: number, cards: number) {
  return Array.from({ length: Math.ceil(cards / 4) }, (_, every) => `c${(at + 4 * every) % cards}`).join(' ');
}

describe('whatever was wanted and served before', () => {
  const runs = { numRuns: 30 };
  const wanted = fc.record({
    who: fc.constantFrom(
      ...['a', 'b', 'c', 'd', 'e'].flatMap((member) => [`${member}@g`, `${member}@h`, `${member}@`]),
    ),
    card: fc.integer({ min: 1, max: 30 }).map((card) => `c${card}`),
  });
  const asks = wanted.map(({ who, card }) => `${who}: ${card}`);

  it('nothing starves: with newcomers for ever, no round lasts longer than those of 15 s and twice its own take', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(asks, { minLength: 1, maxLength: 8 }), async (line) => {
        const queue = queueScript();
        // A pause, so that the first round is over when newcomers begin to come.
        await queue(`service latencyMs 9; answer 429 for 60 s; ${line.join('; ')}; +1 s; service latencyMs 0`);
        await queue('+58 s; sent');
        const waiting = new Set(line.map((one) => one.replace(':', '')));
        const rounds = [...Map.groupBy(line, (one) => one.split('@')[0]).values()].map(({ length }) => length);
        const permits = Math.max(...rounds) * (15 + 2 * line.length);
        for (let permit = 0; permit < permits && waiting.size > 0; permit++) {
          const [, told = ''] = (await queue(`n${permit}: n${permit}; next 1; told`)).split(' | ');
          for (const one of told.split(', ')) waiting.delete(one);
        }
        expect([...waiting]).toEqual([]);
      }),
      runs,
    );
  });

  it('each member delays a newcomer by one permit at most, and so does each Discord server', async () => {
    const steps = fc.array(fc.oneof({ weight: 4, arbitrary: asks }, { weight: 1, arbitrary: fc.constant('+1 s') }), {
      maxLength: 60,
    });
    await fc.assert(
      fc.asyncProperty(steps, async (line) => {
        const queue = queueScript();
        const told = (await queue(['+1 ms', ...line, 'told'].join('; '))).split(', ');
        const waiting = line.filter((one) => one !== '+1 s' && !told.includes(one.replace(':', '')));
        const who = waiting.map((one) => one.split(/[@:]/));
        const members = new Set(who.map(([member]) => member)).size;
        const servers = new Set(who.map(([member, server]) => server || member)).size; // one each of direct messages
        const permits = 1 + Math.min(members, servers);
        expect(await queue(`n@own: n; +${permits} s; told`)).toMatch(/n@own n$|n@own n,/);
      }),
      runs,
    );
  });

  it('wanting what another waits for, in the same order, delays a newcomer by no further permit', async () => {
    const run = fc.record({
      cards: fc.integer({ min: 1, max: 40 }),
      served: fc.nat(39),
      friends: fc.integer({ min: 1, max: 6 }),
    });
    await fc.assert(
      fc.asyncProperty(run, async ({ cards, served, friends }) => {
        const left = `c${Math.min(cards, served + 1)}-${cards}`;
        const joined = Array.from({ length: friends }, (_, friend) => `f${friend}@: ${left}`).join('; ');
        const told = await says(`eager: c1-${cards}; +${served} s; count; ${joined}; newcomer: n; +2 s; told`);
        expect(told).toContain('newcomer n');
      }),
      runs,
    );
  });

  it('each has the permit that was told, where all who wait came at once', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(asks, { minLength: 1, maxLength: 30 }), async (line) => {
        const queue = queueScript();
        await queue(`x: z; ${line.join('; ')}; +10 ms`);
        const cards = [...new Set(line.map((one) => one.split(' ')[1]))];
        const told = await queue(cards.map((card) => `news ${card}`).join('; '));
        const came = await queue(`+30 s; ${cards.map((card) => `when ${card}`).join('; ')}`);
        expect(told.split(' | ').map((news) => /0 s in ([^/]+s)/.exec(news)?.[1])).toEqual(came.split(' | '));
      }),
      runs,
    );
  });

  it('everybody is answered once who has not given up, and what nobody wants costs nothing', async () => {
    const verbs = fc.constantFrom('', '', '', ' renew', ' reserve', ' start', ' cancel', ' skip prices', ' resume');
    const happens = fc.constantFrom(
      ...['+1 s', '+1 s', '+3 s', '+20 s', 'answer 429 for 5 s', 'answer 503', 'answer 503 for 9 s', 'answer nonsense'],
      ...['elsewhere has c1 c2 c3', 'elsewhere has no more c1 c2 c3', 'c4 is known', 'answer silence'],
    );
    const step = fc.oneof(
      { weight: 3, arbitrary: fc.tuple(wanted, verbs).map(([{ who, card }, verb]) => `${who}${verb}: ${card}`) },
      { weight: 2, arbitrary: happens },
    );
    const most = fc.constantFrom(1, 4);
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), most, async (steps, together) => {
        const line = ['link of 0 ms', `lists of ${together}`, 'service latencyMs 20', ...steps];
        const queue = queueScript();
        await queue(
          [
            ...line,
            'elsewhere has no more c1 c2 c3',
            ...steps.filter((one) => one.includes('reserve')).map((one) => one.replace('reserve', 'cancel')),
          ].join('; '),
        );
        expect(await queue('+30 min; length; unanswered')).toBe('0 | 0');
      }),
      runs,
    );
  });
});
