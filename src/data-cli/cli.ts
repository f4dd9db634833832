import { existsSync } from 'node:fs';
import { Command, CommanderError, InvalidArgumentError } from 'commander';
import { ConfigError, type Environment, readStorageConfig, redisSecretsOf } from '../config/config.ts';
import { createLog } from '../log.ts';
import { forgetInFiles, NotForgotten } from './forget-in-files.ts';

/** Everything outside the CLI that it uses. */
export interface CliContext {
  environment: Environment;
  out: (text: string) => void;
  err: (text: string) => void;
}

const HELP = `
Needs only DATA_DIR and, if the bot uses it, REDIS_URL, in the environment or in .env. Without REDIS_URL the bot must be
stopped. With it, run this once on each machine that has a DATA_DIR; the bots can keep running.

Exit codes: 0 nothing about the member is left · 1 failure`;

/** Runs `npm run data`; `args` without program and script. @returns the exit code */
export async function runDataCli(args: readonly string[], context: CliContext): Promise<number> {
  const { out, err } = context;
  const program = new Command('npm run data --')
    .description("Manages members' data.")
    .addHelpText('after', HELP)
    .configureOutput({ writeOut: out, writeErr: err })
    .showHelpAfterError('(see --help)')
    .exitOverride();
  program
    .command('forget')
    .description('delete everything that is kept about a member, also in copies')
    .argument('<member-id>', 'right-click the member in Discord, Copy User ID', memberId)
    .action((id: string) => forget(id, context));
  try {
    await program.parseAsync(args, { from: 'user' });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 1;
    if (!(error instanceof ConfigError || error instanceof NotForgotten)) throw error;
    err(`${error.message}\n`);
    return 1;
  }
}

function memberId(text: string): string {
  if (/^\d{17,20}$/.test(text)) return text;
  throw new InvalidArgumentError('A member id has 17 to 20 digits.');
}

/** @throws ConfigError, NotForgotten */
async function forget(id: string, { environment, out, err }: CliContext): Promise<void> {
  const { dataDir, redis } = readStorageConfig(environment);
  if (redis) {
    const { forgetInRedis } = await import('../storage/redis/forget-in-redis.ts');
    const log = createLog({ level: 'error', secrets: redisSecretsOf({ redis }), destination: { write: err } });
    const why = await forgetInRedis(redis, id, log);
    if (why !== undefined) {
      throw new NotForgotten(`Redis cannot be cleaned now (${why}). Check REDIS_URL, and run this again.`);
    }
    out('Redis holds nothing about this member any more.\n');
  }
  if (redis && !existsSync(dataDir)) {
    out(`There is no folder ${dataDir}: run this on each machine that has a DATA_DIR, too.\n`);
    return;
  }
  const cleaned = forgetInFiles(dataDir, id);
  for (const file of cleaned) out(`${file}: cleaned\n`);
  out(`No file in ${dataDir} holds the id of this member.\n`);
}
