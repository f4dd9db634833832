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
/** When what is kept is first counted, of the whole. */
const EARLY = 1 / 10;
/** Long enough for the last corrections, and for idle connections to close. */
const QUIET_MS = 8_000;
/** A payment that failed is tried again after 30 s at the latest, and may hang for 20 s then. */
const LONGEST_QUIET_MS = 60_000;
const HEAP_GROWTH = 1.25;
/** So many more may be there by chance: as many as can be under way at once. */
const CHANCE = AT_ONCE;
/** A day that ends every four seconds, so that a spent one is seen from its beginning to its end. */
const DAY_MS = 4_000;
const LIMITS = { requestsPerMinute: 6_000, burst: 100, requestsPerDay: 1_000 };
/** A process that ends takes its counts with it; restarts are part of `npm run chaos`. */
const FAULTS = FAULT_NAMES.filter((name) => name !== 'bot is killed' && name !== 'bot is told to stop');

/** Everything at once, as fast as it goes. @param scale of the commands */
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
    const { delayP99Ms, longestDelayMs } = await bot.ask('measure'); // to collect garbage takes a while
    service.set({ down: false, latencyMs: 0 });
    bot.discord.faults.clear();
    await quiet(bot, idle);
    return { ...(await bot.ask('collect')), delayP99Ms, longestDelayMs, seconds, resident: bot.residentMegabytes };
  };
  try {
    // Else hardly a card is ever known, and there are only refusals to be had from a service so often broken.
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
      note: `Mixed: ${AT_ONCE} under way at once, a fault every ${COMMANDS_A_FAULT} commands, as seed "${SEED}" says. What is kept was counted once the bot was idle, after the first tenth and after the last command, when garbage had been collected: ${KEPT.map((name) => `${name} ${early[name]} and ${late[name]}`).join(', ')}. Sockets, of which undici keeps as many as were ever needed at once: ${early.sockets} and ${late.sockets}. ${outcomes}`,
    };
  } finally {
    await bot.stop();
    await service.close();
  }
}

/** Until no edit is under way and none is to be tried again. */
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
  const [deferredReplies, cards] = [bot.rows('debts'), bot.rows('cards')];
  const more = KEPT.filter((name) => (late[name] ?? 0) > (early[name] ?? 0) + CHANCE);
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

/** How the commands ended, as the bot itself wrote. */
function logged(log: string): string {
  const counts = new Map<string, number>();
  for (const [, outcome = ''] of log.matchAll(/"outcome":"([^"]+)"/g))
    counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
  return `Logged: ${[...counts].map(([outcome, count]) => `${outcome} ${count.toLocaleString('en')}`).join(', ')}.`;
}
