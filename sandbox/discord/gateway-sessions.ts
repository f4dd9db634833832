import type { GatewaySession } from './gateway-session.ts';

const RESUMABLE_MS = 180_000; // how long Discord keeps a session is not documented; minutes in practice

/** Every session that is connected or can still be resumed. */
export class GatewaySessions {
  readonly #sessions = new Map<string, GatewaySession>();
  /** How often one was resumed. */
  resumes = 0;
  #waiting: { isMet(): boolean; resolve(): void }[] = [];

  get size(): number {
    for (const [id, { detachedAtMs }] of this.#sessions) {
      if (detachedAtMs !== undefined && Date.now() - detachedAtMs > RESUMABLE_MS) this.#sessions.delete(id);
    }
    return this.#sessions.size;
  }

  /** The sessions with a connection. */
  get connected(): GatewaySession[] {
    return [...this.#sessions.values()].filter(({ isConnected }) => isConnected);
  }

  find(id: string): GatewaySession | undefined {
    return this.#sessions.get(id);
  }

  add(session: GatewaySession): void {
    this.#sessions.set(session.id, session);
  }

  resumed(): void {
    this.resumes++;
    this.changed();
  }

  /** It cannot be resumed any more. */
  end(session: GatewaySession): void {
    this.#sessions.delete(session.id);
  }

  /** To every session of the guild's shard; null = direct messages. `json` is the serialized payload. */
  dispatch(type: string, guildId: string | null, json: string): void {
    for (const session of this.#sessions.values()) {
      if (session.serves(guildId)) session.dispatch(type, json);
    }
  }

  /** Resolves as soon as `isMet` returns true; it is called now and after every READY and RESUMED. */
  when(isMet: () => boolean): Promise<void> {
    if (isMet()) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push({ isMet, resolve }));
  }

  /** Called after READY and RESUMED. */
  changed(): void {
    const met = this.#waiting.filter(({ isMet }) => isMet());
    this.#waiting = this.#waiting.filter((waiting) => !met.includes(waiting));
    for (const { resolve } of met) resolve();
  }
}
