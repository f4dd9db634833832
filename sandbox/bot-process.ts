import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const END_WITH_PARENT = new URL('./end-with-parent.ts', import.meta.url).href;
const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url));

/** One line of the bot's log. */
export type LogLine = Record<string, unknown> & { level: string; msg: string };

/** One run of the unmodified bot, in a process of its own that ends with this one. */
export interface BotProcess {
  readonly isReady: boolean;
  /** Resolves when the bot is connected to Discord, or has ended. */
  ready: Promise<void>;
  /** Resolves when the process has ended, for whatever reason, and its log is read. */
  ended: Promise<void>;
  signal(name: 'SIGKILL' | 'SIGTERM'): void;
}

/** @param onLine called with every line of its log, parsed and as it was written */
export function runBot(env: Record<string, string>, onLine: (line: LogLine, text: string) => void): BotProcess {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const child = spawn(process.execPath, ['--import', END_WITH_PARENT, MAIN], {
    env: { PATH, NODE_COMPILE_CACHE, ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const connected = Promise.withResolvers<void>();
  let isReady = false;
  const ended = once(child, 'close').then(() => {
    isReady = false;
    connected.resolve();
  });
  createInterface(child.stdout).on('line', (text) => {
    const line = parsed(text);
    if (line.msg === 'gateway ready') {
      isReady = true;
      connected.resolve();
    }
    onLine(line, text);
  });
  return {
    get isReady() {
      return isReady;
    },
    ready: connected.promise,
    ended,
    signal: (name) => void child.kill(name),
  };
}

/** Not everything that a process writes is a line of the log. */
function parsed(text: string): LogLine {
  try {
    return JSON.parse(text);
  } catch {
    return { level: 'info', msg: text };
  }
}
