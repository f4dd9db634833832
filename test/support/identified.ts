import { expect } from 'vitest';
import type { World } from './world.ts';

/** discord.js identifies once in 5 s at most, so whatever ends a session takes so long. */
const IDENTIFY_MS = 12_000;

/** Resolves when the bot has identified so many times. */
export async function identified({ discord }: World, times: number): Promise<void> {
  await expect.poll(() => discord.gateway.identifies, { timeout: IDENTIFY_MS }).toBe(times);
}
