/** The member who sent a command, and where. */
export interface Requester {
  memberId: string;
  /** `undefined` in direct messages. */
  guildId: string | undefined;
}

/** The requester alone, of an object that carries more, such as an interaction's token. */
export function requesterOf({ memberId, guildId }: Requester): Requester {
  return { memberId, guildId };
}

/** The Discord server as fairness and budgets count it: a member's direct messages are a server of their own. */
export function guildKey({ memberId, guildId }: Requester): string {
  return guildId ?? `dm:${memberId}`;
}
