import { setTimeout as sleep } from 'node:timers/promises';
import { DISCORD_LIFETIMES } from '../../sandbox/discord/interaction.ts';
import type { TypedInteraction } from '../../sandbox/discord/typed-interaction.ts';
import { startBackends } from '../support/backends.ts';
import { isFinal } from '../support/final-answers.ts';
import { scoped } from '../support/on-finished.ts';
import { alarmsIn } from './alarms.ts';
import { Bot } from './bot.ts';
import { type Ending, endingOf, watchCompletions } from './outcome.ts';
import { chaosSchedule, type Density, play } from './schedule.ts';

export interface ChaosReport {
  commands: number;
  /** Number of injected faults. */
  faults: number;
  endings: Record<Ending, number>;
  /** The commands with an excused ending. */
  excused: string[];
  /** The commands that were lost or answered twice, and alarming log lines. */
  failures: string[];
  /** When there was no bot. */
  gaps: string[];
}

export interface ChaosOptions extends Density {
  seed: string;
  seconds: number;
  /** Variables of the bot besides those of every run. */
  env?: Record<string, string>;
  /** Called when the bot is connected. @returns what ends it before the bot is stopped */
  meanwhile?(running: Running): () => void;
}

/** What the bot of a run has written so far, and where it keeps its files. */
export interface Running {
  output(): string;
  dataDir: string;
}

/** A day of four seconds, so that a spent day begins and ends within a run. */
const DAY_MS = 4_000;
/** Lookups wait for a permit only after a fault. */
const LIMITS = { requestsPerMinute: 3_000, burst: 40, requestsPerDay: 400 };
/** A bot holds 70 MB of its own; what leaks under faults would soon be more than this. */
const HEAP_MB = 128;
const PATIENCE_MS = 45_000;
/** What no bot received comes to none later. */
const NOT_RECEIVED_MS = 1_000;

/** Types commands and injects faults by the schedule of the seed, waits until every command is answered, and counts. */
export function runChaos(options: ChaosOptions): Promise<ChaosReport> {
  return scoped(() => run(options));
}

async function run({ seed, seconds, env: variables, meanwhile, ...density }: ChaosOptions) {
  const { discord, cardService, env } = await startBackends(
    { ...LIMITS, nextResetMs: (nowMs) => (Math.floor(nowMs / DAY_MS) + 1) * DAY_MS },
    {
      // Both, as in docs/configuration.md: with a large young generation beside so small an old one, V8 marks without end.
      NODE_OPTIONS: `--max-old-space-size=${HEAP_MB} --max-semi-space-size=4`,
      CARD_SERVICE_TIMEOUT_MS: '400',
      PRICES_FRESH_SECONDS: '2',
      ...variables,
    },
    { lifetimes: DISCORD_LIFETIMES },
  );
  const { DATA_DIR: dataDir } = env;
  const bot = new Bot(env);
  await bot.ready();
  const endMeanwhile = meanwhile?.({ output: () => bot.output(), dataDir });
  const events = chaosSchedule(seed, seconds, density);
  const completedAtMs = watchCompletions(discord);
  const commands = await play(events, { discord, cardService, bot, dataDir });
  endMeanwhile?.();

  cardService.set({ down: false, latencyMs: 0 });
  discord.faults.clear(); // a stop would wait for what still hangs
  await bot.quiet();
  const end = (typed: TypedInteraction) => endingOf(typed, completedAtMs.get(typed.id), bot.gaps);
  await allEnded(commands, end);

  const ended = Map.groupBy(commands, end);
  const described = (ending: Ending) =>
    (ended.get(ending) ?? []).map((typed) => `${ending}: ${describeCommand(typed)}`);
  await bot.stop();
  return {
    commands: commands.length,
    faults: events.filter((event) => 'fault' in event).length,
    endings: { ...NO_ENDINGS, ...Object.fromEntries([...ended].map(([ending, all]) => [ending, all.length])) },
    excused: described('excused'),
    failures: [...described('lost'), ...described('twice'), ...alarmsIn(bot.output()).map((line) => `alarm: ${line}`)],
    gaps: bot.gaps.map(({ signal, fromMs, toMs }) => `${timeOf(fromMs)} to ${timeOf(toMs)} ${signal}`),
  };
}

/** Resolves when nothing more will follow for any command. */
async function allEnded(
  commands: readonly TypedInteraction[],
  end: (typed: TypedInteraction) => Ending,
): Promise<void> {
  const quietAtMs = Date.now();
  const isOver = (typed: TypedInteraction) => {
    const { message } = typed;
    if (message.state === 'failed' || isFinal(message)) return true;
    return end(typed) === 'not received' && Date.now() > quietAtMs + NOT_RECEIVED_MS;
  };
  while (Date.now() < quietAtMs + PATIENCE_MS && !commands.every(isOver)) await sleep(50);
}

const NO_ENDINGS = { card: 0, sentence: 0, 'not received': 0, excused: 0, lost: 0, twice: 0 };

/** What the member saw. */
function describeCommand({ id, message, history }: TypedInteraction): string {
  const seen = history.map(({ state, content, embeds, failure }) =>
    [state, embeds[0]?.title ?? content, failure].filter(Boolean).join(' '),
  );
  return `${timeOf(message.typedAtMs)} ${message.commandLine} (${id}): ${seen.join(' → ')}`;
}

function timeOf(atMs: number): string {
  return new Date(atMs).toISOString().slice(11, 23);
}
