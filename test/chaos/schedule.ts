import { setTimeout as sleep } from 'node:timers/promises';
import type { TypedInteraction } from '../../sandbox/discord/typed-interaction.ts';
import { SAMPLE_CARDS } from '../../sandbox/sample-cards.ts';
import { seededRandom } from '../../sandbox/seeded-random.ts';
import { type ChaosWorld, FAULTS } from './faults.ts';

/** At a time after the start, a command by its places among servers and members, or a fault. */
type ChaosEvent = { atMs: number } & (
  | { command: 'card' | 'usage'; options: Record<string, string | boolean>; member: number; guild: number }
  | { fault: string; strength: number }
);

export interface Density {
  meanBetweenFaultsMs?: number;
  /** All unless given. */
  faults?: readonly string[];
}

const COMMANDS_A_SECOND = 25;
const MEMBERS = 4;
const GUILDS = 2;

/** Ids that no card has, some of which must be encoded in a URL. */
const UNUSUAL_IDS = ['nope-1', '../v1/usage', '..', '%2e%2e%2f', 'a/b?c#d', '🃏'.repeat(50), '\u202Eelbisrever', '  '];

/** The same seed gives the same schedule. */
export function chaosSchedule(
  seed: string,
  seconds: number,
  { meanBetweenFaultsMs = 500, faults = Object.keys(FAULTS) }: Density = {},
): ChaosEvent[] {
  const random = seededRandom(seed);
  const among = (count: number) => Math.floor(random() * count);
  const times = function* (meanMs: number, fromMs = 0) {
    for (let atMs = fromMs; atMs < seconds * 1_000; atMs += -meanMs * Math.log(1 - random())) yield atMs;
  };
  const events: ChaosEvent[] = [];
  for (const atMs of times(1_000 / COMMANDS_A_SECOND)) {
    const who = { atMs, guild: among(GUILDS + 1), member: among(MEMBERS) }; // one more for direct messages
    // Squared: a few cards are looked up often, most rarely.
    const known = SAMPLE_CARDS[Math.floor(random() ** 2 * SAMPLE_CARDS.length)]?.id ?? '';
    const id = (random() < 0.1 && UNUSUAL_IDS[among(UNUSUAL_IDS.length)]) || known;
    if (random() < 0.03) events.push({ ...who, command: 'usage', options: {}, guild: who.guild % GUILDS });
    else events.push({ ...who, command: 'card', options: { id, private: random() < 0.2 } });
  }
  for (const atMs of times(meanBetweenFaultsMs, meanBetweenFaultsMs))
    events.push({ atMs, fault: faults[among(faults.length)] ?? '', strength: random() });
  return events.sort((a, b) => a.atMs - b.atMs);
}

/** @returns the typed commands, right after the last event */
export async function play(events: readonly ChaosEvent[], world: ChaosWorld): Promise<TypedInteraction[]> {
  const { discord } = world;
  const commands: TypedInteraction[] = [];
  const startMs = Date.now();
  for (const event of events) {
    await sleep(Math.max(0, startMs + event.atMs - Date.now()));
    if ('fault' in event) void FAULTS[event.fault]?.(world, event.strength);
    else {
      const { command, options, member, guild } = event;
      const [memberId = '', guildId = null] = [discord.members[member]?.id, discord.guilds[guild]?.id];
      try {
        commands.push(discord.type({ command, options, memberId, guildId, manageGuild: true }));
      } catch {
        // No bot is connected: Discord would not have sent it.
      }
    }
  }
  return commands;
}
