import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { alarmsIn } from '../chaos/alarms.ts';

/** A bot process whose log is counted and not kept. */
export class SoakBot {
  /** Lines that no fault explains. */
  readonly alarms: string[] = [];
  readonly #child: ChildProcess;
  readonly #port = Promise.withResolvers<number>();
  readonly #connected = Promise.withResolvers<void>();
  #lines = 0;

  /** @param env with `HTTP_PORT=0` */
  constructor(env: Record<string, string>) {
    const { PATH = '' } = process.env;
    this.#child = spawn(process.execPath, ['src/main.ts'], { env: { PATH, ...env } });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      if (stream) createInterface(stream).on('line', (line) => this.#read(line));
    }
  }

  /** Resolves when the bot is connected. @returns where its metrics are */
  async ready(): Promise<string> {
    const ended = once(this.#child, 'close').then(() => {
      throw new Error(`The bot has ended: ${this.alarms.join('\n')}`);
    });
    const [port] = await Promise.race([Promise.all([this.#port.promise, this.#connected.promise]), ended]);
    return `http://127.0.0.1:${port}/metrics`;
  }

  /** Lines since the last call. */
  takeLines(): number {
    const lines = this.#lines;
    this.#lines = 0;
    return lines;
  }

  /** @returns the exit code */
  async stop(): Promise<number | null> {
    const ended = once(this.#child, 'close');
    this.#child.kill('SIGTERM');
    const [code] = await ended;
    return code;
  }

  #read(line: string): void {
    this.#lines++;
    this.alarms.push(...alarmsIn(line));
    const { msg, port } = line.startsWith('{') ? JSON.parse(line) : {};
    if (msg === 'metrics are served') this.#port.resolve(port);
    if (msg === 'gateway ready') this.#connected.resolve();
  }
}
