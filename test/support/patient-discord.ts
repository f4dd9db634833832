import type { Lifetimes } from '../../src/sandbox/discord/interaction.ts';

/** A Discord that waits for a first answer as long as a busy machine needs. Tests of its 3 s say so. */
export const PATIENT: Lifetimes = { ackMs: 60_000, tokenMs: 900_000 };
