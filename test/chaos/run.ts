import { setTimeout as sleep } from 'node:timers/promises';
import type { Lifetimes } from '../../src/sandbox/discord/interaction.ts';
import { shardOf } from '../../src/sandbox/discord/snowflake.ts';
import type { TypedInteraction } from '../../src/sandbox/discord/typed-interaction.ts';
import { SAMPLE_CARDS } from '../../src/sandbox/sample-cards.ts';
import { alarmsIn } from './alarms.ts';
import { startWorld } from './chaos-world.ts';
import { applyFault, type ChaosWorld, FAULT_NAMES, FLEET_FAULT_NAMES } from './faults.ts';
import { watchMilestones } from './milestones.ts';
import { type Ending, endingOf, isFinal } from './outcome.ts';
import { watchOverruns } from './overruns.ts';
import { type ChaosEvent, chaosSchedule } from './schedule.ts';

export interface ChaosReport {
  commands: number;
  /** How often each happened. */
  faults: number;
  endings: Record<Ending, number>;
  /** Requests that the card service saw, by status; 0 = got no answer. */
  requests: Record<number, number>;
  /** 429s because the bots together were faster than the plan. */
  overruns: number;
  /** What the bots logged of the ends of commands, by outcome. */
  outcomes: Record<string, number>;
  /** What could not be promised, as it looked in the end. */
  apart: string[];
  /** What must never be: what the lost ones and those with two answers looked like, and the bots' own words. */
  failures: string[];
  /** When which process and Redis were away. */
  troubles: string[];
}

export interface ChaosOptions {
  seed: string;
  seconds: number;
  /** 1 unless given. */
  processes?: number;
  /** Of what Discord hands out; its own unless given. */
  lifetimes?: Lifetimes;
  meanBetweenFaultsMs?: number;
}

const PATIENCE_MS = 45_000;

/**
 * Asks and breaks things as the seed says, waits until everybody has an answer, and counts. Several processes share a
 * Redis, which is broken, too.
 *
 * @throws with more than one process and no Redis on PATH
 */
export async function runChaos({
  seed,
  seconds,
  processes = 1,
  lifetimes,
  ...thickness
}: ChaosOptions): Promise<ChaosReport> {
  const world = await startWorld(processes, lifetimes);
  const { discord, cardService, bots, redis } = world;
  const events = chaosSchedule(seed, seconds, {
    cardIds: SAMPLE_CARDS.map(({ id }) => id),
    guilds: discord.guilds.length,
    faults: processes === 1 ? FAULT_NAMES : FLEET_FAULT_NAMES,
    ...thickness,
  });
  const milestones = watchMilestones(discord);
  const overruns = watchOverruns(cardService);
  const asked = await play(events, world);

  await redis?.quiet();
  await bots.quiet();
  cardService.set({ down: false, latencyMs: 0 });
  discord.faults.clear();
  const giveUpAtMs = Date.now() + PATIENCE_MS;
  while (Date.now() < giveUpAtMs && !asked.every(({ message }) => isFinal(message))) await sleep(50);

  const endings: Record<Ending, number> = {
    card: 0,
    sentence: 0,
    'not reached': 0,
    'lost with both': 0,
    'paid again': 0,
    lost: 0,
    twice: 0,
  };
  const apart: string[] = [];
  const failures: string[] = [];
  for (const typed of asked) {
    const shard = shardOf(typed.message.guildId, processes);
    const ends = bots.gaps.filter(({ process }) => process === shard);
    const troubles = { ends, allEnds: bots.gaps, outages: redis?.outages ?? [] };
    const ending = endingOf(typed, milestones(typed.id), troubles);
    endings[ending]++;
    const told = `${ending}: ${story(typed, shard)}`;
    if (ending === 'lost with both' || ending === 'paid again') apart.push(told);
    if (ending === 'lost' || ending === 'twice') failures.push(told);
  }
  await bots.stop();
  const output = bots.output();
  const outcomes = countsOf([...output.matchAll(/"outcome":"([^"]+)"/g)].map(([, outcome = '']) => outcome));
  const requests = { ...cardService.counts.byStatus };
  failures.push(...alarmsIn(output).map((line) => `alarm: ${line}`));
  await world.close();
  return {
    commands: asked.length,
    faults: events.filter(({ kind }) => kind === 'fault').length,
    endings,
    requests,
    overruns: overruns.count,
    outcomes,
    apart,
    failures,
    troubles: [
      ...bots.gaps.map(
        (gap) => `process ${gap.process} away ${during(gap)}, ended at ${timeOf(gap.endedAtMs)} by ${gap.signal}`,
      ),
      ...(redis?.outages ?? []).map((outage) => `redis ${outage.emptied ? 'emptied' : 'away'} ${during(outage)}`),
    ].sort(),
  };
}

/** @returns what was asked, a moment after the last event */
async function play(events: readonly ChaosEvent[], world: ChaosWorld): Promise<TypedInteraction[]> {
  const asked: TypedInteraction[] = [];
  const startMs = Date.now();
  for (const event of events) {
    await sleep(Math.max(0, startMs + event.atMs - Date.now()));
    if (event.kind === 'fault') void applyFault(event.name, world, event.strength);
    else asked.push(...typed(world, event));
  }
  return asked;
}

function typed({ discord }: ChaosWorld, event: Exclude<ChaosEvent, { kind: 'fault' }>): TypedInteraction[] {
  const guildId = discord.guilds[event.guild]?.id ?? null;
  try {
    if (event.kind === 'usage') return [discord.type({ command: 'usage', guildId, manageGuild: true })];
    const memberId = discord.members[event.member]?.id ?? '';
    const options = { id: event.cardId, private: event.isPrivate };
    return [discord.type({ command: 'card', options, guildId, memberId })];
  } catch {
    return []; // no bot is connected: Discord would not have sent it
  }
}

/** What the member saw, and when. */
function story({ id, message, history }: TypedInteraction, shard: number): string {
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
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}
