import { Command, CommanderError, InvalidArgumentError } from 'commander';
import { misspelledVariables, type RegistrationConfig, readRegistrationConfig } from '../config/config.ts';
import { DiscordVariables } from '../config/variables.ts';
import { type Action, type CliContext, type Flags, performAction } from './actions.ts';
import { explainFailure } from './failure.ts';
import { Registration } from './registration.ts';

const SUMMARIES: Record<Action, string> = {
  list: 'show what is registered at Discord',
  diff: 'compare the commands of this checkout with Discord; exits 2 when something differs',
  register: 'make Discord hold the commands of this checkout; sends nothing when nothing differs',
  clear: 'take the slash commands away from Discord',
};

const HELP = `
Without --guild the command is about the global commands, which every server and every direct message shows.
DISCORD_TOKEN must be set, in the environment or in .env; DISCORD_API_URL may be.

Examples:
  npm run commands -- diff                                 what would change?
  npm run commands -- register                             change it
  npm run commands -- register --guild 81384788765712384   try the commands in one server first
  npm run commands -- clear --guild 81384788765712384      end the trial
  npm run commands -- list --json                          for a script

Exit codes: 0 done, or nothing differs · 2 something differs (diff only) · 1 failure`;

/** Runs the registration CLI; `args` without program and script. @returns the exit code: 0, 1, or 2 from `diff`. */
export async function runRegistrationCli(args: readonly string[], context: CliContext): Promise<number> {
  const { out, err } = context;
  let exitCode = 0;
  const program = new Command('npm run commands --')
    .description('Registers the slash commands of this bot at Discord.')
    .addHelpText('after', HELP)
    .configureOutput({ writeOut: out, writeErr: err })
    .showHelpAfterError('(--help shows what can be said)')
    .exitOverride();
  for (const [action, summary] of Object.entries(SUMMARIES) as [Action, string][]) {
    const command = program
      .command(action)
      .description(summary)
      .option('--guild <id>', 'only the commands of this Discord server', guildId)
      .option('--dry-run', 'only say what would be done')
      .option('--json', 'JSON on standard output, for programs')
      .action(async (flags: Flags) => {
        exitCode = await attempt(action, flags, context);
      });
    if (action === 'clear') command.option('--yes', 'clear the global commands without being asked');
  }
  try {
    await program.parseAsync(args, { from: 'user' });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 1;
    throw error;
  }
}

function guildId(text: string): string {
  if (/^\d{17,20}$/.test(text)) return text;
  throw new InvalidArgumentError('A server id has 17 to 20 digits: right-click the server in Discord, Copy Server ID.');
}

/** Runs one action, or prints why it failed. @returns the exit code */
async function attempt(action: Action, flags: Flags, context: CliContext): Promise<number> {
  const { commands, env, err } = context;
  let config: RegistrationConfig;
  try {
    config = readRegistrationConfig(env);
  } catch (error) {
    err(`${error instanceof Error ? error.message : error}\n`);
    return 1;
  }
  for (const { name, meant } of misspelledVariables(env, DiscordVariables))
    err(`${name} is unknown; ${meant} was probably meant.\n`);
  const registration = new Registration(config);
  let applicationId: string | undefined;
  const explain = (error: unknown) =>
    explainFailure(error, {
      guildId: flags.guild,
      apiUrl: config.apiUrl,
      applicationId,
      sentNames: commands.map(({ name }) => name),
    });
  try {
    const application = await registration.application();
    applicationId = application.id;
    return await performAction(action, flags, { ...context, registration, application, explain });
  } catch (error) {
    const words = explain(error);
    if (words === undefined) throw error;
    err(`${words}\n`);
    return 1;
  }
}
