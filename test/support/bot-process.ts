import { onTestFinished } from 'vitest';
import { type BotProcess, spawnBot } from './spawn-bot.ts';

export type { BotProcess } from './spawn-bot.ts';

/** A bot process that does not outlive its test. */
export function startBotProcess(...how: Parameters<typeof spawnBot>): BotProcess {
  const bot = spawnBot(...how);
  onTestFinished(() => void bot.child.kill('SIGKILL'));
  return bot;
}
