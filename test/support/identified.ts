import { expect } from 'vitest';
import type { World } from './world.ts';

/** discord.js identifies at most once in 5 s, so a new session takes that long. */
const IDENTIFY_MS = 12_000;

/** Resolves when the bot has identified `times` times. */
export async function identified({ discord }: World, times: number): Promise<void> {
  await expect.poll(() => discord.gateway.identifies, { timeout: IDENTIFY_MS }).toBe(times);
}
