import { SAMPLE_CATALOG } from '../../sandbox/sample-cards.ts';
import { SAMPLE_MEMBERS } from '../../sandbox/sample-members.ts';
import { type Sandbox, startSandbox } from '../../sandbox/sandbox.ts';
import { CatalogDatabase } from '../../src/catalog/database.ts';
import { createLog } from '../../src/log.ts';
import { PATIENT } from '../support/backends.ts';
import { hosts } from '../support/hosts.ts';
import { bookEarlierToday, requestsEarlier } from './earlier-today.ts';
import type { Scene, Shot } from './shot.ts';

/** An evening, far enough from midnight and from the next hour. */
export const BEGIN_MS = Date.parse('2026-11-21T18:20:00Z');
const STEP_MS = 20_000;
const TICK_MS = 50;
/** Of this process, bot and servers included. It stands still, or time is simulated and passes by itself. */
interface Clock {
  setSystemTime(ms: number): void | Promise<void>;
  passes?: true;
}

/** Who looks at a scene. */
interface Spectator {
  /** The bot is connected. @returns what ends the looking */
  begin?(sandbox: Sandbox): Promise<() => Promise<void>>;
  /** Time has come to the next reply. */
  jumped?(): Promise<void>;
  take(shot: Shot, words: string): Promise<void> | void;
}

/**
 * Plays a scene with a bot in this process. Time stands still for the bot and its servers, and jumps before the next reply,
 * so that the same is said at any speed.
 */
export async function play({ options, isLively, shots }: Scene, clock: Clock, spectator: Spectator): Promise<void> {
  await clock.setSystemTime(BEGIN_MS);
  const log = createLog({ level: 'silent', secrets: [] });
  const sandbox = await startSandbox({
    log,
    catalog: SAMPLE_CATALOG,
    ...options,
    discord: { lifetimes: PATIENT, members: SAMPLE_MEMBERS, ...options?.discord },
    service: { usedToday: isLively ? requestsEarlier(Date.now()) : 0, ...options?.service },
    env: { PRICE_CURRENCY: 'USD', ...options?.env },
    ...(clock.passes && { hosts }),
  });
  if (isLively) {
    bookEarlierToday(sandbox);
    confirmCatalog(sandbox);
  }
  let end: (() => Promise<void>) | undefined;
  try {
    await sandbox.startBot();
    end = await spectator.begin?.(sandbox);
    for (const [at, shot] of shots.entries()) {
      if (shot.time !== 'stands') await clock.setSystemTime(Math.max(Date.now(), BEGIN_MS + at * STEP_MS));
      await spectator.jumped?.();
      const pass = () => clock.setSystemTime(Date.now() + TICK_MS);
      const passing = shot.time === 'passes' && !clock.passes ? setInterval(pass, TICK_MS) : undefined;
      await shot.before?.(sandbox);
      const words = await shot.show(sandbox);
      clearInterval(passing);
      await spectator.take(shot, words);
    }
  } finally {
    await end?.();
    await sandbox.stop();
  }
}

/** As if the service had answered with every card of the catalog; then names are told from ids. */
function confirmCatalog({ config }: Sandbox): void {
  const database = CatalogDatabase.open(config.dataDir, createLog({ level: 'silent', secrets: [] }));
  database.upsert(SAMPLE_CATALOG, undefined);
  database.close();
}
