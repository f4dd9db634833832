import packageJson from '../package.json' with { type: 'json' };
import { startApp } from './app.ts';
import { checkOffline } from './cli/doctor/offline.ts';
import { ConfigError, readConfig, secretsOf } from './config/config.ts';
import { DiscordRefused } from './discord/gateway/login.ts';
import { startLines } from './log/start-lines.ts';
import { createLog, type Logger } from './log.ts';
import { HttpPortUnusable } from './operations/http-server.ts';
import { stopSignal } from './stop-signal.ts';
import { DatabaseInUse, DatabaseUnusable } from './storage/sqlite/database.ts';
import { DatabaseTooNew } from './storage/sqlite/schema-version.ts';
import { StateUnusable } from './storage/state.ts';

/** Errors whose message is a sentence for the operator, printed as it is; any other is logged with its stack. */
const EXPLAINED = [
  ConfigError,
  DatabaseInUse,
  DatabaseTooNew,
  DatabaseUnusable,
  DiscordRefused,
  HttpPortUnusable,
  StateUnusable,
];

async function main(): Promise<void> {
  const config = readConfig();
  const log = createLog({ level: config.logLevel, secrets: secretsOf(config) });
  for (const { check, ok, cure } of checkOffline(process.env).findings)
    if (!ok) log.warn({ check, cure }, 'a setting or a file needs attention');
  // The state of the program is unknown after these: it has to be restarted.
  for (const event of ['unhandledRejection', 'uncaughtException'] as const) {
    process.on(event, (err: unknown) => {
      log.fatal({ err }, event);
      process.exit(1);
    });
  }
  // Node would exit with 0 when nothing is pending, although the bot was not asked to stop.
  process.on('beforeExit', () => {
    log.fatal('nothing keeps the bot running, although it was not asked to stop: it exits, to be restarted');
    process.exit(1);
  });
  for (const [fields, text] of startLines({ ...config, version: packageJson.version, node: process.versions.node }))
    log.info(fields, text);
  const signal = stopSignal();
  const app = await startApp(config, log, signal).catch((error: unknown) => {
    return signal.aborted ? process.exit(0) : fail(error, log);
  });
  const stopRequested = new Promise<undefined>((resolve) => {
    if (signal.aborted) resolve(undefined);
    signal.addEventListener('abort', () => resolve(undefined));
  });
  const ended = await Promise.race([
    stopRequested,
    // Replies are edited by interaction tokens, without the bot token: deferred replies can still be completed.
    app.refused.then((error) => {
      log.error({ err: error }, 'cannot continue: deferred replies are still completed');
      return Promise.race([stopRequested, app.repliesCompleted()]).then(() => error);
    }),
    new Promise((resolve) => {
      app.ready.catch((error: unknown) => resolve(signal.aborted ? undefined : error));
    }),
  ]);
  log.info({ signal: signal.aborted ? signal.reason.message : undefined }, 'stopping');
  await app.stop();
  if (ended !== undefined) fail(ended, log);
  log.info('stopped');
  process.exit(0);
}

function fail(error: unknown, log?: Logger): never {
  const explained = EXPLAINED.some((kind) => error instanceof kind);
  if (log && !explained) log.fatal({ err: error }, 'cannot continue');
  else process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}

main().catch((error: unknown) => fail(error));
