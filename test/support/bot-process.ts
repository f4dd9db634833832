import { onTestFinished } from 'vitest';
import { type BotProcess, spawnBot } from './spawn-bot.ts';

export type { BotProcess } from './spawn-bot.ts';

/** A bot process that does not outlive its test. */
export function startBotProcess(env: Record<string, string>): BotProcess {
  const bot = spawnBot(env);
  onTestFinished(() => void bot.child.kill('SIGKILL'));
  return bot;
}
