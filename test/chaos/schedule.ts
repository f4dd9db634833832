import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { TypedCommand } from '../../sandbox/discord/chat.ts';
import { DEFAULT_WORLD, type EmulatedDiscord } from '../../sandbox/discord/emulated-discord.ts';
import type { ScriptedFault } from '../../sandbox/discord/faults.ts';
import { SAMPLE_CARDS } from '../../sandbox/sample-cards.ts';
import { seededRandom } from '../../sandbox/seeded-random.ts';
import type { CardServiceSwitches, DictatedAnswer, ListeningCardService } from '../../sandbox/service/service.ts';
import { rateLimited } from '../support/fault-forms.ts';
import type { Bot } from './run.ts';

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
const upTo = (most: number, strength: number) => 1 + Math.floor(strength * most);

/** For a while, without delaying the schedule. */
function switched(begin: Partial<CardServiceSwitches>, end: Partial<CardServiceSwitches>): Fault {
  return ({ cardService }, strength) => {
    cardService.set(begin);
    setTimeout(() => cardService.set(end), lastsMs(strength));
  };
}

const ofService = (answer: DictatedAnswer): Fault => {
  return ({ cardService }, strength) => cardService.script({ ...answer, times: upTo(3, strength) });
};

const ofDiscord = (route: 'callback' | 'edit', answer: NonNullable<ScriptedFault['answer']>): Fault => {
  return ({ discord }, strength) => discord.faults.script({ route, answer, times: upTo(3, strength) });
};

/** What another program does with the file of cards, unless the bot is writing. */
function withCards(sql: string): Fault {
  return ({ dataDir }, strength) => {
    const other = new DatabaseSync(join(dataDir, 'cards.sqlite'), { timeout: 0 });
    try {
      other.exec(sql);
      setTimeout(() => other.close(), lastsMs(strength));
    } catch {
      other.close();
    }
  };
}

/** Those of sockets, processes and files: what is a matter of calls and of time alone the simulator breaks. */
const FAULTS: Readonly<Record<string, Fault>> = {
  'service slow': switched({ latencyMs: 300 }, { latencyMs: 0 }),
  'service down': switched({ down: true }, { down: false }),
  'service hangs': ofService({ fault: 'hang' }),
  'service stalls': ofService({ fault: 'stall', body: '{"id":' }),
  'service resets': ofService({ fault: 'reset' }),
  '429 storm': ({ cardService }, strength) => cardService.storm(lastsMs(strength)),
  'the day is spent': ({ cardService }) => cardService.exhaustDay(),
  'gateway drops': ({ discord }) => discord.gateway.drop(4000),
  'gateway breaks': ({ discord }) => discord.gateway.drop(1006),
  'session is invalidated': ({ discord }) => discord.gateway.invalidate(true),
  'callback connection closes': ofDiscord('callback', 'close'),
  'callback answer is lost': ofDiscord('callback', 'lose answer'),
  'edit connection closes': ofDiscord('edit', 'close'),
  'edit answer is lost': ofDiscord('edit', 'lose answer'),
  'edit hangs': ofDiscord('edit', 'hang'),
  'edit is rate limited': ({ discord }, strength) =>
    discord.faults.script(rateLimited({ route: 'edit', retryAfterSeconds: 1 + strength, scope: 'shared' })),
  'card store is locked': withCards('BEGIN IMMEDIATE'),
  'card rows are damaged': withCards(`UPDATE cards SET value = '{"value":{"card":7}}' WHERE expires_at % 3 = 0`),
  'bot is killed': ({ bot }) => bot.restart('SIGKILL'),
  'bot is stopped': ({ bot }) => bot.restart('SIGTERM'),
};

/** At a time after the start, a command or a fault. */
type ChaosEvent = { atMs: number } & ({ typed: TypedCommand } | { fault: string; strength: number });

const COMMANDS_A_SECOND = 25;

/** The same seed gives the same schedule. @param isSoak with fewer faults, and with none that ends the bot */
export function chaosSchedule(seed: string, seconds: number, isSoak = false): ChaosEvent[] {
  const random = seededRandom(seed);
  const among = <T>(all: readonly T[]) => all[Math.floor(random() * all.length)] as T;
  const times = function* (meanMs: number, fromMs = 0) {
    for (let atMs = fromMs; atMs < seconds * 1_000; atMs += -meanMs * Math.log(1 - random())) yield atMs;
  };
  const guilds = DEFAULT_WORLD.guilds.map(({ id }) => id);
  const events: ChaosEvent[] = [];
  for (const atMs of times(1_000 / COMMANDS_A_SECOND)) {
    const memberId = among(DEFAULT_WORLD.members).id;
    // Squared: a few cards are looked up often, most rarely.
    const known = SAMPLE_CARDS[Math.floor(random() ** 2 * SAMPLE_CARDS.length)]?.id ?? '';
    const options = { id: random() < 0.1 ? 'nope-1' : known, private: random() < 0.2 };
    const usage = { command: 'usage', guildId: among(guilds), memberId, manageGuild: true };
    const card = { command: 'card', guildId: among([...guilds, null]), memberId, options };
    events.push({ atMs, typed: random() < 0.03 ? usage : card });
  }
  const meanMs = isSoak ? 3_000 : 500;
  const faults = Object.keys(FAULTS).filter((name) => !isSoak || !name.startsWith('bot '));
  for (const atMs of times(meanMs, meanMs)) events.push({ atMs, fault: among(faults), strength: random() });
  return events.sort((a, b) => a.atMs - b.atMs);
}

export function strike(fault: string, strength: number, world: ChaosWorld): void {
  void FAULTS[fault]?.(world, strength);
}
