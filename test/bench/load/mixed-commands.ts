import type { TypedCommand } from '../../../src/sandbox/discord/chat.ts';
import { SAMPLE_CARDS } from '../../../src/sandbox/sample-cards.ts';

const UNKNOWN_IDS = 500;
/** Ids that must be encoded in a URL or that are unreadable. */
const UNUSUAL_IDS = ['../v1/usage', '..', '%2e%2e%2f', 'a/b?c#d', '🃏'.repeat(50), '\u202Eelbisrever'];

/** The most rows in the card store; "no such card" is stored, too. */
export const MOST_CARDS = SAMPLE_CARDS.length + UNKNOWN_IDS + UNUSUAL_IDS.length;

/** A random command: mostly existing cards, some unknown, some nonsense; every tenth is from the first member. */
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
        ? pick(UNUSUAL_IDS)
        : pick(SAMPLE_CARDS)?.id;
  return {
    command: 'card',
    options: { id: id ?? '', private: random() < 0.2, prices: random() < 0.8 },
    memberId,
    guildId,
  };
}
