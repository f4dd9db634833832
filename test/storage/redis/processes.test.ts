import { expect, it, vi } from 'vitest';
import { Claims } from '../../../src/model/store/claims.ts';
import type { CardsReply } from '../../../src/replies/ports.ts';
import { deferredReply } from '../../replies/replies-over.ts';
import { fakeTimers } from '../../support/fake-timers.ts';
import { msOf } from '../../support/limiter-script.ts';
import { processOver } from '../../support/processes-over-redis.ts';
import { clientOf, startRedis } from '../../support/redis.ts';
import { expectSaid, table } from '../../table.ts';

type Process = Awaited<ReturnType<typeof processOver>>;
type Step = (process: Process, what: string, how: string) => unknown;

const MINUTE_MS = 60_000;
const yesOrNo = (is: boolean) => (is ? 'yes' : 'no');

/**
 * Plays steps with `; ` between them. Those with ` & ` between them begin at once, and what they told is sorted. A process
 * begins when it is named first, and is dead to another after five looks in which it did not look.
 *
 * - `b: looks`, `b: looks 5`, `b: looks early`: it had to connect; `look 5`: all, in turn; `b: leaves`; `b: parts` from Redis,
 *   `b: returns`; `pass 30 min` by the clock of leases; `b: log`; `delete replies`, `tell p now`: by another program
 * - `b: keeps x`, `b: keeps x early`, `b: keeps x 3 left` of a list, `left x 1`: a deferred reply; `b: completes x`; `b: stops`;
 *   `b: is-given x`, without learning of it; `b: takes-over`, from now on; `b: taken`: as they were kept; `written`: who has which
 *   reply; `kept`: for how long; `b: owner x`, `b: owns x`, `b: has x`: as it knows
 * - `b: claims n`, for ten minutes, `300 ms` or `for good`, whether it is alive or not; `b: gets n`, as soon as it is free;
 *   `b: releases n`; `b: waits 3`: so long is its queue; `b: queues` of the others; `b: dead c`
 *
 * @param ofAll the claims of all, in place of those over Redis
 * @returns what they told, with ` / ` between
 */
