import { setTimeout as sleep } from 'node:timers/promises';
import type { TypedInteraction } from '../../sandbox/discord/typed-interaction.ts';
import { seededRandom } from '../../sandbox/seeded-random.ts';
import { applyFault, type ChaosWorld, FAULT_NAMES, type FaultName } from './faults.ts';

/** An event at a time after the start. */
type ChaosEvent = { atMs: number } & (
  | { kind: 'lookup'; member: number; guild: number; cardId: string; isPrivate: boolean }
  | { kind: 'usage'; guild: number }
  /** `strength` from 0 up to 1: how long, or how often. */
  | { kind: 'fault'; name: FaultName; strength: number }
);

const COMMANDS_A_SECOND = 25;
const MEMBERS = 4;
const GUILDS = 2;

interface ScheduleOptions {
  cardIds: readonly string[];
  faults?: readonly FaultName[];
  meanBetweenFaultsMs?: number;
}

/** Ids that no card has, some of which must be encoded in a URL. */
const UNUSUAL_IDS = ['nope-1', '../v1/usage', '..', '%2e%2e%2f', 'a/b?c#d', '🃏'.repeat(50), '\u202Eelbisrever', '  '];

/** The same seed gives the same schedule. */
export function chaosSchedule(seed: string, seconds: number, options: ScheduleOptions): ChaosEvent[] {
  const { cardIds, faults = FAULT_NAMES, meanBetweenFaultsMs = 500 } = options;
  const random = seededRandom(seed);
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
  const endMs = seconds * 1_000;
  const events: ChaosEvent[] = [];

  for (let atMs = 0; atMs < endMs; atMs += exponential(1_000 / COMMANDS_A_SECOND, random())) {
    const guild = Math.floor(random() * (GUILDS + 1)); // one more for direct messages
    if (random() < 0.03) events.push({ atMs, kind: 'usage', guild: guild % GUILDS });
    else {
      // Squared: a few cards are looked up often, most rarely.
      const known = cardIds[Math.floor(random() ** 2 * cardIds.length)] as string;
      const cardId = random() < 0.1 ? pick(UNUSUAL_IDS) : known;
      events.push({
        atMs,
        kind: 'lookup',
        member: Math.floor(random() * MEMBERS),
        guild,
        cardId,
        isPrivate: random() < 0.2,
      });
    }
  }
  for (let atMs = meanBetweenFaultsMs; atMs < endMs; atMs += exponential(meanBetweenFaultsMs, random())) {
    events.push({ atMs, kind: 'fault', name: pick(faults), strength: random() });
  }
  return events.sort((a, b) => a.atMs - b.atMs);
}

/** @returns the typed commands, right after the last event */
export async function play(events: readonly ChaosEvent[], world: ChaosWorld): Promise<TypedInteraction[]> {
  const commands: TypedInteraction[] = [];
  const startMs = Date.now();
  for (const event of events) {
    await sleep(Math.max(0, startMs + event.atMs - Date.now()));
    if (event.kind === 'fault') void applyFault(event.name, world, event.strength);
    else commands.push(...typed(world, event));
  }
  return commands;
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

function exponential(mean: number, uniform: number): number {
  return -mean * Math.log(1 - uniform);
}
