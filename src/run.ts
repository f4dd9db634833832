import { globalAgent } from 'node:https';
import { flushCompileCache } from 'node:module';
import packageJson from '../package.json' with { type: 'json' };
import { type Config, readConfig, secretsOf } from './config/config.ts';
import { createLog, type Logger, reportDropped, standardOutput } from './log.ts';
import { OperatorError } from './model/errors.ts';
import { ended, openOutput } from './output.ts';
import { stopSignal } from './stop-signal.ts';

/** How long the end of the process waits for whoever reads its output. */
const LAST_LINES_MS = 1_000;
/** That wait included. */
const LONGEST_STOP_MS = 7_900;

/** Ends the process once everything is written, or nobody reads it. */
type Exit = (code: number, limitMs?: number) => Promise<never>;

/** Runs the bot until it is stopped or cannot continue, and ends the process. */
export async function runBot(): Promise<never> {
  const output = openOutput(1);
  const exit: Exit = async (code, limitMs = LAST_LINES_MS) => {
    await ended(output, limitMs);
    process.exit(code);
  };
  const config = await Promise.try(readConfig, process.env).catch((error: unknown) => fail(error, exit));
  const destination = await standardOutput(output);
  const log = createLog({ level: config.logLevel, secrets: secretsOf(config), destination });
  reportDropped(output, log);
  endAfterBugs(log, exit);
  if (globalAgent.options.proxyEnv) (await import('./discord/proxied-gateway.ts')).useProxyForGateway();
  // Loaded when the configuration is known to be valid: this takes most of a start.
  const [{ startApp }, { checkOffline, NAMES }] = await Promise.all([
    import('./app.ts'),
    import('./cli/offline-checks.ts'),
  ]);
  for (const { check, ok, cure } of checkOffline(process.env).findings)
    if (!ok) log.warn({ check, cure }, 'a setting or a file needs attention');
    else if (check === NAMES && config.cardService.description.names) log.info({ check }, cure);
  for (const [fields, text] of startLines(config)) log.info(fields, text);

  const signal = stopSignal();
  const app = await startApp(config, log, signal).catch((error: unknown) =>
    signal.aborted ? exit(0) : fail(error, exit, log),
  );
  const stopRequested = new Promise<undefined>((resolve) => {
    if (signal.aborted) resolve(undefined);
    signal.addEventListener('abort', () => resolve(undefined));
  });
  const reason = await Promise.race([
    stopRequested,
    // Replies are edited by interaction tokens, without the bot token: deferred replies can still be completed.
    app.refused.then((error) => {
      log.info('deferred replies are still completed');
      return Promise.race([stopRequested, app.repliesCompleted()]).then(() => error);
    }),
    new Promise((resolve) => {
      app.ready.then(flushCompileCache, (error: unknown) => resolve(signal.aborted ? undefined : error));
    }),
  ]);
  log.info({ signal: signal.aborted ? signal.reason.message : undefined }, 'stopping');
  const exitByMs = performance.now() + LONGEST_STOP_MS;
  await app.stop();
  if (reason !== undefined) return fail(reason, exit, log);
  log.info('stopped');
  return exit(0, Math.min(LAST_LINES_MS, exitByMs - performance.now()));
}

function endAfterBugs(log: Logger, exit: Exit): void {
  process.removeAllListeners('warning'); // Node's own listener writes to standard error, and blocks while nobody reads it
  process.on('warning', (err) => log.warn({ err }, 'warning of Node'));
  // The state of the program is unknown after these: it has to be restarted.
  for (const event of ['unhandledRejection', 'uncaughtException'] as const) {
    process.on(event, (err: unknown) => {
      log.fatal({ err }, event);
      void exit(1);
    });
  }
  // Node would exit with 0 when nothing is pending, although the bot was not asked to stop.
  process.once('beforeExit', () => {
    log.fatal('nothing keeps the bot running, although it was not asked to stop: it exits, to be restarted');
    void exit(1);
  });
}

async function fail(error: unknown, exit: Exit, log?: Logger): Promise<never> {
  if (log && !(error instanceof OperatorError)) log.fatal({ err: error }, 'cannot continue');
  else {
    const errors = openOutput(2);
    errors.write(`${error instanceof Error ? error.message : String(error)}\n`);
    await ended(errors, LAST_LINES_MS);
  }
  return exit(1);
}

/** What an operator checks first after a start: version, plan, and where state is. */
export function startLines({
  plan,
  dataDir,
  redis,
  cardService,
}: Pick<Config, 'plan' | 'dataDir' | 'redis' | 'cardService'>): [object, string][] {
  const { version } = packageJson;
  const { node } = process.versions;
  const name = plan.plan === 'auto' ? 'auto, as the card service says' : plan.plan;
  const isOwn = plan.requestsPerMinute !== undefined || plan.burst !== undefined;
  const host = redis && new URL(redis.url).host; // without the password
  const { description, baseUrl, isShipped } = cardService;
  const { name: service, ends } = description;
  const serviceHost = new URL(baseUrl).host;
  const lines: [object, string][] = [
    [{ version, node }, `cardbot ${version} on Node ${node}`],
    [plan, `plan: ${name}${isOwn ? ', with your own rate or burst' : ''}`],
  ];
  if (!isShipped)
    lines.push([{ service, serviceHost }, `card service: ${service} at ${serviceHost}, by your own description`]);
  if (redis) lines.push([{ redis: host, keyPrefix: redis.keyPrefix }, `state: Redis at ${host}`]);
  else lines.push([{ dataDir }, `state: files in ${dataDir}`]);
  if (ends) lines.push([{ ends }, `${service} ends on ${ends}: choose another card service before that`]);
  return lines;
}
