import { Option } from 'commander';
import { readRegistrationConfig } from '../config/config.ts';
import { DiscordVariables, misspelledVariables } from '../config/variables.ts';
import { CliFailure, discordId, type Subcommand } from './context.ts';
import type { Action, Flags } from './registration.ts';

const HELP = `
Without --guild, this is about the global commands, which every server and every direct message shows.
DISCORD_TOKEN has to be set, in the environment or in .env; DISCORD_API_URL and USER_INSTALL_DAILY_REQUESTS may be.

Examples:
  npm run commands -- invite                               the links for a server's owner, and for a member
  npm run commands -- diff                                 what would change?
  npm run commands -- register                             change it
  npm run commands -- register --guild 81384788765712384   try the commands in one server first
  npm run commands -- clear --guild 81384788765712384      end the trial
  npm run -s commands -- list --json                       for a script

Exit codes: 0 done, or nothing differs · 2 something differs (diff only) · 1 failure`;

/** `npm run commands` */
export const subcommand: Subcommand = (command, context) => {
  const guild = new Option('--guild <id>', 'only the commands of this Discord server').argParser(discordId);
  const dryRun = new Option('--dry-run', 'only say what would be done');
  const yes = new Option('--yes', 'clear the global commands without being asked');
  const add = (action: Action, summary: string, ...options: Option[]) => {
    const declaration = command.command(action).description(summary).option('--json', 'print JSON, failures too');
    for (const option of options) declaration.addOption(option);
    declaration.action(async (flags: Flags) => {
      const config = readRegistrationConfig(context.env);
      for (const { name, meant } of misspelledVariables(context.env, DiscordVariables))
        context.stderr.write(`${name} is unknown. Did you mean ${meant}?\n`);
      // Loaded when the configuration is known to be valid: discord.js takes most of a run.
      const [{ perform }, { explainFailure }] = await Promise.all([
        import('./registration.ts'),
        import('../discord/registration.ts'),
      ]);
      await perform(action, flags, config, context).catch((error: unknown) => {
        const words = explainFailure(error, config.apiUrl, flags.guild);
        throw words ? new CliFailure(words, { cause: error }) : error;
      });
    });
  };
  add('list', 'show what is registered at Discord', guild);
  add('diff', 'name the commands that differ between this checkout and Discord; exits 2 when one does', guild);
  add('register', 'give Discord the commands of this checkout; sends nothing when nothing differs', guild, dryRun);
  add('clear', 'remove the slash commands from Discord', guild, dryRun, yes);
  add('invite', 'print the links that add the bot to a server, and to a member');
  command.addHelpText('after', HELP);
};
