import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { ListeningCardService } from '../../sandbox/card-service.ts';
import type { CardServiceSwitches } from '../../sandbox/card-service-controls.ts';
import type { EmulatedDiscord } from '../../sandbox/discord/emulated-discord.ts';
import type { ScriptedFault } from '../../sandbox/discord/faults.ts';
import type { DictatedAnswer } from '../../sandbox/service-script.ts';
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
