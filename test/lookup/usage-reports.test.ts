import { it } from 'vitest';
import { type UsageKnown, UsageReports } from '../../src/lookup/usage-reports.ts';
import { msOf } from '../support/limiter-script.ts';
import { logLines } from '../support/log-lines.ts';
import { NOON_MS, requesterOf } from '../support/lookup-queue.ts';
import { queueScript } from '../support/queue-script.ts';
import { rowsInFile } from '../support/stores.ts';
import { expectSaid, table } from '../table.ts';

/** Where the processes of an account share the last report. */
const LAST = { part: 'report:account', key: 'last' };

const sinceNoon = (atMs: number) => `at ${(atMs - NOON_MS) / 1_000} s`;

/** Plan, used requests and time of a report, and why there is none newer. */
function shown({ report, missing }: UsageKnown) {
  const why = typeof missing === 'object' ? `${missing.error.name} ${sinceNoon(missing.atMs)}` : missing;
  const { usage, atMs } = report ?? {};
  const parts = [usage?.plan, usage?.requests?.used, atMs === undefined ? 'none' : sinceNoon(atMs), why];
  return parts.flatMap((part) => part ?? []).join(' ');
}

/**
 * The queue with reports beside it: alice asks for one in the process `here`, or `there`. What she sees is told, also
 * what comes `later`. `noted at 1 s` is a report of another process, `kept` when the one that is shared was given.
 */
function reportsScript(script: string) {
  const { rows } = rowsInFile();
  const { log, lines } = logLines();
  const alice = requesterOf('alice');
  const processes = new Map<string, UsageReports>();
  const says = queueScript([
    [
      /^report (t?here)(?: within (.+))?$/,
      async (world, where, span) => {
        const { client: service, limiter, ledger, claims, events, requesters, told } = world;
        const shared = { service, limiter, ledger, claims, rows, account: 'account', events, log };
        const reports = processes.get(where) ?? new UsageReports({ ...shared, offer: 'available' });
        processes.set(where, reports);
        requesters.set('alice', alice);
        void reports.ask(alice, msOf(span || '1 s')).then(({ now, later }) => {
          told.push(shown(now));
          void later?.then((known) => told.push(`later ${shown(known)}`));
        });
      },
    ],
    [/^answer (\{.+\})$/, ({ service }, body) => service.script({ path: 'usage', body: JSON.parse(body) })],
    [
      /^noted at (.+)$/,
      async (_, span) => {
        const value = JSON.stringify({ usage: {}, atMs: NOON_MS + msOf(span) });
        await rows.write([{ ...LAST, value }], { keepMs: 3_600_000 });
      },
    ],
    [/^kept$/, async () => sinceNoon(JSON.parse((await rows.read(LAST.part))?.get(LAST.key) ?? '').atMs)],
    [/^hundredth$/, ({ limiter }) => sinceNoon(limiter.view().forecast('members', 100))],
    [
      /^logged$/,
      () => lines.map(({ level, msg, member, err }) => [level, msg, member ?? Object(err).status].join(' ')).join(),
    ],
  ]);
  return says(script);
}

it.each(table`
  says why it failed only until another may be asked for
    | service down true; report here; +30 s; report here; told;
      service down false; +3 h; answer 429 for 600 s; bob: b; told; report here; told;
      +700 s; bob: c; +60 s; told; report here; told
    | none ServiceDown at 0 s, none ServiceDown at 0 s | bob b Busy 600 s paused | none notRequested | bob c
    | free 2 at 11590 s
  is asked for as soon as there is a permit, though there was none within the last minute
    | answer 429 for 10 s; bob: b; report here; told; +25 s; told; report here; told
    | none notRequested | bob b | free 2 at 25 s
  says of a key that it may not read it; that key may still look up cards
    | answer no such key to usage; report here; told; alice: a; +1 s; told; logged
    | none KeyRefused at 0 s | alice a | 20 usage report requested alice,50 usage report failed 403
  may name no plan, and is logged with who asked for it
    | answer {"requests":{"used":1,"limit":1000,"remaining":999}}; report here; told; logged
    | 1 at 0 s | 20 usage report requested alice
  names the plan whose rate counts, however it is written
    | plan auto; hundredth; answer {"plan":"Pro"}; report here; told; hundredth
    | at 486 s | Pro at 0 s | at 0.3 s
  says no longer why it failed once the next one is under way
    | service down true; report here; told; +60 s; service down false; service latencyMs 2000;
      report here within 1.5 s; +1.5 s; told; +1 s; told
    | none ServiceDown at 0 s | none | later free 1 at 62 s
  says no longer why it failed once another process has one
    | service down true; report here; +60 s; service down false; report there; report here; told
    | none ServiceDown at 0 s, free 1 at 60 s, free 1 at 60 s
  shows the last one once it has waited, and the new one when it comes
    | report here; told; +60 s; service latencyMs 2000; report here within 1.5 s; +1.5 s; told;
      report here within 1.5 s; +500 ms; told; requests
    | free 1 at 0 s | free 1 at 0 s | later free 2 at 62 s, free 2 at 62 s | 2
  is shown once its request is counted | link of 100 ms; report here within 299 ms; +299 ms; told; +1 ms; told
    | none | later free 1 at 0.3 s
  is one of all processes in a minute, and each shows it
    | report here; told; +59999 ms; report there; told; +1 ms; report there; report here; told; requests
    | free 1 at 0 s | free 1 at 0 s | free 2 at 60 s, free 2 at 60 s | 2
  is the later one, in whatever order they come | noted at 1 s; report here; told; kept
    | at 1 s | at 1 s
  is not one that was noted before the clock was set back | noted at 1 h; report here; told; kept
    | free 1 at 0 s | at 0 s
`)('a usage report %s', expectSaid(reportsScript));
