import { catalogOf, SAMPLE_CARDS, type ServiceCard } from '../../sandbox/sample-cards.ts';
import { jsonAnswer, type ReceivedRequest, type ServiceAnswer } from '../../sandbox/service/rules.ts';
import type { Spoken } from '../../sandbox/service/service.ts';
import { unlessMalformed } from '../../sandbox/transport.ts';
import { openDescription, plansIn } from '../../src/config/description.ts';
import { SERVICE_SHAPES, type ServiceShape } from './service-shapes.ts';

const BURST = 10;
/** The requests a day of a service that has no day: more than anybody sends. */
const NO_DAY = Number.MAX_SAFE_INTEGER;

/** The sandbox with a service that a description ships for: its limits, the invented cards with ids of its form, and the bot's variables. */
export function sandboxAs(name: string) {
  const shape = SERVICE_SHAPES[name];
  const opened = openDescription(name);
  if (!shape || 'faults' in opened) throw new Error(`There is no shape of ${name}.`);
  const { requestsPerDay = NO_DAY, requestsPerMinute = 0 } = Object.values(plansIn(opened.description))[0] ?? {};
  const cards = SAMPLE_CARDS.map((card, at) => ({ ...card, id: shape.id(card, at) }));
  return {
    shape,
    service: { spoken: spokenAs(shape), cards, requestsPerDay, requestsPerMinute, burst: BURST },
    catalog: catalogOf(cards),
    env: { CARD_SERVICE: name, ...(!shape.refused && { CARD_SERVICE_API_KEY: undefined }) },
  };
}

/** Requests and answers as that service writes them. */
function spokenAs(shape: ServiceShape): (received: ReceivedRequest) => Spoken {
  return (received) => {
    const { method, path } = received;
    const one = method === 'GET' ? shape.one.exec(path)?.slice(1) : undefined;
    const ids = one ? [one.map(decodeURIComponent).join(':')] : listedIn(received, shape);
    const asked = one ? `/cards/${encodeURIComponent(ids[0] ?? '')}?` : `/cards?ids=${ids.join(',')}&`;
    // Services without keys look at none.
    const authorization = shape.refused && (received.authorization ?? '');
    return {
      request: { method: 'GET', path: ids.length > 0 ? `${asked}includePrices=true` : '/nothing', authorization },
      cardIds: ids,
      written: (answer) => inShape(answer, ids, shape),
    };
  };
}

function listedIn({ path, body = '' }: ReceivedRequest, { several }: ServiceShape) {
  const match = several?.exec(path);
  if (!match) return [];
  const listed =
    match[1]?.split(',') ??
    unlessMalformed(() => identifiersIn(JSON.parse(body)).map(({ id, tcgplayerId = id }) => tcgplayerId));
  return Array.isArray(listed) ? listed : [];
}

type Identifier = { id: string; tcgplayerId?: string };

function identifiersIn(body: Identifier[] | { identifiers: Identifier[] }) {
  return 'identifiers' in body ? body.identifiers : body;
}

/** The answer of the embedded service as that service would write it. */
function inShape(outcome: ServiceAnswer, ids: readonly string[], shape: ServiceShape) {
  const { status, headers: all } = outcome;
  const {
    'x-ratelimit-limit': limit = '',
    'x-ratelimit-remaining': remaining = '',
    'x-ratelimit-reset': reset,
    ...rest
  } = all;
  const { 'retry-after': retryAfter, ...withoutWait } = rest;
  const figures = shape.figures?.({ limit, remaining, resetSeconds: Number(reset) });
  const headers = { ...(status === 429 && shape.isWaitInBodyAlone ? withoutWait : rest), ...figures };
  const inBody = shape.bodyFigures?.({ limit, remaining });
  const answer = (inIt: number, body: unknown) => ({
    ...outcome,
    ...jsonAnswer(inIt, inBody ? { ...(body as object), ...inBody } : body),
    headers,
  });
  if (status === 429) return answer(429, shape.limited(Number(retryAfter)));
  if (status === 404) return answer(shape.missing.status, shape.missing.body);
  if (status === 401) return answer(401, shape.refused ?? {});
  if (status !== 200) return { ...outcome, headers };
  const found = JSON.parse(String(outcome.body)) as ServiceCard | ServiceCard[];
  if (!Array.isArray(found)) return answer(200, (shape.alone ?? Object)(shape.card(found)));
  const missing = ids.filter((id) => !found.some((card) => card.id === id));
  const listed = shape.list?.(found.map(shape.card), missing);
  return listed ? answer(200, listed) : answer(shape.missing.status, shape.missing.body);
}
