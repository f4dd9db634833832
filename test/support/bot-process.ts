import { type BotProcess, spawnBot, spawnUnderNpm } from './spawn-bot.ts';
import { whenOver } from './when-over.ts';

export type { BotProcess } from './spawn-bot.ts';

/** A bot process that does not outlive its test or, from `beforeAll`, its file. */
export function startBotProcess(...how: Parameters<typeof spawnBot>): BotProcess {
  const bot = spawnBot(...how);
  whenOver(() => void bot.child.kill('SIGKILL'));
  return bot;
}

/** Nor does a bot with npm in front of it. */
export function startUnderNpm(...how: Parameters<typeof spawnUnderNpm>): ReturnType<typeof spawnUnderNpm> {
  const npm = spawnUnderNpm(...how);
  whenOver(() => npm.kill());
  return npm;
}
