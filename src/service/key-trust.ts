/** A key that worked this lately is more likely good than the refusal of one id says. */
const BELIEVED_FOR_MS = 60 * 60_000;

/** Whether the key is believed although a lookup was refused. Kept in memory: after a start the first refusal counts. */
export interface KeyTrust {
  /** When a card was last looked up with it; absent: it is not believed. */
  workedAtMs?: number;
  /** The id that was refused since. */
  refusedId?: string;
}

/** A key that worked within the hour is believed until two different ids were refused. */
export function afterKeyRefusal({ workedAtMs, refusedId }: KeyTrust, id: string, nowMs: number): KeyTrust {
  const isOtherId = refusedId !== undefined && refusedId !== id;
  const isBelieved = workedAtMs !== undefined && !isOtherId && nowMs - workedAtMs < BELIEVED_FOR_MS;
  return { ...(isBelieved && { workedAtMs }), refusedId: id };
}
