import { onFinished } from './on-finished.ts';
import { type BotProcess, spawnBot, spawnUnderNpm } from './spawn-bot.ts';

export type { BotProcess } from './spawn-bot.ts';

/** Starts a bot process that is killed when the test or, from `beforeAll`, the file ends. */
export function startBotProcess(...how: Parameters<typeof spawnBot>): BotProcess {
  const bot = spawnBot(...how);
  onFinished(() => void bot.child.kill('SIGKILL'));
  return bot;
}

/** The same for a bot that npm starts. */
export function startUnderNpm(...how: Parameters<typeof spawnUnderNpm>): ReturnType<typeof spawnUnderNpm> {
  const npm = spawnUnderNpm(...how);
  onFinished(() => npm.kill());
  return npm;
}
