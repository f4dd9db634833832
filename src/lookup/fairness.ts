import { guildKey, type Requester } from '../model/requester.ts';

/** A place in the fair order. The lower `member` goes first, then the lower `guild`. */
export interface Rank {
  member: number;
  guild: number;
}

/** Who waits for a card, and the rank of that. */
export interface Standing {
  requester: Requester;
  rank: Rank;
}

/** The cards in line, each with all who wait for it, whoever asked first. */
export type Line = Iterable<readonly Standing[]>;

/** The rank that was served last while nobody had asked. */
export const FIRST_RANK: Rank = { member: 0, guild: 0 };

/** Of who waits, and is owed no turn. */
export const NO_RANK: Rank = { member: Number.POSITIVE_INFINITY, guild: Number.POSITIVE_INFINITY };

/**
 * Start-time fair queuing in rounds: a question ranks behind all that its asker waits for and, when there is nothing,
 * level with the one that was served last; within that round likewise behind what their Discord server waits for. No two
 * cards of one member are in the same round, so that a burst delays another's first question by one turn at most, with
 * friends who join it, too; and it is forgotten once it is served.
 */
export function rankFor(requester: Requester, served: Rank, line: Line): Rank {
  const { own, server } = backlogOf(requester, line);
  return freeRank(served, { member: own.cards, guild: server.cards }, own.ranks, server.ranks);
}

/** Of a question whose turn was in vain: not behind its asker's others, unless they stand where it stood. */
export function rankAgain({ requester, rank }: Standing, served: Rank, line: Line): Rank {
  const { own, server } = backlogOf(requester, line);
  return freeRank(later(rank, served), FIRST_RANK, own.ranks, server.ranks);
}

/** The later of two; so also the rank to go by after one more question had its turn. */
export function later(a: Rank, b: Rank): Rank {
  return compareRanks(a, b) < 0 ? b : a;
}

export function compareRanks(a: Rank, b: Rank): number {
  if (a.member !== b.member) return a.member < b.member ? -1 : 1;
  if (a.guild !== b.guild) return a.guild < b.guild ? -1 : 1;
  return 0;
}

/** What somebody waits for: so many cards, and the rank of each. */
interface Backlog {
  cards: number;
  ranks: Rank[];
}

function backlogOf(requester: Requester, line: Line): { own: Backlog; server: Backlog } {
  const key = guildKey(requester);
  const own: Backlog = { cards: 0, ranks: [] };
  const server: Backlog = { cards: 0, ranks: [] };
  for (const standings of line) {
    const before = { own: own.ranks.length, server: server.ranks.length };
    for (const standing of standings) {
      if (standing.requester.memberId === requester.memberId) own.ranks.push(standing.rank);
      if (guildKey(standing.requester) === key) server.ranks.push(standing.rank);
    }
    if (own.ranks.length > before.own) own.cards++;
    if (server.ranks.length > before.server) server.cards++;
  }
  return { own, server };
}

function freeRank(from: Rank, behind: Rank, own: readonly Rank[], server: readonly Rank[]): Rank {
  const rounds = own.map(({ member }) => member);
  const member = firstFree(from.member + behind.member, rounds);
  const inRound = server.flatMap((rank) => (rank.member === member ? [rank.guild] : []));
  const guild = firstFree((member === from.member ? from.guild : 0) + behind.guild, inRound);
  return { member, guild };
}

function firstFree(from: number, taken: readonly number[]): number {
  const known = new Set(taken);
  let free = from;
  while (known.has(free)) free++;
  return free;
}
