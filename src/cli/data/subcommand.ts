import { existsSync } from 'node:fs';
import { InvalidArgumentError } from 'commander';
import { readStorageConfig, secretsOf } from '../../config/config.ts';
import { createLog } from '../../log.ts';
import { type CliContext, CliFailure, type Subcommand } from '../context.ts';
import { forgetInFiles } from './forget-in-files.ts';

const HELP = `
An id is what Discord copies: right-click a member or the name of a server, Copy User ID or Copy Server ID.

Needs only DATA_DIR and, if the bot uses it, REDIS_URL, in the environment or in .env. Without REDIS_URL the bot must be
stopped. With it, run this once on each machine that has a DATA_DIR; the bots can keep running.

Exit codes: 0 nothing is left · 1 failure`;

/** `npm run data` */
export const subcommand: Subcommand = (command, context, run) => {
  command
    .addHelpText('after', HELP)
    .command('forget')
    .description('delete everything that is kept about a member or a server, also in copies')
    .argument('<id>', 'of the member or the server', checkedId)
    .action(run((id: string) => forget(id, context)));
};

function checkedId(text: string): string {
  if (/^\d{17,20}$/.test(text)) return text;
  throw new InvalidArgumentError('The id of a member or a server has 17 to 20 digits.');
}

/** @returns the exit code @throws ConfigError, CliFailure */
async function forget(id: string, { env, stdout, stderr }: CliContext): Promise<number> {
  const { dataDir, redis } = readStorageConfig(env);
  if (redis) {
    const { forgetInRedis } = await import('../../storage/redis/forget.ts');
    const log = createLog({ level: 'error', secrets: secretsOf({ redis }), destination: stderr });
    const why = await forgetInRedis(redis, id, log);
    if (why !== undefined) {
      throw new CliFailure(`Redis cannot be cleaned now (${why}). Check REDIS_URL, and run this again.`);
    }
    stdout.write(`Redis holds nothing about ${id} any more.\n`);
  }
  if (redis && !existsSync(dataDir)) {
    stdout.write(`There is no folder ${dataDir}: run this on each machine that has a DATA_DIR, too.\n`);
    return 0;
  }
  forgetInFiles(dataDir, id);
  stdout.write(`No file in ${dataDir} holds anything about ${id} any more.\n`);
  return 0;
}