async function says(script: string, ofAll?: Claims): Promise<string> {
  fakeTimers({ toFake: ['performance'] });
  const redis = await startRedis();
  const client = await clientOf(redis);
  const key = (part: string) => `${redis.prefix}:${part}`;
  const processes = new Map<string, Promise<Process>>();
  const replies = new Map<string, CardsReply>();
  /** Of processes and replies. */
  const names = new Map<string, string>();
  const idOf = (name: string) => [...names].find(([, each]) => each === name)?.[0] ?? name;

  async function processOf(name: string): Promise<Process> {
    const process = processes.get(name) ?? processOver(redis);
    processes.set(name, process);
    names.set((await process).processes.id, name);
    return process;
  }

  const keeps: Step = async ({ journal }, name, how) => {
    const reply = replies.get(name) ?? deferredReply({ receivedAtMs: Date.now() - (how === 'early' ? 1_000 : 0) });
    if (how.endsWith('left')) reply.asked.list = { id: '7', left: Number.parseInt(how, 10) };
    replies.set(name, reply);
    names.set(reply.interactionId, name);
    return (await journal.add({ ...reply })) ? undefined : 'not kept';
  };
  const taken: Step = ({ taken }) => {
    const kept = taken.map(({ interactionId }) => names.get(interactionId) ?? '');
    expect(taken).toEqual(kept.map((name) => replies.get(name)));
    return kept.join(' ') || 'nothing';
  };
  const written = async () => {
    const owners = Object.entries(await client.hGetAll(key('replies')));
    return (
      owners
        .map((row) => row.map((id) => names.get(id) ?? id).join(' '))
        .toSorted()
        .join(', ') || 'nothing'
    );
  };
  const claims: Step = async ({ claims }, name, how) => {
    const options = { ttlMs: Number.parseInt(how, 10) || 10 * MINUTE_MS, endsWithOwner: how !== 'for good' };
    const claimed = await (ofAll ?? claims).claim(name, options);
    return typeof claimed === 'string' ? claimed : `held ${Math.ceil(claimed.heldForMs / MINUTE_MS)} min`;
  };

  const steps: Readonly<Record<string, Step>> = {
    looks: ({ looks, processes }, times) =>
      times === 'early' ? processes.look({ isEarly: true }) : looks(Number(times || 1)),
    look: async (_, times) => {
      for (let look = 0; look < Number(times); look++)
        for (const process of processes.values()) await (await process).looks();
    },
    leaves: ({ processes }) => processes.leave(),
    parts: ({ part }) => part(true),
    returns: ({ part }) => part(false),
    pass: (_, figure, unit) => void vi.advanceTimersByTime(msOf(`${figure} ${unit}`)),
    log: ({ lines }) => lines.map(({ msg }) => msg).join() || 'nothing',
    delete: async (_, ...parts) => void (await client.unlink(parts.filter(Boolean).map(key))),
    tell: async (_, id, text) => void (await client.hSet(key('processes'), id, text)),
    ...{ keeps, taken, written, claims },
    left: (_, name, left) => void Object.assign(replies.get(name)?.asked.list ?? {}, { left: Number(left) }),
    completes: ({ journal }, name) => journal.remove(idOf(name)),
    stops: ({ journal }) => journal.close(),
    'is-given': async ({ processes }, name) => void (await client.hSet(key('replies'), idOf(name), processes.id)),
    'takes-over': ({ takesOver }) => takesOver(),
    kept: async () => `${Math.ceil((await client.pTTL(key('replies'))) / MINUTE_MS)} min`,
    owner: ({ journal }, name) => journal.ownerOf(idOf(name)),
    owns: ({ journal }, name) => yesOrNo(journal.owns(idOf(name))),
    has: async ({ journal }, name) => yesOrNo(await journal.keeps(replies.get(name) ?? deferredReply())),
    gets: (...given) => expect.poll(() => claims(...given)).toBe('mine'),
    releases: ({ claims }, name) => (ofAll ?? claims).release(name),
    waits: ({ processes }, length) => processes.tell(() => Number(length)),
    queues: ({ processes }) => processes.lengths().toSorted().join(' ') || 'nothing',
    dead: ({ processes }, name) => yesOrNo(processes.isDead(idOf(name))),
  };

  async function take(step: string): Promise<string | undefined> {
    const [, name = 'a', verb = '', what = '', how = ''] = /^(?:([abc]): )?([\w-]+) ?(\S*) ?(.*)$/.exec(step) ?? [];
    const act = steps[verb] ?? expect.fail(`no step: ${step}`);
    const told = await act(await processOf(name), what, how);
    return typeof told === 'string' ? told : undefined;
  }

  const said: string[] = [];
  for (const moment of script.split('; ')) {
    const told = await Promise.all(moment.split(' & ').map(take));
    said.push(...told.filter((each) => each !== undefined).toSorted());
  }
  return said.join(' / ');
}

it.each(table`
  has one owner when two processes receive the same interaction | a: keeps x & b: keeps x; a: keeps y & b: keeps y; a: keeps z & b: keeps z | not kept / not kept / not kept
  is taken over when its owner is dead, and not while it is alive, however long it waits; the oldest first | a: keeps x; a: keeps y early; look 10; b: taken; b: looks 5; b: taken; written | nothing / y x / x b, y b
  is left to any process at once when its owner stops, also one that comes late and receives the interaction again | a: keeps x; b: keeps y; a: stops; written; c: keeps x; b: looks; b: taken | x -, y b / not kept / x
  of a list is written again, when Redis has forgotten it, with what its lookups may still cost by then | a: keeps x 3 left; left x 1; delete replies processes; delete replies:texts; pass 1 ms; look 5; b: looks 5; b: taken | x
  that a process took over without learning of it is completed by that process | a: keeps x; b: is-given x; b: looks; b: taken; b: completes x; written | x / nothing
  that a process completes after another has taken it over stays with that one, and goes to a third when it dies | a: keeps x; b: is-given x; a: completes x; a: looks; written; b: looks; b: leaves; a: takes-over; a: looks 5; a: taken | x b / x
  that an operator has deleted is not written again | a: keeps x; delete replies; a: looks; written | nothing
  is not kept for longer than it can be completed | a: keeps x; kept | 16 min
  that is completed while Redis is away is removed when it is back, and not taken over | a: keeps x; a: parts; a: keeps y; a: completes x; a: completes y; a: returns; a: looks; written; b: looks 5; b: taken | nothing / nothing
  waits in memory while Redis is away, and is written when that is back, empty | a: keeps x early; a: parts; a: keeps y; delete replies replies:texts; pass 30 min; a: has y; a: returns; a: has y; a: looks; b: looks 5; b: taken | no / yes / x y
  may have been completed by another while its process does not reach Redis, and is left to who has taken it over | a: keeps x; a: keeps y; a: parts; b: looks 6; b: completes x; a: keeps z; pass 30 min; a: owner x; a: owner y; a: owner z; a: returns; a: looks; a: keeps n; a: owns x; a: owns z; a: owns n; a: owner x; a: owner y; a: owner z; written; b: parts; pass 30 min; b: owner y | unknown / unknown / this / no / no / yes / this / another / this / n a, x a, y b, z a / unknown
  is written by a process that stops just when Redis is back, and removed where it is completed | a: keeps x; a: parts; a: completes x; a: keeps y; a: returns; a: stops; written; b: looks; b: taken | y - / y
  of a process that stops without Redis is taken over once that is dead | a: keeps x; a: parts; a: stops; b: looks 6; b: taken | x
`)(
  'a deferred reply in Redis %s',
  expectSaid((steps) => says(`a: looks; b: looks; b: takes-over; ${steps}`)),
);

