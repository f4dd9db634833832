import { Command, CommanderError, InvalidArgumentError } from 'commander';
import { misspelledVariables, type RegistrationConfig, readRegistrationConfig } from '../config/config.ts';
import { DiscordVariables } from '../config/variables.ts';
import { type Action, type CliContext, type Flags, NotConfirmed, performAction } from './actions.ts';
import { explainFailure } from './failure.ts';
import { Registration } from './registration.ts';

interface ActionHelp {
  summary: string;
  options: readonly (keyof typeof OPTIONS)[];
}

const OPTIONS = {
  guild: ['--guild <id>', 'only the commands of this Discord server'],
  dryRun: ['--dry-run', 'only say what would be done'],
  yes: ['--yes', 'clear the global commands without being asked'],
  json: ['--json', 'print JSON, failures too'],
} as const;

const ACTIONS: Record<Action, ActionHelp> = {
  list: { summary: 'show what is registered at Discord', options: ['guild', 'json'] },
  diff: {
    summary: 'compare the commands of this checkout with Discord; exits 2 when something differs',
    options: ['guild', 'json'],
  },
  register: {
    summary: 'give Discord the commands of this checkout; sends nothing when nothing differs',
    options: ['guild', 'dryRun', 'json'],
  },
  clear: { summary: 'remove the slash commands from Discord', options: ['guild', 'dryRun', 'yes', 'json'] },
  invite: { summary: 'print the link that adds the bot to a server', options: ['json'] },
};

const HELP = `
Without --guild, this is about the global commands, which every server and every direct message shows.
DISCORD_TOKEN has to be set, in the environment or in .env; DISCORD_API_URL may be.

Examples:
  npm run commands -- invite                               the link for a server's owner
  npm run commands -- diff                                 what would change?
  npm run commands -- register                             change it
  npm run commands -- register --guild 81384788765712384   try the commands in one server first
  npm run commands -- clear --guild 81384788765712384      end the trial
  npm run commands -- list --json                          for a script

Exit codes: 0 done, or nothing differs · 2 something differs (diff only) · 1 failure`;

/** Runs the registration CLI; `args` without program and script. @returns the exit code: 0, 1, or 2 from `diff`. */
export async function runRegistrationCli(args: readonly string[], context: CliContext): Promise<number> {
  const { out, err } = context;
  const wantsJson = args.includes('--json');
  let exitCode = 0;
  let complaint = '';
  const program = new Command('npm run commands --')
    .description('Registers the slash commands of this bot at Discord.')
    .addHelpText('after', HELP)
    .configureOutput({
      writeOut: out,
      writeErr: (text) => {
        complaint += text;
      },
    })
    .showHelpAfterError('(see --help)')
    .exitOverride();
  for (const [action, { summary, options }] of Object.entries(ACTIONS) as [Action, ActionHelp][]) {
    const command = program.command(action).description(summary);
    for (const name of options) {
      const [flags, description] = OPTIONS[name];
      if (name === 'guild') command.option(flags, description, guildId);
      else command.option(flags, description);
    }
    command.action(async (flags: Flags) => {
      exitCode = await attempt(action, flags, context);
    });
  }
  try {
    await program.parseAsync(args, { from: 'user' });
    return exitCode;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return 0;
    if (wantsJson) out(failureJson(complaint.trim()));
    else err(complaint);
    return 1;
  }
}

/** A failure for programs, on standard output like any other result. */
function failureJson(error: string): string {
  return `${JSON.stringify({ error }, null, 2)}\n`;
}

function guildId(text: string): string {
  if (/^\d{17,20}$/.test(text)) return text;
  throw new InvalidArgumentError('A server id has 17 to 20 digits: right-click the server in Discord, Copy Server ID.');
}

/** Runs one action, or prints why it failed. @returns the exit code */
async function attempt(action: Action, flags: Flags, context: CliContext): Promise<number> {
  const { commands, env, out, err } = context;
  const fail = (message: string) => {
    if (flags.json) out(failureJson(message));
    else err(`${message}\n`);
    return 1;
  };
  let config: RegistrationConfig;
  try {
    config = readRegistrationConfig(env);
  } catch (error) {
    return fail(error instanceof Error ? error.message : String(error));
  }
  for (const { name, meant } of misspelledVariables(env, DiscordVariables))
    err(`${name} is unknown. Did you mean ${meant}?\n`);
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
    const words = error instanceof NotConfirmed ? error.message : explain(error);
    if (words === undefined) throw error;
    return fail(words);
  }
}
