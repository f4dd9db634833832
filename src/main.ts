import { startApp } from './app.ts';
import { ConfigError, misspelledVariables, readConfig, secretsOf } from './config/config.ts';
import { DiscordRefused } from './discord/gateway/login.ts';
import { createLog, type Logger } from './log.ts';
import { stopSignal } from './stop-signal.ts';
import { DatabaseInUse, DatabaseUnusable } from './storage/sqlite/database.ts';

/** Errors whose message is a sentence for the operator; any other is logged with its stack. */
const EXPLAINED = [ConfigError, DatabaseInUse, DatabaseUnusable, DiscordRefused];

async function main(): Promise<void> {
  const config = readConfig();
  const log = createLog({ level: config.logLevel, secrets: secretsOf(config) });
  for (const slip of misspelledVariables()) log.warn(slip, 'unknown variable: another one was probably meant');
  // The state of the program is unknown then: start anew.
  for (const event of ['unhandledRejection', 'uncaughtException'] as const) {
    process.on(event, (err: unknown) => {
      log.fatal({ err }, event);
      process.exit(1);
    });
  }
  // Node would end with 0 when nothing is left to wait for; who is meant to run for ever has failed then.
  process.on('beforeExit', () => {
    log.fatal('nothing is left to do, and nobody said to stop');
    process.exit(1);
  });
  const signal = stopSignal();
  const app = await startApp(config, log, signal).catch((error: unknown) => {
    return signal.aborted ? process.exit(0) : fail(error, log);
  });
  const told = new Promise<undefined>((resolve) => {
    if (signal.aborted) resolve(undefined);
    signal.addEventListener('abort', () => resolve(undefined));
  });
  const ended = await Promise.race([
    told,
    // Replies are edited by tokens of their own, so what is owed can still be paid.
    app.shutOut.then((error) => {
      log.error({ err: error }, 'shut out by discord: what is owed is still paid');
      return Promise.race([told, app.paid()]).then(() => error);
    }),
    new Promise((resolve) => {
      app.ready.catch((error: unknown) => resolve(signal.aborted ? undefined : error));
    }),
  ]);
  log.info('stopping');
  await app.stop();
  if (ended !== undefined) fail(ended, log);
  log.info('stopped');
  process.exit(0);
}

function fail(error: unknown, log?: Logger): never {
  const explained = EXPLAINED.some((kind) => error instanceof kind);
  if (log && !explained) log.fatal({ err: error }, 'cannot go on');
  else process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}

main().catch((error: unknown) => fail(error));
