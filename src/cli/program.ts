import { Command, CommanderError, Help } from 'commander';
import { OperatorError } from '../model/errors.ts';
import type { CliContext } from './context.ts';

/** Each is loaded when it is called: discord.js alone takes half a second and more memory than an import may. */
const SUBCOMMANDS = {
  catalog: {
    summary: 'Gives the bot cards that members can find by name.',
    load: () => import('./catalog/subcommand.ts'),
  },
  commands: {
    summary: 'Registers the slash commands of this bot at Discord.',
    load: () => import('./commands.ts'),
  },
  data: { summary: "Manages members' data.", load: () => import('./data.ts') },
  doctor: {
    summary: 'Checks everything that an operator can get wrong, and says what to do.',
    load: () => import('./doctor.ts'),
  },
};

/**
 * Runs a subcommand, such as `catalog import cards.csv`. With `--json` a failure is JSON on standard output, like any
 * other result.
 *
 * @param args without program and script
 * @returns the exit code; 1 for every failure
 */
export async function runCli(args: readonly string[], outside: CliContext): Promise<number> {
  const context = { ...outside, exitCode: 0 };
  const { stdout, stderr } = context;
  let complaint = '';
  const program = new Command('npm run')
    .description('What operators do with the bot besides running it.')
    // The command as it is typed: npm wants `--` before what it passes on.
    .configureHelp({ commandUsage: (command) => new Help().commandUsage(command).replace(/^npm run [a-z]+/, '$& --') })
    .configureOutput({
      writeOut: (text) => stdout.write(text),
      writeErr: (text) => {
        complaint += text;
      },
    })
    .showHelpAfterError('(see --help)')
    .exitOverride();
  for (const [name, { summary, load }] of Object.entries(SUBCOMMANDS)) {
    const command = program.command(name).description(summary);
    if (name === args[0]) (await load()).subcommand(command, context);
  }
  try {
    await program.parseAsync(args, { from: 'user' });
    return context.exitCode;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return 0;
    if (error instanceof OperatorError) complaint = error.message;
    else if (!(error instanceof CommanderError)) throw error;
    if (args.includes('--json')) stdout.write(`${JSON.stringify({ error: complaint.trim() }, null, 2)}\n`);
    else stderr.write(`${complaint.trimEnd()}\n`);
    return 1;
  }
}
