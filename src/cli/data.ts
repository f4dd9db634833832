import { statSync } from 'node:fs';
import { readStorageConfig } from '../config/config.ts';
import { forgetInFiles } from '../storage/sqlite/forget.ts';
import { type CliContext, CliFailure, discordId, type Subcommand } from './context.ts';

const HELP = `
An id is what Discord copies: right-click a member or the name of a server, Copy User ID or Copy Server ID.

Needs only DATA_DIR and, if the bot uses it, REDIS_URL, in the environment or in .env. Without REDIS_URL the bot must be
stopped. With it, run this once on each machine that has a DATA_DIR; the bots can keep running.

Exit codes: 0 nothing is left · 1 failure`;

/** `npm run data` */
export const subcommand: Subcommand = (command, context) => {
  command
    .addHelpText('after', HELP)
    .command('forget')
    .description('delete everything that is kept about a member or a server, also in copies')
    .argument('<id>', 'of the member or the server', discordId)
    .action((id) => forget(id, context));
};

/** @throws ConfigError, CliFailure, StateUnusable */
async function forget(id: string, { env, stdout }: CliContext): Promise<void> {
  const { dataDir, redis } = readStorageConfig(env);
  const isThere = statSync(dataDir, { throwIfNoEntry: false })?.isDirectory();
  if (redis) {
    const { forgetInRedis } = await import('../storage/redis/forget.ts');
    await forgetInRedis(redis, id);
    stdout.write(`Redis holds nothing about ${id} any more.\n`);
  } else if (!isThere) throw new CliFailure(`There is no folder ${dataDir}. Set DATA_DIR to the bot's.`);
  if (isThere) forgetInFiles(dataDir, id);
  stdout.write(
    isThere
      ? `No file in ${dataDir} holds anything about ${id} any more.\n`
      : `There is no folder ${dataDir}: run this on each machine that has a DATA_DIR, too.\n`,
  );
}
