/** Who asked, and where. */
export interface Requester {
  memberId: string;
  /** `undefined` in direct messages. */
  guildId: string | undefined;
}

/** Of an asker that carries more, such as a token: what is kept and told to others. */
export function requesterOf({ memberId, guildId }: Requester): Requester {
  return { memberId, guildId };
}

/** The Discord server as fairness and shares count it: direct messages are a server of their own. */
export function guildKey({ memberId, guildId }: Requester): string {
  return guildId ?? `dm:${memberId}`;
}
