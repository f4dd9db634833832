import { inodeOf } from './corrupt-file.ts';

const LOOK_EVERY_MS = 60_000;

/**
 * Looks once a minute whether files that this process has open are still in their place, with their write-ahead logs. SQLite
 * does not notice that one was deleted or replaced: what it writes from then on is gone with the process.
 */
export class OpenFiles {
  readonly #inodes = new Map<string, number>();
  readonly #onLost: Map<string, (reason: string) => void>;
  readonly #timer = setInterval(() => this.#look(), LOOK_EVERY_MS).unref();

  /** @param onLost by file; told once, with the beginning of a sentence */
  constructor(onLost: Readonly<Record<string, (reason: string) => void>>) {
    this.#onLost = new Map(Object.entries(onLost));
    this.#look();
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    for (const [file, tell] of this.#onLost) {
      const lost = [file, `${file}-wal`].find((each) => this.#isLost(each));
      if (lost === undefined) continue;
      this.#onLost.delete(file);
      tell(`${lost} was deleted or replaced while the bot runs`);
    }
  }

  #isLost(file: string): boolean {
    try {
      const inode = inodeOf(file);
      const before = this.#inodes.get(file) ?? inode; // a write-ahead log begins with the first write
      if (before !== undefined) this.#inodes.set(file, before);
      return inode !== before;
    } catch {
      return false; // the folder cannot be read now
    }
  }
}
