import { readCardServiceConfig } from '../../config/config.ts';
import { redaction } from '../../log.ts';
import { cardUrl } from '../../service/card-service.ts';
import type { CliContext, Subcommand } from '../context.ts';
import { inspect, RunDeadline } from '../request.ts';
import { contractRows, isCard, type Observations } from './rows.ts';

const HELP = `
Asks a real card service, with the bot's settings (CARD_SERVICE_URL, CARD_SERVICE_API_KEY, CARD_SERVICE_CARD_PATH), and
prints a table for a report. Costs three of today's requests: a card, a card that does not exist (without the key), and the
usage report.

Exit codes: 0 the service answered with a card · 1 it did not`;

/** No service has a card of this id. */
const NO_CARD_ID = 'cardbot-contract-check-no-such-card';

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
  const lines = rows.map(([notShown, turnedOut]) => `| ${notShown} | ${turnedOut} |`);
  const table = ['| not shown | turned out |', '| --- | --- |', ...lines].join('\n');
  stdout.write(redaction([service.apiKey])(`${table}\n`));
  return isCard(observations.card) ? 0 : 1;
}

/** Costs three requests of the quota, or two without a key, one after the other. */
async function observe(service: ReturnType<typeof readCardServiceConfig>, cardId: string): Promise<Observations> {
  const { baseUrl, cardPath, apiKey } = service;
  const deadline = new RunDeadline();
  const ask = (url: URL, key: string | undefined) =>
    inspect(url, { apiKey: key, timeoutMs: deadline.leftMs(service.timeoutMs) });
  const lookup = (id: string) => {
    const url = cardUrl(baseUrl, cardPath, id);
    url.searchParams.set('includePrices', 'true');
    return url;
  };
  const card = await ask(lookup(cardId), apiKey);
  const noSuchCard = await ask(lookup(NO_CARD_ID), undefined);
  const usage = apiKey === undefined ? undefined : await ask(new URL(`${baseUrl}/v1/usage`), apiKey);
  return { card, noSuchCard, usage };
}
