import type { Card } from '../../model/card.ts';
import { UnexpectedAnswer } from '../../model/errors.ts';
import { type Answer, ownMember, Source } from '../../model/field-source.ts';
import type { ServiceDescription } from '../../model/service-description.ts';
import { publicUrl } from '../../render/card-embed.ts';
import { CardReader } from '../../service/described-card.ts';
import { readRateLimit } from '../../service/rate-limit-headers.ts';
import type { ServiceResponse } from '../../service/request.ts';
import { type Finding, right, unknown } from './finding.ts';

const LONGEST_SHOWN = 100;

/** In place of what every card needs, so that each field is read by itself. */
const ANY = new Source('=any');

/** What the bot makes of each source of a description in the answer to the lookup of a card, and which of its paths led there. */
export function fieldFindings(description: ServiceDescription, response: ServiceResponse): Finding[] {
  const { fields, prices, quota, none } = description;
  const { body, headers, sentAtMs, receivedAtMs } = response;
  const [value] = [new CardReader(description).foundIn(body)].flat();
  const cardBy = (some: Partial<ServiceDescription>) => {
    const card = new CardReader({ ...description, game: undefined, prices: undefined, ...some }).read(value);
    return card instanceof UnexpectedAnswer ? undefined : card;
  };
  const pricesBy = (some: object) => prices && cardBy({ currency: undefined, prices: { ...prices, ...some } })?.prices;
  const { rows = [], ...figures } = prices ?? {};
  const row = rows.find((path) => pricesBy({ rows: [path] })?.market !== undefined);
  const ofRows = rows.flatMap((path) => [...path.valuesIn(value)]);
  const within = ` in ${row?.text ?? rows.map(({ text }) => text).join(', ')}`;
  return [
    ...findings('fields', fields, {
      read: (some) => shownOf(cardBy({ fields: { id: ANY, name: ANY, ...some } })),
      answers: [{ value, none }],
    }),
    ...findings('prices', figures, {
      read: pricesBy,
      answers: ofRows.map((each) => ({ value: each, none })),
      within,
    }),
    ...quota.flatMap(({ per, ...window }) =>
      findings(`quota.${per}`, window, {
        read: (some) => {
          const { resetInMs, ...read } = readRateLimit(response, { ...window, ...some }, sentAtMs, receivedAtMs);
          return { ...read, reset: resetInMs === undefined ? undefined : `in ${Math.round(resetInMs / 1000)} s` };
        },
        answers: [{ value: body, headers }],
      }),
    ),
  ];
}

/** What is shown of a card, by the names that descriptions have for it. */
function shownOf(card: Card | undefined) {
  const { imageUrl, pageUrl, game, set } = card ?? {};
  const addresses = { imageUrl: publicUrl(imageUrl), pageUrl: publicUrl(pageUrl) };
  return { ...card, ...addresses, tcg: game, 'set.id': set?.id, 'set.name': set?.name };
}

type Sources = Readonly<Record<string, Source | undefined>>;

interface Read {
  /** What the bot reads where these sources stand in place of the description's. */
  read(some: Sources): unknown;
  /** What the sources are read from. */
  answers: readonly Answer[];
  /** Where that is a part of another. */
  within?: string;
}

function findings(place: string, sources: Sources, { read, answers, within = '' }: Read): Finding[] {
  return Object.entries(sources).flatMap(([name, source]) => {
    if (source === undefined) return [];
    const readBy = (only: Source) => ownMember(read({ [name]: only }), name);
    const from = (texts: string) => `${texts || 'the value itself'}${within}`;
    const value = readBy(source);
    const all = from(source.texts.join(', '));
    if (value === undefined) {
      const there = answers.map((answer) => source.textIn(answer)).find((text) => text !== undefined);
      const why = there === undefined ? `nothing at ${all}` : `the bot cannot use ${printed(there)}, from ${all}`;
      return unknown(`${place}.${name}`, why);
    }
    const path = source.texts.find((text) => readBy(new Source(text)) !== undefined);
    return right(`${place}.${name}`, `${printed(value)}, from ${path === undefined ? all : from(path)}`);
  });
}

function printed(value: unknown): string {
  return String(value)
    .replace(/\p{Cc}/gu, ' ')
    .slice(0, LONGEST_SHOWN);
}
