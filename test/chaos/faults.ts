import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { ListeningCardService } from '../../sandbox/card-service.ts';
import type { EmulatedDiscord } from '../../sandbox/discord/emulated-discord.ts';
import type { ScriptedFault } from '../../sandbox/discord/faults.ts';
import { rateLimited } from '../support/fault-forms.ts';
import type { ChaosRedis } from './chaos-redis.ts';

/** What faults act on. */
export interface ChaosWorld {
  discord: EmulatedDiscord;
  cardService: ListeningCardService;
  /** Where a bot without Redis keeps its files. */
  dataDir: string;
  /** Only with several bots. */
  redis?: ChaosRedis | undefined;
  /** Ends a bot and starts it again; `strength` from 0 up to 1 selects it. Resolves when it is connected. */
  restartBot(signal: 'SIGKILL' | 'SIGTERM', strength: number): Promise<void>;
}

type Fault = (world: ChaosWorld, strength: number) => void | Promise<void>;

const LONGEST_MS = 1_500;

/** Keeps a fault active for a while without delaying the schedule. */
function forAWhile(strength: number, begin: () => void, end: () => void): void {
  begin();
  setTimeout(end, 100 + strength * LONGEST_MS);
}

function times(strength: number): number {
  return 1 + Math.floor(strength * 3);
}

/** The messages are those about watched prices. */
function toEditsAndMessages({ faults }: EmulatedDiscord, fault: Omit<ScriptedFault, 'route'>): void {
  faults.script({ route: 'edit', ...fault }, { route: 'message', ...fault });
}

const FAULTS = {
  'service slow': ({ cardService }, strength) =>
    forAWhile(
      strength,
      () => cardService.set({ latencyMs: 50 + strength * 400 }),
      () => cardService.set({ latencyMs: 0 }),
    ),
  'service down': ({ cardService }, strength) =>
    forAWhile(
      strength,
      () => cardService.set({ down: true }),
      () => cardService.set({ down: false }),
    ),
  'service hangs': ({ cardService }) => cardService.script({ fault: 'hang' }),
  'service stalls': ({ cardService }) => cardService.script({ fault: 'stall', body: '{"id":' }),
  'service resets': ({ cardService }, strength) => cardService.script({ fault: 'reset', times: times(strength) }),
  'service sends 2 MB': ({ cardService }) => cardService.script({ body: 'x'.repeat(2_000_000), gzip: true }),
  'service redirects': ({ cardService }) =>
    cardService.script({ status: 302, headers: { location: 'http://127.0.0.1:9/' }, body: '' }),
  '429 storm': ({ cardService }, strength) => cardService.storm(100 + strength * LONGEST_MS),
  'the day is spent': ({ cardService }) => cardService.exhaustDay(),
  'gateway drops': ({ discord }) => discord.gateway.drop(4000),
  'gateway breaks': ({ discord }) => discord.gateway.drop(1006),
  'gateway asks to reconnect': ({ discord }) => discord.gateway.requestReconnect(),
  'callback connection closes': ({ discord }, strength) =>
    discord.faults.script({ route: 'callback', answer: 'close', times: times(strength) }),
  'callback answer is lost': ({ discord }) => discord.faults.script({ route: 'callback', answer: 'lose answer' }),
  'edit fails with 500': ({ discord }, strength) =>
    toEditsAndMessages(discord, { answer: { status: 500 }, times: times(strength) * 4 }),
  'edit connection closes': ({ discord }, strength) =>
    toEditsAndMessages(discord, { answer: 'close', times: times(strength) }),
  'edit answer is lost': ({ discord }) => toEditsAndMessages(discord, { answer: 'lose answer' }),
  'callback hangs': ({ discord }) => discord.faults.script({ route: 'callback', answer: 'hang' }),
  'edit is rate limited': ({ discord }, strength) =>
    discord.faults.script(rateLimited({ route: 'edit', retryAfterSeconds: 1 + strength, scope: 'shared' })),
  'edit hangs': ({ discord }) => discord.faults.script({ route: 'edit', answer: 'hang' }),
  'session is invalidated': ({ discord }) => discord.gateway.invalidate(true),
  'card store is locked': ({ dataDir }, strength) => {
    const other = new DatabaseSync(join(dataDir, 'cards.sqlite'), { timeout: 0 });
    try {
      other.exec('BEGIN IMMEDIATE');
    } catch {
      return other.close(); // the bot is writing
    }
    setTimeout(() => other.close(), 100 + strength * LONGEST_MS);
  },
  'card rows are damaged': ({ dataDir }) => {
    const other = new DatabaseSync(join(dataDir, 'cards.sqlite'), { timeout: 0 });
    try {
      other.exec(`UPDATE cards SET value = '{"value":{"card":7}}' WHERE expires_at % 3 = 0`);
    } catch {
      // Locked by the bot: skipped.
    }
    other.close();
  },
  'bot is killed': (world, strength) => world.restartBot('SIGKILL', strength),
  'bot is stopped': (world, strength) => world.restartBot('SIGTERM', strength),
  'redis is killed': ({ redis }, strength) => redis?.crash(strength * LONGEST_MS),
  'redis hangs': ({ redis }, strength) => redis?.hang(100 + strength * 2 * LONGEST_MS),
  'redis fails over, connections end': ({ redis }) => redis?.failOver('dropped'),
  'redis fails over, connections stay': ({ redis }) => redis?.failOver('kept'),
} as const satisfies Record<string, Fault>;

export type FaultName = keyof typeof FAULTS;
const ALL_NAMES = Object.keys(FAULTS) as FaultName[];

/** For a single bot on files. */
export const FAULT_NAMES: readonly FaultName[] = ALL_NAMES.filter((name) => !name.startsWith('redis'));
/** For several bots over one Redis: faults that concern only them are more frequent. */
export const REDIS_FAULT_NAMES: readonly FaultName[] = [
  ...ALL_NAMES.filter((name) => !name.startsWith('card ')),
  'bot is killed',
  'redis is killed',
  'redis hangs',
];

export function applyFault(name: FaultName, world: ChaosWorld, strength: number): void | Promise<void> {
  return FAULTS[name](world, strength);
}
