import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { ListeningCardService } from '../../sandbox/card-service.ts';
import type { EmulatedDiscord } from '../../sandbox/discord/emulated-discord.ts';
import { rateLimited } from '../support/fault-forms.ts';
import type { Bot } from './bot.ts';

/** What faults act on. */
export interface ChaosWorld {
  discord: EmulatedDiscord;
  cardService: ListeningCardService;
  bot: Bot;
  /** Where the bot keeps its files. */
  dataDir: string;
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
    discord.faults.script({ route: 'edit', answer: { status: 500 }, times: times(strength) * 4 }),
  'edit connection closes': ({ discord }, strength) =>
    discord.faults.script({ route: 'edit', answer: 'close', times: times(strength) }),
  'edit answer is lost': ({ discord }) => discord.faults.script({ route: 'edit', answer: 'lose answer' }),
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
  'bot is killed': ({ bot }) => bot.restart('SIGKILL'),
  'bot is stopped': ({ bot }) => bot.restart('SIGTERM'),
} as const satisfies Record<string, Fault>;

export type FaultName = keyof typeof FAULTS;
export const FAULT_NAMES = Object.keys(FAULTS) as readonly FaultName[];

export function applyFault(name: FaultName, world: ChaosWorld, strength: number): void | Promise<void> {
  return FAULTS[name](world, strength);
}
