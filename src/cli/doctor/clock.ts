import { httpDateMs } from '../../service/rate-limit-headers.ts';
import { inspect, isAnswer } from '../request.ts';
import { type Finding, right, unknown, wrong } from './finding.ts';

const CHECK = 'clock';
/** Times that members read are by the minute. */
const MOST_AHEAD_MS = 30_000;
const TIMEOUT_MS = 10_000;

/** This machine's clock against Discord's. Costs a request to Discord, which needs no token. */
export async function checkClock(apiUrl: string): Promise<Finding[]> {
  const url = new URL(`${apiUrl}/v10/gateway`);
  const answer = await inspect(url, { timeoutMs: TIMEOUT_MS });
  const dateMs = isAnswer(answer) ? httpDateMs(answer.headers.get('date') ?? '') : undefined;
  if (isAnswer(answer) && dateMs !== undefined) return [clockFinding(dateMs, answer.sentAtMs, answer.receivedAtMs)];
  return [unknown(CHECK, "Discord did not tell the time, so this machine's clock could not be compared with it.")];
}

/** @param dateMs what the other clock showed, in whole seconds, at some time between the two others */
export function clockFinding(dateMs: number, sentAtMs: number, receivedAtMs: number): Finding {
  const aheadMs = sentAtMs > dateMs + 1_000 ? sentAtMs - dateMs - 1_000 : Math.min(0, receivedAtMs - dateMs);
  if (Math.abs(aheadMs) <= MOST_AHEAD_MS) return right(CHECK);
  const seconds = Math.round(Math.abs(aheadMs) / 1000);
  const how = aheadMs > 0 ? 'fast' : 'slow';
  return wrong(
    CHECK,
    `This machine's clock is ${seconds} s ${how}, so members read wrong times. Turn on time synchronisation: timedatectl set-ntp true`,
  );
}
