import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TypedInteraction } from '../../sandbox/discord/conversation.ts';
import type { EmulatedDiscord } from '../../sandbox/discord/emulated-discord.ts';
import type { ScriptedFault } from '../../sandbox/discord/faults.ts';
import { SAMPLE_CARDS } from '../../sandbox/sample-cards.ts';
import { seededRandom } from '../../sandbox/seeded-random.ts';
import type { CardServiceSwitches, DictatedAnswer, ListeningCardService } from '../../sandbox/service/service.ts';
import { rateLimited } from '../support/fault-forms.ts';
import type { Bot } from './bot.ts';

/** What faults act on. */
interface ChaosWorld {
  discord: EmulatedDiscord;
  cardService: ListeningCardService;
  bot: Bot;
  /** Where the bot keeps its files. */
  dataDir: string;
}

/** @param strength from 0 up to 1: how long, or how often */
type Fault = (world: ChaosWorld, strength: number) => unknown;

const lastsMs = (strength: number) => 100 + strength * 1_500;

/** For a while, without delaying the schedule. */
function switched(begin: (strength: number) => Partial<CardServiceSwitches>, end: Partial<CardServiceSwitches>): Fault {
  return ({ cardService }, strength) => {
    cardService.set(begin(strength));
    setTimeout(() => cardService.set(end), lastsMs(strength));
  };
}

/** @param most how often at a time; once unless given */
function ofService(answer: DictatedAnswer, most = 1): Fault {
  return ({ cardService }, strength) => cardService.script({ ...answer, times: 1 + Math.floor(strength * most) });
}

function ofDiscord(route: 'callback' | 'edit', answer: ScriptedFault['answer'], most = 1): Fault {
  return ({ discord }, strength) =>
    discord.faults.script({ route, answer, times: 1 + Math.floor(strength * most) } as ScriptedFault);
}

/** What another program does with the file of cards, unless the bot is writing. */
function withCards(sql: string, forMs: (strength: number) => number): Fault {
  return ({ dataDir }, strength) => {
    const other = new DatabaseSync(join(dataDir, 'cards.sqlite'), { timeout: 0 });
    try {
      other.exec(sql);
      setTimeout(() => other.close(), forMs(strength));
    } catch {
      other.close();
    }
  };
}

const DAMAGE = `UPDATE cards SET value = '{"value":{"card":7}}' WHERE expires_at % 3 = 0`;
const ELSEWHERE = { status: 302, headers: { location: 'http://127.0.0.1:9/' }, body: '' };

export const FAULTS: Readonly<Record<string, Fault>> = {
  'service slow': switched((strength) => ({ latencyMs: 50 + strength * 400 }), { latencyMs: 0 }),
  'service down': switched(() => ({ down: true }), { down: false }),
  'service hangs': ofService({ fault: 'hang' }),
  'service stalls': ofService({ fault: 'stall', body: '{"id":' }),
  'service resets': ofService({ fault: 'reset' }, 3),
  'service sends 2 MB': ofService({ body: 'x'.repeat(2_000_000), gzip: true }),
  'service redirects': ofService(ELSEWHERE),
  '429 storm': ({ cardService }, strength) => cardService.storm(lastsMs(strength)),
  'the day is spent': ({ cardService }) => cardService.exhaustDay(),
  'gateway drops': ({ discord }) => discord.gateway.drop(4000),
  'gateway breaks': ({ discord }) => discord.gateway.drop(1006),
  'gateway asks to reconnect': ({ discord }) => discord.gateway.requestReconnect(),
  'session is invalidated': ({ discord }) => discord.gateway.invalidate(true),
  'callback connection closes': ofDiscord('callback', 'close', 3),
  'callback answer is lost': ofDiscord('callback', 'lose answer'),
  'callback hangs': ofDiscord('callback', 'hang'),
  'edit fails with 500': ofDiscord('edit', { status: 500 }, 12),
  'edit connection closes': ofDiscord('edit', 'close', 3),
  'edit answer is lost': ofDiscord('edit', 'lose answer'),
  'edit hangs': ofDiscord('edit', 'hang'),
  'edit is rate limited': ({ discord }, strength) =>
    discord.faults.script(rateLimited({ route: 'edit', retryAfterSeconds: 1 + strength, scope: 'shared' })),
  'card store is locked': withCards('BEGIN IMMEDIATE', lastsMs),
  'card rows are damaged': withCards(DAMAGE, () => 0),
  'bot is killed': ({ bot }) => bot.restart('SIGKILL'),
  'bot is stopped': ({ bot }) => bot.restart('SIGTERM'),
};

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
