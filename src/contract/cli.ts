import { Command, CommanderError } from 'commander';
import { ConfigError, type Environment, readCardServiceConfig } from '../config/config.ts';
import { redaction } from '../log.ts';
import { observe } from './observed.ts';
import { contractRows, isCard } from './rows.ts';

/** Everything outside the CLI that it uses. */
export interface CliContext {
  environment: Environment;
  out: (text: string) => void;
  err: (text: string) => void;
}

const HELP = `
Asks a real card service, with the bot's settings (CARD_SERVICE_URL, CARD_SERVICE_API_KEY, CARD_SERVICE_CARD_PATH), and
prints a table for a report. Costs three of today's requests: a card, a card that does not exist (without the key), and the
usage report.

Exit codes: 0 the service answered with a card · 1 it did not`;

/** Runs `npm run contract`; `args` without program and script. @returns the exit code */
export async function runContractCli(args: readonly string[], context: CliContext): Promise<number> {
  const { environment, out, err } = context;
  const program = new Command('npm run contract --')
    .description('Finds out what the documentation of the card service leaves open.')
    .option('--id <id>', 'a card that exists', 'base1-4')
    .addHelpText('after', HELP)
    .configureOutput({ writeOut: out, writeErr: err })
    .exitOverride();
  try {
    program.parse(args, { from: 'user' });
    const service = readCardServiceConfig(environment);
    err(`This costs ${service.apiKey === undefined ? 'two' : 'three'} of today's requests.\n`);
    const observations = await observe(service, program.opts<{ id: string }>().id);
    const rows = contractRows(observations, service.cardPath);
    const lines = rows.map(({ notShown, turnedOut }) => `| ${notShown} | ${turnedOut} |`);
    const table = ['| not shown | turned out |', '| --- | --- |', ...lines].join('\n');
    out(redaction([service.apiKey])(`${table}\n`));
    return isCard(observations.card) ? 0 : 1;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 1;
    if (!(error instanceof ConfigError)) throw error;
    err(`${error.message}\n`);
    return 1;
  }
}
