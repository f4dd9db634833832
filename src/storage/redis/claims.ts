import { type Claimed, type ClaimOptions, type Claims, LocalClaims } from '../../model/claims.ts';
import type { ProcessesAlive } from './processes-alive.ts';
import { unlessUnavailable } from './unavailable.ts';

/**
 * Claims a name for ARGV[3] ms if no other process holds it or, if ARGV[4] is 1, its owner is dead. Returns 0, or in how
 * many ms the claim of another ends. A claim of this process that is still there could not be released while Redis was
 * unavailable.
 */
const CLAIM = `
  local owner = redis.call('GET', KEYS[1])
  local isFree = not owner or owner == self or (ARGV[4] == '1' and isDead(owner))
  if not isFree then return math.max(redis.call('PTTL', KEYS[1]), 1) end
  redis.call('SET', KEYS[1], self, 'PX', ARGV[3])
  return 0
`;
const RELEASE = `if redis.call('GET', KEYS[1]) == self then redis.call('DEL', KEYS[1]) end return 1`;

/** The claims of all processes that share a Redis. */
export class RedisClaims implements Claims {
  readonly isShared = true;
  readonly #processesAlive: ProcessesAlive;
  /** A name is claimed once in this process, too, and Redis does not know of this while it is unavailable. */
  readonly #here = new LocalClaims();

  /** Names that are free, and whether Redis is being told; it could not be told of the others. */
  readonly #unreleased = new Map<string, 'under way' | 'untold'>();

  constructor(processesAlive: ProcessesAlive) {
    this.#processesAlive = processesAlive;
    processesAlive.onHeartbeat(() => {
      for (const [name, state] of this.#unreleased) if (state === 'untold') void this.release(name);
    });
  }

  async claim(name: string, options: ClaimOptions): Promise<Claimed> {
    this.#unreleased.delete(name);
    const here = await this.#here.claim(name, options);
    if (here !== 'mine') return here;
    const answer = await this.#run(CLAIM, name, [String(Math.ceil(options.ttlMs)), options.endsWithOwner ? '1' : '0']);
    if (answer === undefined) return 'unavailable';
    const heldForMs = Number(answer);
    if (heldForMs === 0) return 'mine';
    await this.#here.release(name);
    return { heldForMs };
  }

  async release(name: string): Promise<void> {
    await this.#here.release(name);
    this.#unreleased.set(name, 'under way');
    if ((await this.#run(RELEASE, name, [])) !== undefined) this.#unreleased.delete(name);
    else if (this.#unreleased.has(name)) this.#unreleased.set(name, 'untold');
  }

  #run(script: string, name: string, args: string[]): Promise<unknown> {
    return unlessUnavailable(this.#processesAlive.run(script, `claim:${name}`, args));
  }
}
