import type { ChatMessage } from '../../src/sandbox/discord/chat.ts';
import type { TypedInteraction } from '../../src/sandbox/discord/typed-interaction.ts';
import { finalAnswers, isFinal as isFinalAnswer } from '../support/final-answers.ts';
import type { Gap } from './bots.ts';
import type { Outage } from './chaos-redis.ts';

/**
 * How a question ended for the member. `not reached`: Discord gave up before any bot could take it, because none was
 * alive or connected in those 3 s. `gone with both`: it was owed by a process that ended, and Redis did not have it, or
 * had forgotten it before anybody could take over; nobody can promise that. `lost` is what must never be: acknowledged,
 * and then nothing; or not acknowledged by a bot that was there. `twice` neither: two final answers.
 */
export type Ending = 'card' | 'sentence' | 'not reached' | 'gone with both' | 'lost' | 'twice';

/** What happened around a question. */
export interface Troubles {
  /** Of the process of its shard. */
  gaps: readonly Gap[];
  /** Of any process: a debt that was taken over can be lost again. */
  allGaps: readonly Gap[];
  outages: readonly Outage[];
}

const LONGEST_FIRST_ANSWER_MS = 3_000;
/** Back within 2 s, and written down again with the next beat, a second later. */
const REWRITE_MS = 4_000;
/** A death is known after 5 s, and looked for every few seconds. */
const TAKEOVER_MS = 15_000;

export function endingOf(typed: TypedInteraction, troubles: Troubles): Ending {
  const { message } = typed;
  if (message.state === 'answered' && isFinalAnswer(message)) {
    if (isTwice(typed)) return 'twice';
    return message.embeds.length > 0 ? 'card' : 'sentence';
  }
  const untilMs = message.typedAtMs + LONGEST_FIRST_ANSWER_MS;
  const wasAway = troubles.gaps.some((gap) => gap.fromMs < untilMs && gap.toMs > message.typedAtMs);
  if (message.messageId === undefined && wasAway) return 'not reached';
  return isGoneWithBoth(message, troubles) ? 'gone with both' : 'lost';
}

/** Nothing more will come. */
export function isFinal(message: ChatMessage): boolean {
  return message.state === 'failed' || isFinalAnswer(message);
}

/** What was deferred has one answer; a reply at once may be corrected, also more than once. */
function isTwice(typed: TypedInteraction): boolean {
  const { followUps = [] } = typed.message;
  const deferred = typed.history.some(({ state }) => state === 'thinking');
  return followUps.length > 0 || (deferred && finalAnswers(typed) > 1);
}

function isGoneWithBoth({ typedAtMs }: ChatMessage, { gaps, allGaps, outages }: Troubles): boolean {
  const ended = gaps.some(({ fromMs }) => fromMs >= typedAtMs);
  if (!ended) return false; // its process has it in memory still
  const deathsMs = allGaps.map(({ fromMs }) => fromMs).filter((atMs) => atMs >= typedAtMs);
  return deathsMs.some((deathMs) => outages.some((outage) => tookItAway(outage, typedAtMs, deathMs)));
}

function tookItAway({ fromMs, toMs, emptied }: Outage, typedAtMs: number, deathMs: number): boolean {
  const notWrittenAgain = fromMs < deathMs && deathMs < toMs + REWRITE_MS;
  const neverWritten = toMs > typedAtMs && fromMs < typedAtMs + LONGEST_FIRST_ANSWER_MS;
  if (notWrittenAgain && (emptied || neverWritten)) return true;
  return emptied && deathMs <= fromMs && fromMs < deathMs + TAKEOVER_MS;
}
