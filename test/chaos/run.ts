import { setTimeout as sleep } from 'node:timers/promises';
import type { Lifetimes } from '../../sandbox/discord/interaction.ts';
import { shardOf } from '../../sandbox/discord/snowflake.ts';
import type { TypedInteraction } from '../../sandbox/discord/typed-interaction.ts';
import { SAMPLE_CARDS } from '../../sandbox/sample-cards.ts';
import { isFinal } from '../support/final-answers.ts';
import { scoped } from '../support/on-finished.ts';
import { alarmsIn } from './alarms.ts';
import { startWorld } from './chaos-world.ts';
import { FAULT_NAMES, type FaultName, REDIS_FAULT_NAMES } from './faults.ts';
import { type Ending, endingOf, type Trouble, watchCompletions } from './outcome.ts';
import { chaosSchedule, play } from './schedule.ts';
import { watchPrices } from './watched-prices.ts';

export interface ChaosReport {
  commands: number;
  /** Watched prices that members were told of. */
  crossings: number;
  /** Number of injected faults. */
  faults: number;
  endings: Record<Ending, number>;
  /** The commands with an excused ending. */
  excused: string[];
  /** The commands that were lost or answered twice, likewise watched prices, and alarming log lines. */
  failures: string[];
  /** When which process or Redis was unavailable. */
  troubles: string[];
}

export interface ChaosOptions {
  seed: string;
  seconds: number;
  /** Default 1. */
  processes?: number;
  /** Default: Discord's own. */
  lifetimes?: Lifetimes;
  meanBetweenFaultsMs?: number;
  /** Default: all that fit the number of processes. */
  faults?: readonly FaultName[];
  /** Variables of the bots besides those of every run. */
  env?: Record<string, string>;
  /** Called when the bots are connected. @returns what ends it before they are stopped */
  meanwhile?(running: Running): () => void;
}

/** What the bots of a run have written so far, and where one without Redis keeps its files. */
export interface Running {
  output(): string;
  dataDir: string;
}

const PATIENCE_MS = 45_000;
/** An excused ending is waited for no longer. A takeover takes 5 s; what no bot received comes to none later. */
const EXCUSED_MS: Partial<Record<Ending, number>> = { excused: 6_000, 'not received': 1_000 };

/**
 * Types commands and injects faults by the schedule of the seed, waits until every command is answered, and counts.
 * Several processes share a Redis, which has faults, too.
 *
 * @throws with more than one process and no Redis on PATH
 */
export function runChaos(options: ChaosOptions): Promise<ChaosReport> {
  return scoped(() => run(options));
}

async function run({ seed, seconds, processes = 1, lifetimes, env, meanwhile, ...density }: ChaosOptions) {
  const world = await startWorld(processes, lifetimes, env);
  const { discord, cardService, bots, redis, dataDir } = world;
  const endMeanwhile = meanwhile?.({ output: () => bots.output(), dataDir });
  const events = chaosSchedule(seed, seconds, {
    cardIds: SAMPLE_CARDS.map(({ id }) => id),
    guilds: discord.guilds.length,
    faults: processes === 1 ? FAULT_NAMES : REDIS_FAULT_NAMES,
    ...density,
  });
  const watchedPrices = await watchPrices(world);
  const completedAtMs = watchCompletions(discord);
  const commands = await play(events, world);
  watchedPrices.stop();
  endMeanwhile?.();

  cardService.set({ down: false, latencyMs: 0 });
  discord.faults.clear(); // a stop would wait for what still hangs
  await Promise.all([redis?.quiet(), bots.quiet()]);
  const troubles = [...bots.troubles, ...(redis?.troubles ?? [])];
  const shard = ({ message }: TypedInteraction) => shardOf(message.guildId, processes);
  const end = (typed: TypedInteraction) => endingOf(typed, shard(typed), completedAtMs.get(typed.id), troubles);
  await allEnded(commands, end);

  const ended = Map.groupBy(commands, end);
  const described = (ending: Ending) =>
    (ended.get(ending) ?? []).map((typed) => `${ending}: ${describeCommand(typed, shard(typed))}`);
  await bots.stop();
  const { crossings, failures: ofWatches } = await watchedPrices.outcome();
  return {
    commands: commands.length,
    crossings,
    faults: events.filter(({ kind }) => kind === 'fault').length,
    endings: { ...NO_ENDINGS, ...Object.fromEntries([...ended].map(([ending, all]) => [ending, all.length])) },
    excused: described('excused'),
    failures: [
      ...described('lost'),
      ...described('twice'),
      ...(redis?.failures ?? []),
      ...ofWatches,
      ...alarmsIn(bots.output()).map((line) => `alarm: ${line}`),
    ],
    troubles: troubles.toSorted((a, b) => a.fromMs - b.fromMs).map(describeTrouble),
  };
}

/** Resolves when nothing more will follow for any command, or only for those that are excused. */
async function allEnded(
  commands: readonly TypedInteraction[],
  end: (typed: TypedInteraction) => Ending,
): Promise<void> {
  const quietAtMs = Date.now();
  const isOver = (typed: TypedInteraction) => {
    const { message } = typed;
    if (message.state === 'failed' || isFinal(message)) return true;
    return Date.now() > quietAtMs + (EXCUSED_MS[end(typed)] ?? PATIENCE_MS);
  };
  while (Date.now() < quietAtMs + PATIENCE_MS && !commands.every(isOver)) await sleep(50);
}

const NO_ENDINGS = { card: 0, sentence: 0, 'not received': 0, excused: 0, lost: 0, twice: 0 };

/** What the member saw. */
function describeCommand({ id, message, history }: TypedInteraction, shard: number): string {
  const seen = history.map(({ state, content, embeds, failure }) =>
    [state, embeds[0]?.title ?? content, failure].filter(Boolean).join(' '),
  );
  return `${timeOf(message.typedAtMs)} shard ${shard} ${message.commandLine} (${id}): ${seen.join(' → ')}`;
}

function describeTrouble({ what, process, how, fromMs, toMs }: Trouble): string {
  const whose = process === undefined ? '' : ` (process ${process})`;
  return `${timeOf(fromMs)} to ${Number.isFinite(toMs) ? timeOf(toMs) : 'the end'} ${what}${whose}: ${how}`;
}

function timeOf(atMs: number): string {
  return new Date(atMs).toISOString().slice(11, 23);
}
