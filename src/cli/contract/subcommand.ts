import { readCardServiceConfig } from '../../config/config.ts';
import { redaction } from '../../log.ts';
import type { CliContext, Subcommand } from '../context.ts';
import { observe } from './observed.ts';
import { contractRows, isCard } from './rows.ts';

const HELP = `
Asks a real card service, with the bot's settings (CARD_SERVICE_URL, CARD_SERVICE_API_KEY, CARD_SERVICE_CARD_PATH), and
prints a table for a report. Costs three of today's requests: a card, a card that does not exist (without the key), and the
usage report.

Exit codes: 0 the service answered with a card · 1 it did not`;

/** `npm run contract` */
export const subcommand: Subcommand = (command, context, run) => {
  command.option('--id <id>', 'a card that exists', 'base1-4').addHelpText('after', HELP);
  command.action(run(({ id }: { id: string }) => report(id, context)));
};

/** @returns the exit code @throws ConfigError */
async function report(cardId: string, { env, stdout, stderr }: CliContext): Promise<number> {
  const service = readCardServiceConfig(env);
  stderr.write(`This costs ${service.apiKey === undefined ? 'two' : 'three'} of today's requests.\n`);
  const observations = await observe(service, cardId);
  const rows = contractRows(observations, service.cardPath);
  const lines = rows.map(({ notShown, turnedOut }) => `| ${notShown} | ${turnedOut} |`);
  const table = ['| not shown | turned out |', '| --- | --- |', ...lines].join('\n');
  stdout.write(redaction([service.apiKey])(`${table}\n`));
  return isCard(observations.card) ? 0 : 1;
}
