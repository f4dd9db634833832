import { RateLimited, ServiceDown, UnexpectedAnswer } from '../../model/errors.ts';
import {
  type ListAnswer,
  type ListingAddress,
  listAnswer,
  listRequest,
  listsOthers,
} from '../../service/listing-format.ts';
import { type RequestOptions, request, type ServiceResponse } from '../../service/request.ts';
import { type Finding, right, unknown, wrong } from './finding.ts';

const CHECK = 'bulk requests';
const CHECK_PATH = 'Check CARD_SERVICE_BULK_PATH, or remove it.';

/**
 * Whether cards are listed at `CARD_SERVICE_BULK_PATH`. Costs one request of the quota.
 *
 * @param card the one that was looked up before, and whether there is one
 */
export async function checkBulk(
  { baseUrl, bulkPath, apiKey, timeoutMs }: ListingAddress & Pick<RequestOptions, 'apiKey' | 'timeoutMs'>,
  card: { id: string; exists: boolean },
): Promise<Finding> {
  const { url, json } = listRequest({ baseUrl, bulkPath }, [card.id]);
  try {
    return bulkFinding(await request(url, { apiKey, timeoutMs, limiter: { observe() {} } }, { json }), card);
  } catch (error) {
    return failureFinding(error);
  }
}

/** What the answer to a list of one card says of the path. */
export function bulkFinding(
  response: Pick<ServiceResponse, 'status' | 'headers' | 'body' | 'receivedAtMs'>,
  { id, exists }: { id: string; exists: boolean },
): Finding {
  try {
    return answerFinding(listAnswer(response, [id]), listsOthers(response.body, [id]), { id, exists });
  } catch (error) {
    return failureFinding(error);
  }
}

function failureFinding(error: unknown): Finding {
  if (error instanceof UnexpectedAnswer) return wrong(CHECK, `It answers with ${error.detail}. ${CHECK_PATH}`);
  if (error instanceof RateLimited) return unknown(CHECK, 'It asks to wait (status 429). Try again later.');
  if (error instanceof ServiceDown) return unknown(CHECK, `The list failed (${error.reason}). Try again later.`);
  throw error;
}

function answerFinding(answer: ListAnswer, hasOthers: boolean, { id, exists }: { id: string; exists: boolean }) {
  if (answer.kind === 'keyRefused') return wrong(CHECK, `It does not accept the key there. ${CHECK_PATH}`);
  if (answer.kind === 'listed' && hasOthers)
    return wrong(CHECK, `It lists cards that it was not asked for: the path may name the ids wrongly. ${CHECK_PATH}`);
  if (answer.kind === 'listed' && answer.cards.size > 0) return right(CHECK, 'it lists the card');
  if (!exists && (answer.kind === 'listed' || answer.kind === 'tooMany'))
    return unknown(CHECK, `It has no card ${id}, so whether it lists cards could not be found out.`);
  const what = answer.kind === 'listed' ? 'no card, though it has the one that it was asked for' : answer.detail;
  return wrong(CHECK, `It answers with ${what}. ${CHECK_PATH}`);
}
