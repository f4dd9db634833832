import { type Asker, guildKey } from '../asker.ts';

/** A question's place in the line. The lower `member` goes first, then the lower `guild`. */
export interface Rank {
  member: number;
  guild: number;
}

export function compareRanks(a: Rank, b: Rank): number {
  return a.member - b.member || a.guild - b.guild;
}

/** Above this many members or servers with a rank, those whose turn has come are forgotten. */
const SWEEP_SIZE = 1_000;

/**
 * Start-time fair queuing: everybody's next question ranks behind their own last one and, when they have none waiting,
 * level with the one whose turn came last. So a burst of one member, or of one Discord server, delays another's
 * first question by one turn at most.
 */
export class FairRanks {
  readonly #members = new Map<string, number>();
  readonly #guilds = new Map<string, number>();
  #now: Rank = { member: 0, guild: 0 };

  /** The rank that a question of this asker would have now; nothing is kept of it. */
  peek(asker: Asker): Rank {
    return {
      member: Math.max(this.#now.member, this.#members.get(asker.memberId) ?? 0),
      guild: Math.max(this.#now.guild, this.#guilds.get(guildKey(asker)) ?? 0),
    };
  }

  /** Ranks one more question of this asker. */
  take(asker: Asker): Rank {
    const rank = this.peek(asker);
    this.#members.set(asker.memberId, rank.member + 1);
    this.#guilds.set(guildKey(asker), rank.guild + 1);
    return rank;
  }

  /** A question of this rank had its turn. */
  served(rank: Rank): void {
    this.#now = {
      member: Math.max(this.#now.member, rank.member),
      guild: Math.max(this.#now.guild, rank.guild),
    };
    forgetPast(this.#members, this.#now.member);
    forgetPast(this.#guilds, this.#now.guild);
  }
}

function forgetPast(next: Map<string, number>, now: number): void {
  if (next.size < SWEEP_SIZE) return;
  for (const [key, rank] of next) if (rank <= now) next.delete(key);
}
