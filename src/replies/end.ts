import type { Logger } from '../log.ts';
import type { Outcomes } from '../lookup/lookups.ts';
import { MAX_CARD_ID_LENGTH } from '../model/card-id.ts';
import type { CommandEvent, Events, Source } from '../model/events.ts';
import type { Asked, Invocation } from '../model/invocation.ts';

/** The facts of a `CommandEvent` that are not in the invocation. */
export type CommandEnd = Pick<CommandEvent, 'outcome'> &
  Partial<Pick<CommandEvent, 'card' | 'source' | 'waitMs' | 'shown' | 'asked' | 'err'>>;

/** How a command ended, for the log: `answered` when a card came, or none failed; otherwise the first error's name. */
export function endOf({ cards }: Pick<Outcomes, 'cards'>): CommandEnd {
  const shown = cards.filter((card) => card?.answer?.card).length;
  const failed = cards.find((card) => card?.error && !card.answer);
  const outcome = shown === 0 && failed?.error ? failed.error.name : 'answered';
  return { outcome, ...(cards.length > 1 && { shown, asked: cards.length }) };
}

/** Where what is shown comes from; `stale` when there is a copy among it that is not the newest. */
export function sourceOf(outcomes: Outcomes): Source {
  if (outcomes.requestedAtMs !== undefined) return 'service';
  if (outcomes.cards.some((card) => card?.answer && (card.isRenewing || card.error))) return 'stale';
  return endOf(outcomes).outcome === 'answered' ? 'cache' : 'bot';
}

/** @param invocation of a reply that shows cards, with what was asked for */
export function publishEnd(
  events: Events,
  invocation: Invocation & { asked?: Asked },
  { card, source = 'bot', waitMs = 0, ...end }: CommandEnd,
): void {
  const { command, requester, receivedAtMs, asked } = invocation;
  const { memberId, guildId } = requester;
  const tookMs = Date.now() - receivedAtMs;
  const about = forLog(asked && !asked.list ? cardsOf(asked) : card); // a pasted list stands in no log
  events.publish('command', { memberId, guildId, command, card: about, source, waitMs, tookMs, ...end });
}

function cardsOf({ queries, unclear, unsearched }: Asked): string {
  return [...queries.map(({ cardId }) => cardId), ...unclear.map(({ text }) => text), ...unsearched].join(', ');
}

/** Tells who listens which cards the member sees now. */
export function publishShown(
  events: Events,
  to: Invocation & { asked?: Asked },
  { cards }: Outcomes,
  isPrivate: boolean,
): void {
  if (to.asked?.list) return; // and in no history
  const cardIds = cards.flatMap((card) => card?.answer?.card?.id ?? []);
  events.publish('shown', { ...to.requester, cardIds, isPrivate });
}

/**
 * The text is cut to the length of an id and shown on one line without control characters, which a terminal would obey.
 */
function forLog(text = ''): string | undefined {
  const shown = text.replaceAll(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ').trim();
  return shown === '' ? undefined : Array.from(shown).slice(0, MAX_CARD_ID_LENGTH).join('');
}

/** Writes the one line that each command leaves in the log; log-terminal.ts makes a sentence of it. */
export function commandLogger(log: Logger): (ended: CommandEvent) => void {
  return ({ command, card, guildId: guild, memberId: member, err, ...end }) => {
    log[err === undefined ? 'info' : 'error']({ command, card, guild, member, ...end, err }, 'command');
  };
}
