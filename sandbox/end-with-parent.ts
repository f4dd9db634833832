// Loaded before the bot's own program: its input ends when the sandbox does, however that ends.
import type { Socket } from 'node:net';
import { isMainThread } from 'node:worker_threads';

if (isMainThread) {
  process.stdin.once('end', () => process.exit(1)).resume();
  (process.stdin as unknown as Socket).unref();
}
