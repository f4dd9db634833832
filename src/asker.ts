/** Who asked, and where. */
export interface Asker {
  memberId: string;
  /** `undefined` in direct messages. */
  guildId: string | undefined;
}

/** Of an asker that carries more, such as a token: what is kept and told to others. */
export function askerOf({ memberId, guildId }: Asker): Asker {
  return { memberId, guildId };
}

/** The Discord server as fairness and shares count it: direct messages are a server of their own. */
export function guildKey({ memberId, guildId }: Asker): string {
  return guildId ?? `dm:${memberId}`;
}
