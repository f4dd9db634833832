import { setTimeout as sleep } from 'node:timers/promises';
import type { ListeningCardService } from '../../src/sandbox/card-service.ts';
import type { Lifetimes } from '../../src/sandbox/discord/interaction.ts';
import { shardOf } from '../../src/sandbox/discord/snowflake.ts';
import type { TypedInteraction } from '../../src/sandbox/discord/typed-interaction.ts';
import { SAMPLE_CARDS } from '../../src/sandbox/sample-cards.ts';
import { scoped } from '../support/on-finished.ts';
import { alarmsIn } from './alarms.ts';
import { type Partition, SETTLED_MS } from './chaos-redis.ts';
import { startWorld } from './chaos-world.ts';
import { NOTICE_MS } from './disruptions.ts';
import { FAULT_NAMES, type FaultName, REDIS_FAULT_NAMES } from './faults.ts';
import { type Ending, endingOf, isFinal, watchMilestones } from './outcome.ts';
import { chaosSchedule, play } from './schedule.ts';
import { watchPrices } from './watched-prices.ts';

export interface ChaosReport {
  commands: number;
  /** Watched prices that members were told of. */
  crossings: number;
  /** Number of injected faults. */
  faults: number;
  endings: Record<Ending, number>;
  /** Requests that the card service received, by status; 0 = not answered. */
  requests: Record<number, number>;
  /** 429s because the bots together exceeded the plan. */
  overruns: number;
  /** Those of them after a process that had been cut off was back and had told the others what it spent. */
  overrunsOnReturn: number;
  /** Outcomes that the bots logged for commands. */
  outcomes: Record<string, number>;
  /** The commands with an excused ending. */
  excused: string[];
  /** The commands that were lost or answered twice, likewise watched prices, 429s on return, and alarming log lines. */
  failures: string[];
  /** When which process or Redis was unavailable. */
  disruptions: string[];
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
const EXCUSED_MS: Partial<Record<Ending, number>> = { 'lost with Redis': 6_000, 'not received': 1_000 };

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
  const milestones = watchMilestones(discord);
  const overrunsAtMs = watchOverruns(cardService);
  const commands = await play(events, world);
  watchedPrices.stop();
  endMeanwhile?.();

  cardService.set({ down: false, latencyMs: 0 });
  discord.faults.clear(); // a stop would wait for what still hangs
  await Promise.all([redis?.quiet(), bots.quiet()]);
  const end = (typed: TypedInteraction): Ending => {
    const shard = shardOf(typed.message.guildId, processes);
    const { outages = [], partitions = [] } = redis ?? {};
    const ends = bots.gaps.filter(({ process }) => process === shard);
    return endingOf(typed, milestones(typed.id), { ends, allEnds: bots.gaps, outages, partitions });
  };
  await allEnded(commands, end);

  const endings = noEndings();
  const excused: string[] = [];
  const failures: string[] = [];
  for (const typed of commands) {
    const ending = end(typed);
    endings[ending]++;
    const description = `${ending}: ${describeCommand(typed, shardOf(typed.message.guildId, processes))}`;
    if (ending === 'lost with Redis' || ending === 'completed again') excused.push(description);
    if (ending === 'lost' || ending === 'twice') failures.push(description);
  }
  await bots.stop();
  const { crossings, failures: ofWatches } = await watchedPrices.outcome();
  const output = bots.output();
  const outcomes = countsOf([...output.matchAll(/"outcome":"([^"]+)"/g)].map(([, outcome = '']) => outcome));
  const requests = { ...cardService.counts.byStatus };
  const onReturn = overrunsAtMs.filter((atMs) => redis?.partitions.some((partition) => isOnReturn(atMs, partition)));
  failures.push(
    ...onReturn.map((atMs) => `429 on return: ${timeOf(atMs)}`),
    ...(redis?.failures ?? []),
    ...ofWatches,
    ...alarmsIn(output).map((line) => `alarm: ${line}`),
  );
  return {
    commands: commands.length,
    crossings,
    faults: events.filter(({ kind }) => kind === 'fault').length,
    endings,
    requests,
    overruns: overrunsAtMs.length,
    overrunsOnReturn: onReturn.length,
    outcomes,
    excused,
    failures,
    disruptions: [
      ...bots.gaps.map(
        (gap) =>
          `process ${gap.process} unavailable ${during(gap)}, ended at ${timeOf(gap.endedAtMs)} by ${gap.signal}`,
      ),
      ...(redis?.outages ?? []).map(
        (outage) => `redis ${outage.emptied ? 'emptied' : 'unavailable'} ${during(outage)}`,
      ),
      ...(redis?.partitions ?? []).map(
        (partition) => `redis ${partition.how} to process ${partition.process} ${during(partition)}`,
      ),
    ].sort(),
  };
}

/** Resolves when nothing more will follow for any command, or only for those that are excused. */
async function allEnded(
  commands: readonly TypedInteraction[],
  end: (typed: TypedInteraction) => Ending,
): Promise<void> {
  const quietAtMs = Date.now();
  const isOver = (typed: TypedInteraction) => {
    return isFinal(typed.message) || Date.now() > quietAtMs + (EXCUSED_MS[end(typed)] ?? PATIENCE_MS);
  };
  while (Date.now() < quietAtMs + PATIENCE_MS && !commands.every(isOver)) await sleep(50);
}

function noEndings(): Record<Ending, number> {
  return { card: 0, sentence: 0, 'not received': 0, 'lost with Redis': 0, 'completed again': 0, lost: 0, twice: 0 };
}

/** Whether the process had noticed that Redis is back, and no other fault of Redis can have begun. */
function isOnReturn(atMs: number, { toMs }: Partition): boolean {
  return toMs + NOTICE_MS <= atMs && atMs < toMs + SETTLED_MS;
}

/** When requests exceeded the plan: 429s that neither a storm nor a spent day explains. */
function watchOverruns(service: ListeningCardService): readonly number[] {
  const overrunsAtMs: number[] = [];
  let last = service.requests.at(-1);
  service.onChange(() => {
    const request = service.requests.at(-1);
    if (request === last || request === undefined) return; // a switch was changed
    last = request;
    const { switches, dayRemaining } = service.state();
    const excused = request.atMs < switches.stormUntilMs || dayRemaining === 0;
    if (request.status === 429 && !excused) overrunsAtMs.push(request.atMs);
  });
  return overrunsAtMs;
}

/** What the member saw. */
function describeCommand({ id, message, history }: TypedInteraction, shard: number): string {
  const seen = history.map(({ state, content, embeds, failure }) =>
    [state, embeds[0]?.title ?? content, failure].filter(Boolean).join(' '),
  );
  return `${timeOf(message.typedAtMs)} shard ${shard} ${message.commandLine} (${id}): ${seen.join(' → ')}`;
}

function during({ fromMs, toMs }: { fromMs: number; toMs: number }): string {
  return `${timeOf(fromMs)} to ${Number.isFinite(toMs) ? timeOf(toMs) : 'the end'}`;
}

function timeOf(atMs: number): string {
  return new Date(atMs).toISOString().slice(11, 23);
}

function countsOf(names: readonly string[]): Record<string, number> {
  return Object.fromEntries([...Map.groupBy(names, (name) => name)].map(([name, all]) => [name, all.length]));
}
