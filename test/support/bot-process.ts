import { type BotProcess, spawnBot } from './spawn-bot.ts';
import { whenOver } from './when-over.ts';

export type { BotProcess } from './spawn-bot.ts';

/** A bot process that does not outlive its test or, from `beforeAll`, its file. */
export function startBotProcess(...how: Parameters<typeof spawnBot>): BotProcess {
  const bot = spawnBot(...how);
  whenOver(() => void bot.child.kill('SIGKILL'));
  return bot;
}
