import { type Answer, Source } from '../../model/field-source.ts';
import type { ServiceDescription } from '../../model/service-description.ts';
import { CardReader } from '../../service/described-card.ts';
import type { ServiceResponse } from '../../service/request.ts';
import { type Finding, right, unknown } from './finding.ts';

const LONGEST_SHOWN = 100;

/** What each field of a description became in the answer to the lookup of a card, and which of its paths led there. */
export function fieldFindings(
  description: ServiceDescription,
  { body, headers }: Pick<ServiceResponse, 'body' | 'headers'>,
): Finding[] {
  const { fields, prices, quota, none } = description;
  const [card] = [new CardReader(description).foundIn(body)].flat();
  const { rows = [], ...figures } = prices ?? {};
  const found = rows.flatMap((path) => [...path.valuesIn(card)].map((value) => ({ value, none, row: path.text })));
  const priced = found.find((row) => prices?.market.textIn(row) !== undefined);
  const within = ` in ${priced?.row ?? rows.map(({ text }) => text).join(', ')}`;
  return [
    ...findings('fields', fields, { value: card, none }),
    ...findings('prices', figures, { value: priced?.value, none }, within),
    ...quota.flatMap(({ per, ...window }) => findings(`quota.${per}`, window, { value: body, headers })),
  ];
}

/** @param within where the answer is a part of another, for its reader */
function findings(
  place: string,
  sources: Readonly<Record<string, Source | undefined>>,
  answer: Answer,
  within = '',
): Finding[] {
  return Object.entries(sources).flatMap(([name, source]) => {
    if (source === undefined) return [];
    const path = source.texts.find((text) => new Source(text).textIn(answer) !== undefined);
    const from = (texts: string) => `${texts || 'the value itself'}${within}`;
    if (path === undefined) return unknown(`${place}.${name}`, `nothing at ${from(source.texts.join(', '))}`);
    const text = source
      .textIn(answer)
      ?.replace(/\p{Cc}/gu, ' ')
      .slice(0, LONGEST_SHOWN);
    return right(`${place}.${name}`, `${text}, from ${from(path)}`);
  });
}
