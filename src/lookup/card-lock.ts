/** Which of several processes looks a card up; the others wait for the result. No method rejects. */
export interface CardLock {
  /** Whether there are other processes, which may have stored a card in the meantime. */
  readonly isShared: boolean;
  /** @returns `false` while another process looks this card up */
  acquire(cardId: string): Promise<boolean>;
  /** To be called once for each lock acquired, whatever became of the request. */
  release(cardId: string): Promise<void>;
}

/** For a process that shares its quota with no other. */
export const NO_CARD_LOCK: CardLock = {
  isShared: false,
  acquire: () => Promise.resolve(true),
  release: () => Promise.resolve(),
};
