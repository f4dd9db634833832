import { createClient } from '@redis/client';

/** The resources that a Redis has used so far, for all clients. */
export class RedisUse {
  readonly #client;

  private constructor(url: string) {
    this.#client = createClient({ url });
  }

  static async of(url: string): Promise<RedisUse> {
    const use = new RedisUse(url);
    await use.#client.connect();
    return use;
  }

  /** In user and system mode, since it started. */
  async cpuMs(): Promise<number> {
    const info = await this.#client.info('cpu');
    return (field(info, 'used_cpu_user') + field(info, 'used_cpu_sys')) * 1_000;
  }

  async bytes(): Promise<number> {
    return field(await this.#client.info('memory'), 'used_memory');
  }

  close(): void {
    this.#client.destroy();
  }
}

function field(info: string, name: string): number {
  return Number(new RegExp(`^${name}:(.*)$`, 'm').exec(info)?.[1]);
}
