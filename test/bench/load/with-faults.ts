import { setTimeout as sleep } from 'node:timers/promises';
import { startCardService } from '../../../src/sandbox/card-service.ts';
import { SAMPLE_CARDS } from '../../../src/sandbox/sample-cards.ts';
import { seededRandom } from '../../../src/sandbox/seeded-random.ts';
import { applyFault, FAULT_NAMES } from '../../chaos/faults.ts';
import type { Verdict } from '../table.ts';
import type { LoadRow } from './load-row.ts';
import { KEPT, type Measure } from './measure.ts';
import { MOST_CARDS, mixedCommand } from './mixed-commands.ts';
import { ProbedBot } from './probed-bot.ts';
import { RunningCommands } from './running-commands.ts';

const COMMANDS = 100_000;
/** 1,000 faults in all. */
const COMMANDS_A_FAULT = 100;
const AT_ONCE = 64;
const MEMBERS = 1_000;
const SEED = 'load';
/** The part of the run after which the counts are first taken. */
const EARLY = 1 / 10;
/** Long enough for the last edits, and for idle connections to close. */
const QUIET_MS = 8_000;
/** A failed edit is retried after at most 30 s, and may then hang for 20 s. */
const LONGEST_QUIET_MS = 60_000;
const HEAP_GROWTH = 1.25;
/** Counts may differ by this much: the number of concurrent commands. */
const TOLERANCE = AT_ONCE;
/** A day of four seconds, so that a spent day begins and ends within a run. */
const DAY_MS = 4_000;
const LIMITS = { requestsPerMinute: 6_000, burst: 100, requestsPerDay: 1_000 };
/** The counts are of one process, so it is not restarted; `npm run chaos` does that. */
const FAULTS = FAULT_NAMES.filter((name) => name !== 'bot is killed' && name !== 'bot is stopped');

/** Mixed commands and faults, as fast as possible. @param scale of the commands */
export async function withFaults(scale: number): Promise<LoadRow> {
  const commands = Math.round(COMMANDS * scale);
  const service = await startCardService({
    ...LIMITS,
    nextResetMs: (nowMs) => (Math.floor(nowMs / DAY_MS) + 1) * DAY_MS,
  });
  const bot = await ProbedBot.start({
    serviceUrl: service.url,
    members: MEMBERS,
    env: {
      CARD_SERVICE_REQUESTS_PER_MINUTE: String(LIMITS.requestsPerMinute),
      CARD_SERVICE_BURST: String(LIMITS.burst),
      CARD_SERVICE_TIMEOUT_MS: '400',
      PRICES_FRESH_SECONDS: '2',
      NOT_FOUND_FRESH_SECONDS: '1',
      MEMBER_DAILY_REQUESTS: '0',
    },
  });
  const random = seededRandom(SEED);
  const world = { discord: bot.discord, cardService: service, dataDir: bot.dataDir, restartBot: async () => {} };
  const running = new RunningCommands(bot.discord);
  const idle = await bot.ask('begin');
  let faults = 0;
  const part = async (count: number): Promise<Part> => {
    await bot.ask('begin');
    const startMs = performance.now();
    await running.run(count, AT_ONCE, (index) => {
      if (index % COMMANDS_A_FAULT === COMMANDS_A_FAULT - 1) {
        const name = FAULTS[Math.floor(random() * FAULTS.length)];
        if (name) void applyFault(name, world, random());
        faults++;
      }
      return bot.discord.type(mixedCommand(random, bot.members, bot.discord.guilds));
    });
    const seconds = (performance.now() - startMs) / 1_000;
    const { delayP99Ms, longestDelayMs } = await bot.ask('measure'); // before garbage is collected, which delays the event loop
    service.set({ down: false, latencyMs: 0 });
    bot.discord.faults.clear();
    await quiet(bot, idle);
    return { ...(await bot.ask('collect')), delayP99Ms, longestDelayMs, seconds, resident: bot.residentMegabytes };
  };
  try {
    // Without this hardly any card would ever be stored, because the service fails so often.
    await running.run(SAMPLE_CARDS.length, 1, (index) =>
      bot.discord.type({ command: 'card', options: { id: SAMPLE_CARDS[index]?.id ?? '' } }),
    );
    const first = Math.round(commands * EARLY);
    const early = await part(first);
    const late = await part(commands - first);
    const ranOn = bot.isAlive;
    const outcomes = logged(bot.log());
    await bot.end();
    return {
      name: `${commands.toLocaleString('en')} mixed commands, ${faults.toLocaleString('en')} faults`,
      commands,
      ...late,
      seconds: early.seconds + late.seconds,
      residentMegabytes: [early.resident, late.resident],
      verdicts: verdicts(running.lost, [early, late], bot, ranOn),
      note: `Mixed: ${AT_ONCE} concurrent commands, a fault every ${COMMANDS_A_FAULT} commands, seed "${SEED}". Counted when the bot was idle, after the first tenth and after the last command, after a garbage collection: ${KEPT.map((name) => `${name} ${early[name]} and ${late[name]}`).join(', ')}. Sockets, of which undici keeps as many as were ever needed concurrently: ${early.sockets} and ${late.sockets}. ${outcomes}`,
    };
  } finally {
    await bot.stop();
    await service.close();
  }
}

/** Resolves when no edit is under way or waits for a retry. */
async function quiet(bot: ProbedBot, idle: Measure): Promise<void> {
  await sleep(QUIET_MS);
  for (let waitedMs = QUIET_MS; waitedMs < LONGEST_QUIET_MS; waitedMs += 1_000) {
    const { timers, restHandlers } = await bot.ask('measure');
    if (timers <= idle.timers && restHandlers <= Math.max(1, idle.restHandlers)) return;
    await sleep(1_000);
  }
}

type Part = Measure & { seconds: number; resident: number };

function verdicts(lost: readonly string[], [early, late]: [Part, Part], bot: ProbedBot, ranOn: boolean): Verdict[] {
  const alarms = bot.alarms();
  const [deferredReplies, cards] = [bot.rows('deferred_replies'), bot.rows('cards')];
  const more = KEPT.filter((name) => (late[name] ?? 0) > (early[name] ?? 0) + TOLERANCE);
  const heap = late.heapMegabytes / early.heapMegabytes;
  return [
    {
      claim: ['unanswered: 0 (', lost.length, ')', ...lost.slice(0, 3).map((line) => ` ${line}`)].join(''),
      reached: lost.length === 0,
    },
    {
      claim: `unhandled rejections and warnings of the runtime: 0 (${alarms.length})${alarms.slice(0, 1)}`,
      reached: alarms.length === 0 && ranOn,
    },
    { claim: `nothing kept has grown (${more.join(', ') || 'nothing'})`, reached: more.length === 0 },
    { claim: `deferred replies left: 0 (${deferredReplies})`, reached: deferredReplies === 0 },
    { claim: `cards stored: at most ${MOST_CARDS} (${cards})`, reached: cards <= MOST_CARDS },
    {
      claim: `heap from the first tenth to the end at most ${HEAP_GROWTH} × (${heap.toFixed(2)} ×)`,
      reached: heap <= HEAP_GROWTH,
      timing: true,
    },
  ];
}

/** The outcomes of the commands in the bot's log. */
function logged(log: string): string {
  const counts = new Map<string, number>();
  for (const [, outcome = ''] of log.matchAll(/"outcome":"([^"]+)"/g))
    counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
  return `Logged: ${[...counts].map(([outcome, count]) => `${outcome} ${count.toLocaleString('en')}`).join(', ')}.`;
}
