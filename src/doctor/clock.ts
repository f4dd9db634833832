import { httpDateMs } from '../service/rate-limit-headers.ts';
import { type Finding, right, wrong } from './finding.ts';

const CHECK = 'clock';
/** Times that members read are by the minute. */
const MOST_AHEAD_MS = 30_000;
const PATIENCE_MS = 10_000;

/** This machine's clock against Discord's. Costs a request to Discord, which needs no token. */
export async function checkClock(apiUrl: string): Promise<Finding[]> {
  const sentAtMs = Date.now();
  try {
    const response = await fetch(`${apiUrl}/v10/gateway`, { signal: AbortSignal.timeout(PATIENCE_MS) });
    const receivedAtMs = Date.now();
    await response.arrayBuffer();
    const date = httpDateMs(response.headers.get('date') ?? '');
    return date === undefined ? [] : [clockFinding(date, sentAtMs, receivedAtMs)];
  } catch {
    return []; // another check says that Discord cannot be reached
  }
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
