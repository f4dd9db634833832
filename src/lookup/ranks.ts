import { guildKey, type Requester } from '../model/quota.ts';

/** A place in the fair order. The lower `member` goes first, then the lower `guild`. */
export interface Rank {
  member: number;
  guild: number;
}

/** A requester who waits for a card, and the rank of that. */
export interface RankedRequester {
  requester: Requester;
  rank: Rank;
}

/** The cards that wait, each with all its requesters. */
export type QueuedCards = Iterable<readonly RankedRequester[]>;

/** The rank that counts as served last before anything was. */
export const FIRST_RANK: Rank = { member: 0, guild: 0 };

/** The rank of a requester in a lane other than the card's: it never decides. */
export const NO_RANK: Rank = { member: Number.POSITIVE_INFINITY, guild: Number.POSITIVE_INFINITY };

/**
 * Start-time fair queuing in rounds: a lookup ranks behind everything that its requester waits for and, when there is
 * nothing, level with the rank that was served last; within that round likewise behind what the Discord server waits
 * for. No two cards of one member are in the same round, so a burst delays another member's first lookup by one permit
 * at most, even when others join it; and the burst has no effect once it is served.
 */
export function rankFor(requester: Requester, served: Rank, queued: QueuedCards): Rank {
  const { member, guild } = backlogOf(requester, queued);
  return freeRank(served, { member: member.cards, guild: guild.cards }, member.ranks, guild.ranks);
}

/** The rank after a permit that brought no answer: as before, unless another lookup of the requester has that rank. */
export function rankAgain({ requester, rank }: RankedRequester, served: Rank, queued: QueuedCards): Rank {
  const { member, guild } = backlogOf(requester, queued);
  return freeRank(later(rank, served), FIRST_RANK, member.ranks, guild.ranks);
}

/** The later of two; so also the rank that is served last after one more. */
export function later(a: Rank, b: Rank): Rank {
  return compareRanks(a, b) < 0 ? b : a;
}

export function compareRanks(a: Rank, b: Rank): number {
  if (a.member !== b.member) return a.member < b.member ? -1 : 1;
  if (a.guild !== b.guild) return a.guild < b.guild ? -1 : 1;
  return 0;
}

/** What a member or a Discord server waits for: how many cards, and the rank of each. */
interface Backlog {
  cards: number;
  ranks: Rank[];
}

function backlogOf(requester: Requester, queued: QueuedCards): { member: Backlog; guild: Backlog } {
  const key = guildKey(requester);
  const member: Backlog = { cards: 0, ranks: [] };
  const guild: Backlog = { cards: 0, ranks: [] };
  for (const waiters of queued) {
    const before = { member: member.ranks.length, guild: guild.ranks.length };
    for (const waiter of waiters) {
      if (waiter.requester.memberId === requester.memberId) member.ranks.push(waiter.rank);
      if (guildKey(waiter.requester) === key) guild.ranks.push(waiter.rank);
    }
    if (member.ranks.length > before.member) member.cards++;
    if (guild.ranks.length > before.guild) guild.cards++;
  }
  return { member, guild };
}

function freeRank(from: Rank, behind: Rank, memberRanks: readonly Rank[], guildRanks: readonly Rank[]): Rank {
  const rounds = memberRanks.map(({ member }) => member);
  const member = firstFree(from.member + behind.member, rounds);
  const inRound = guildRanks.flatMap((rank) => (rank.member === member ? [rank.guild] : []));
  const guild = firstFree((member === from.member ? from.guild : 0) + behind.guild, inRound);
  return { member, guild };
}

function firstFree(from: number, taken: readonly number[]): number {
  const known = new Set(taken);
  let free = from;
  while (known.has(free)) free++;
  return free;
}
