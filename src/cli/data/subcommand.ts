import { existsSync } from 'node:fs';
import { InvalidArgumentError } from 'commander';
import { readStorageConfig, secretsOf } from '../../config/config.ts';
import { createLog } from '../../log.ts';
import { type CliContext, CliFailure, type Subcommand } from '../context.ts';
import { forgetInFiles } from './forget-in-files.ts';

const HELP = `
Needs only DATA_DIR and, if the bot uses it, REDIS_URL, in the environment or in .env. Without REDIS_URL the bot must be
stopped. With it, run this once on each machine that has a DATA_DIR; the bots can keep running.

Exit codes: 0 nothing is left · 1 failure`;

/** `npm run data` */
export const subcommand: Subcommand = (command, context, run) => {
  command.addHelpText('after', HELP);
  const forgets = (name: string, whose: 'member' | 'server', what: string, copyId: string) =>
    command
      .command(name)
      .description(`delete everything that is kept about a ${whose}, ${what}also in copies`)
      .argument(`<${whose}-id>`, `${copyId}, Copy ${whose === 'member' ? 'User' : 'Server'} ID`, idOf(whose))
      .action(run((id: string) => forget(id, whose, context)));
  forgets('forget', 'member', '', 'right-click the member in Discord');
  forgets('forget-server', 'server', 'its settings included, ', "right-click the server's name in Discord");
};

function idOf(whose: string): (text: string) => string {
  return (text) => {
    if (/^\d{17,20}$/.test(text)) return text;
    throw new InvalidArgumentError(`A ${whose} id has 17 to 20 digits.`);
  };
}

/** @returns the exit code @throws ConfigError, CliFailure */
async function forget(id: string, whose: string, { env, stdout, stderr }: CliContext): Promise<number> {
  const { dataDir, redis } = readStorageConfig(env);
  if (redis) {
    const { forgetInRedis } = await import('../../storage/redis/forget.ts');
    const log = createLog({ level: 'error', secrets: secretsOf({ redis }), destination: stderr });
    const why = await forgetInRedis(redis, id, log);
    if (why !== undefined) {
      throw new CliFailure(`Redis cannot be cleaned now (${why}). Check REDIS_URL, and run this again.`);
    }
    stdout.write(`Redis holds nothing about this ${whose} any more.\n`);
  }
  if (redis && !existsSync(dataDir)) {
    stdout.write(`There is no folder ${dataDir}: run this on each machine that has a DATA_DIR, too.\n`);
    return 0;
  }
  const cleaned = forgetInFiles(dataDir, id);
  for (const file of cleaned) stdout.write(`${file}: cleaned\n`);
  stdout.write(`No file in ${dataDir} holds the id of this ${whose}.\n`);
  return 0;
}
