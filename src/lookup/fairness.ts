/** A question's place in the line. The lower `member` goes first, then the lower `guild`. */
export interface Rank {
  member: number;
  guild: number;
}

/** Questions in line of one member, and of one Discord server. */
export interface Backlog {
  member: number;
  guild: number;
}

/** The rank that was served last while nobody had asked. */
export const FIRST_RANK: Rank = { member: 0, guild: 0 };

/**
 * Start-time fair queuing: a question ranks behind its asker's own that are in line and, when there are none, level
 * with the one that was served last. So a burst of one member, or of one Discord server, delays another's first
 * question by one turn at most, and is forgotten once it is served.
 */
export function rankFor(served: Rank, backlog: Backlog): Rank {
  return { member: served.member + backlog.member, guild: served.guild + backlog.guild };
}

/** The rank to go by after one more question had its turn. */
export function afterServing(served: Rank, rank: Rank): Rank {
  return { member: Math.max(served.member, rank.member), guild: Math.max(served.guild, rank.guild) };
}

export function compareRanks(a: Rank, b: Rank): number {
  return a.member - b.member || a.guild - b.guild;
}
