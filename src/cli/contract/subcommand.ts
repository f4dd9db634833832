import { readCardServiceConfig } from '../../config/config.ts';
import { redaction } from '../../log.ts';
import { UnexpectedAnswer } from '../../model/errors.ts';
import { cardUrl } from '../../service/address.ts';
import { CardAnswer, ErrorBody, read } from '../../service/answers.ts';
import type { ServiceResponse } from '../../service/request.ts';
import type { CliContext, Subcommand } from '../context.ts';
import { inspect, isAnswer, type NoAnswer, RunDeadline } from '../request.ts';

const HELP = `
Asks a real card service, with the bot's settings (CARD_SERVICE_URL, CARD_SERVICE_API_KEY, CARD_SERVICE_CARD_PATH), and
prints what it answered as a table for a report. Costs three of today's requests: a card, a card that does not exist
(without the key), and the usage report.

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
  const cardService = readCardServiceConfig(env);
  const { baseUrl, description, apiKey, timeoutMs } = cardService;
  stderr.write(`This costs ${apiKey === undefined ? 'two' : 'three'} of today's requests.\n`);
  const deadline = new RunDeadline();
  const ask = (url: URL, key: string | undefined) =>
    inspect(url, { ...cardService, apiKey: key, timeoutMs: deadline.leftMs(timeoutMs) });
  const card = await ask(cardUrl(baseUrl, description, cardId), apiKey);
  const noSuchCard = await ask(cardUrl(baseUrl, description, NO_CARD_ID), undefined);
  const usage = apiKey === undefined ? undefined : await ask(new URL(`${baseUrl}/v1/usage`), apiKey);
  const rows = [
    ['', `card \`${cardId}\``, 'a card that does not exist, without the key', 'usage report'],
    ['---', '---', '---', '---'],
    ...Object.entries(FACTS).map(([name, fact]) => [
      name,
      ...[card, noSuchCard, usage].map((answer) => factOf(answer, fact)),
    ]),
  ];
  stdout.write(redaction([apiKey])(rows.map((row) => `| ${row.join(' | ')} |\n`).join('')));
  const isCard = isAnswer(card) && card.status < 300 && !(read(CardAnswer, card.body) instanceof UnexpectedAnswer);
  return isCard ? 0 : 1;
}

/** What is read off an answer; an empty text where it has no such thing. */
const FACTS: Readonly<Record<string, (answer: ServiceResponse) => string>> = {
  status: ({ status }) => String(status),
  'error `_tag`': ({ body }) => code(ErrorBody.safeParse(body).data?._tag.slice(0, 60)),
  fields: ({ body }) => names(body),
  'fields of `prices`': ({ body }) => names(Object(body).prices),
  'fields of `requests`': ({ body }) => names(Object(body).requests),
  ...Object.fromEntries(
    ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset', 'Retry-After', 'Date'].map((header) => [
      header,
      ({ headers }: ServiceResponse) => code(headers.get(header)),
    ]),
  ),
};

function factOf(answer: ServiceResponse | NoAnswer | undefined, fact: (answer: ServiceResponse) => string): string {
  if (answer === undefined) return 'not asked: there is no key';
  return isAnswer(answer) ? fact(answer) : answer.failure;
}

function names(value: unknown): string {
  return Object.keys(Object(value)).map(code).join(', ');
}

/** Text of the service, for a cell of a Markdown table. */
function code(text: string | null | undefined): string {
  return text ? `\`${text.replace(/[`|\n\r]/g, ' ')}\`` : '';
}
