import type { TypedCommand } from '../../../src/sandbox/discord/chat.ts';
import { SAMPLE_CARDS } from '../../../src/sandbox/sample-cards.ts';

const UNKNOWN_IDS = 500;
/** Ids that should never reach a URL as they are, or that nobody can read. */
const STRANGE_IDS = ['../v1/usage', '..', '%2e%2e%2f', 'a/b?c#d', '🃏'.repeat(50), '\u202Eelbisrever'];

/** Cards that can come to be known: no such card is an answer, too. */
export const MOST_CARDS = SAMPLE_CARDS.length + UNKNOWN_IDS + STRANGE_IDS.length;

/** What one of many members types: mostly known cards, some unknown, some nonsense; every tenth comes from the first member. */
export function mixedCommand(
  random: () => number,
  members: readonly { id: string }[],
  guilds: readonly { id: string }[],
): TypedCommand {
  const pick = <T>(from: readonly T[]): T | undefined => from[Math.floor(random() * from.length)];
  const memberId = (random() < 0.1 ? members[0] : pick(members))?.id ?? '';
  const guildId = pick([...guilds, undefined])?.id ?? null;
  const kind = random();
  if (kind < 0.03) return { command: 'usage', memberId, guildId: guilds[0]?.id ?? null, manageGuild: true };
  const id =
    kind < 0.15
      ? `unknown-${Math.floor(random() * UNKNOWN_IDS)}`
      : kind < 0.2
        ? pick(STRANGE_IDS)
        : pick(SAMPLE_CARDS)?.id;
  return {
    command: 'card',
    options: { id: id ?? '', private: random() < 0.2, prices: random() < 0.8 },
    memberId,
    guildId,
  };
}
