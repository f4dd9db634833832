/** Who of several processes asks for a card; the others wait for what comes of it. No method rejects. */
export interface CardLock {
  /** @returns `false` while another process asks for this card */
  acquire(cardId: string): Promise<boolean>;
  /** To be called once for each lease acquired, whatever became of the request. */
  release(cardId: string): Promise<void>;
}

/** For a process that nobody shares a quota with. */
export const NO_CARD_LOCK: CardLock = {
  acquire: () => Promise.resolve(true),
  release: () => Promise.resolve(),
};