it('the claims of one process end on time', async () => {
  const claims = new Claims();
  expect(await says('a: claims n 300 ms; pass 200 ms; a: claims n', claims)).toBe('mine / held 1 min');
  const claim = () => claims.claim('n', { ttlMs: 1, endsWithOwner: true });
  expect(await claim()).toEqual({ heldForMs: 100 });
  vi.advanceTimersByTime(100);
  expect(await claim()).toBe('mine');
});

const CLAIMED_BY_MANY = table`
  is claimed by one of many at once, and the others learn when to ask again | a: claims n & a: claims n & b: claims n & b: claims n; b: claims m | held 10 min / held 10 min / held 10 min / mine / mine
  can be claimed as soon as its owner releases it, however often it was refused | a: claims n; b: claims n; a: claims n; a: releases n; a: claims n; b: claims n; a: releases n; b: claims n | mine / held 10 min / held 10 min / mine / held 10 min / mine
`;

it.each(CLAIMED_BY_MANY)(
  'a name that one process wants several times %s',
  expectSaid((steps) => says(steps, new Claims())),
);

it.each([
  ...CLAIMED_BY_MANY,
  ...table`
    is not released by a process that does not hold it, or has lost it without notice | b: looks; a: claims n 5000 ms; b: releases n; b: claims n; b: gets n; a: releases n; a: claims n | mine / held 1 min / held 10 min
    is free when its owner has died or left, and not before, if the claim ends with its owner | a: claims n; b: claims m; b: claims s for good; a: looks; b: looks; c: looks; c: claims n; c: claims m; b: leaves; c: claims m; c: looks 5; c: claims m; c: claims n; c: claims s for good | mine / mine / mine / held 10 min / held 10 min / held 10 min / mine / mine / held 10 min
    is claimed by every process by itself while Redis is away, and what it claimed stays its own | a: claims n; a: parts; a: claims m; a: claims m; b: parts; b: claims m; b: claims m; a: claims n; b: claims n; a: releases m; b: releases m; a: log; b: log | mine / unavailable / held 10 min / unavailable / held 10 min / held 10 min / unavailable / nothing / nothing
    that could not be released while Redis was away can be claimed again by its owner | a: claims n; a: parts; a: releases n; a: returns; a: claims n; b: claims n | mine / mine / held 10 min
    is still claimed when Redis is back that was claimed meanwhile, others are shared again, and nobody is dead | b: waits 1; look 5; a: queues; a: parts; a: looks; a: claims n; a: dead b; a: queues; delete processes claim:n; a: returns; a: claims n; a: claims m; b: claims m | 1 / unavailable / no / nothing / held 10 min / mine / held 10 min
  `,
])('a name that processes want %s', expectSaid(says));

it.each(table`
  know how long the queues of the others are, and count none that died, or at once none that left | b: waits 3; c: waits 70; b: looks; c: looks; a: looks; a: queues; b: leaves; a: looks; a: queues; a: looks 5; a: queues | 3 70 / 70 / nothing
  that are only busy are not dead to one that has to connect again and again | b: looks; a: looks 2; a: looks early; a: looks early; a: looks early; a: looks early; a: looks early; a: dead b; a: looks 3; a: dead b | no / yes
  take nothing that another program told in their place for one of them | a: looks; tell p now; tell q; a: looks 5; a: dead p; a: dead q; a: dead a; a: queues; a: log | yes / yes / no / nothing / nothing
`)('processes %s', expectSaid(says));
