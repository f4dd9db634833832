import { EventEmitter, once } from 'node:events';
import { startApp } from '../../src/app.ts';
import { readConfig, secretsOf } from '../../src/config/config.ts';
import { createLog } from '../../src/log.ts';
import type { BotProcess } from './bot-process.ts';
import { onFinished } from './on-finished.ts';

/** What a bot wrote, wherever it runs. */
export type BotOutput = Pick<BotProcess, 'output' | 'wrote'>;

/** A bot in this process. */
export interface AppBot extends BotOutput {
  /** Resolves with the reason when Discord or Redis can be used no longer; a process ends then. */
  refused: Promise<Error>;
  /** As on SIGTERM. */
  stop(): Promise<void>;
}

/**
 * Starts the bot in this process, with the environment of one of its own, for a tenth of the CPU time: for everything but
 * how a process starts and ends. Stopped when the test or, from `beforeAll`, the file ends.
 */
export async function startAppBot(env: Record<string, string>): Promise<AppBot> {
  const config = readConfig(env);
  const lines = new EventEmitter();
  let text = '';
  const write = (line: string) => {
    text += line;
    lines.emit('line');
  };
  const log = createLog({ level: config.logLevel, secrets: secretsOf(config), destination: { write } });
  const app = await startApp(config, log);
  onFinished(app.stop);
  return {
    output: () => text,
    async wrote(wanted, after = 0) {
      while (!text.includes(wanted, after)) await once(lines, 'line');
    },
    refused: app.refused,
    stop: app.stop,
  };
}
