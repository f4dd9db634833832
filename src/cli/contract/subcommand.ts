import { BOT_VERSION } from '../../config/card-service.ts';
import { readCardServiceConfig } from '../../config/config.ts';
import { redaction } from '../../log.ts';
import { HEADER, Source } from '../../model/field-source.ts';
import type { ServiceDescription } from '../../model/service-description.ts';
import { cardUrl, endpoint } from '../../service/address.ts';
import { ErrorBody, isAbsent } from '../../service/answers.ts';
import type { ServiceResponse } from '../../service/request.ts';
import { DEFAULT_ID, madeUpId } from '../card-to-try.ts';
import { type CliContext, CliFailure, type Subcommand } from '../context.ts';
import { answerFinding } from '../doctor/card-service-checks.ts';
import { fieldFindings } from '../doctor/described-fields.ts';
import { inspect, isAnswer, type NoAnswer, RunDeadline } from '../request.ts';

const HELP = `
Asks a real card service, with the bot's settings (CARD_SERVICE and the variables that begin so), and prints what it
answered as a table for a report, and the row to send in for docs/verified.md. Costs two or three of today's requests: a
card, a card that does not exist, and the usage report where there is one.

Exit codes: 0 the service answered with a card · 1 it did not`;

/** `npm run contract` */
export const subcommand: Subcommand = (command, context, run) => {
  command.option('--id <id>', `a card that exists; ${DEFAULT_ID} without CARD_SERVICE`).addHelpText('after', HELP);
  command.action(run(({ id }: { id?: string }) => report(id, context)));
};

/** @returns the exit code @throws ConfigError, and CliFailure without a card */
async function report(given: string | undefined, { env, stdout, stderr }: CliContext): Promise<number> {
  const cardService = readCardServiceConfig(env);
  const { baseUrl, description, apiKey, secrets, timeoutMs } = cardService;
  const { isDefault, card: described, quota } = description;
  const cardId = given ?? (isDefault ? DEFAULT_ID : undefined);
  if (cardId === undefined) throw new CliFailure(`Name a card that ${description.name} has: --id ID`);
  const usagePath = apiKey === undefined ? undefined : description.usage?.path;
  stderr.write(`This costs ${usagePath === undefined ? 'two' : 'three'} of today's requests.\n`);
  const deadline = new RunDeadline();
  const ask = (url: URL, key: string | undefined) =>
    inspect(url, { ...cardService, apiKey: key, timeoutMs: deadline.leftMs(timeoutMs) });
  const card = await ask(cardUrl(baseUrl, description, cardId), apiKey);
  const noSuchCard = await ask(cardUrl(baseUrl, description, madeUpId(described)), isDefault ? undefined : apiKey);
  const usage = usagePath === undefined ? undefined : await ask(endpoint(baseUrl, usagePath), apiKey);
  const rows = [
    ['', `card \`${cardId}\``, `a card that does not exist${isDefault ? ', without the key' : ''}`, 'usage report'],
    ['---', '---', '---', '---'],
    ...Object.entries({ ...FACTS, ...headerFacts(quota) }).map(([name, fact]) => [
      name,
      ...[card, noSuchCard, usage].map((answer) => factOf(answer, fact)),
    ]),
  ];
  const isCard = isAnswer(card) && !isAbsent(card, description) && answerFinding(card, cardService, cardId).ok === true;
  const absent = isCard ? fieldFindings(description, card).flatMap(({ check, ok }) => (ok ? [] : [check])) : [];
  const isNoCard = isAnswer(noSuchCard) && isAbsent(noSuchCard, description);
  const what = [isCard && 'a card', isNoCard && 'no such card'].filter(Boolean).join(', ');
  const lacking = absent.length > 0 ? `; nothing at ${absent.join(', ')}` : '';
  const today = new Date().toISOString().slice(0, 10);
  const row = [description.name, what + lacking, BOT_VERSION, today, ''];
  stdout.write(redaction([apiKey, ...secrets])(`${rows.map(tableRow).join('')}\n${tableRow(row)}`));
  return isCard ? 0 : 1;
}

function tableRow(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |\n`;
}

/** What is read off an answer; an empty text where it has no such thing. */
const FACTS: Readonly<Record<string, (answer: ServiceResponse) => string>> = {
  status: ({ status }) => String(status),
  'error `_tag`': ({ body }) => code(ErrorBody.safeParse(body).data?._tag.slice(0, 60)),
  fields: ({ body }) => names(body),
  'fields of `prices`': ({ body }) => names(Object(body).prices),
  'fields of `requests`': ({ body }) => names(Object(body).requests),
};

/** Those that state the figures of a window, and those of any answer. */
function headerFacts(quota: ServiceDescription['quota']): typeof FACTS {
  const texts = quota.flatMap((window) =>
    Object.values(window).flatMap((each) => (each instanceof Source ? each.texts : [])),
  );
  const stated = texts.filter((text) => text.startsWith(HEADER)).map((text) => text.slice(HEADER.length));
  const names = [...stated, 'Retry-After', 'Date'];
  return Object.fromEntries(names.map((name) => [name, ({ headers }) => code(headers.get(name))]));
}

function factOf(answer: ServiceResponse | NoAnswer | undefined, fact: (answer: ServiceResponse) => string): string {
  if (answer === undefined) return 'not asked: there is no key, or no such report';
  return isAnswer(answer) ? fact(answer) : answer.failure;
}

function names(value: unknown): string {
  return Object.keys(Object(value)).map(code).join(', ');
}

/** Text of the service, for a cell of a Markdown table. */
function code(text: string | null | undefined): string {
  return text ? `\`${text.replace(/[`|\n\r]/g, ' ')}\`` : '';
}
